/**
 * Foreign values: text that is cleaned before it is printed or becomes part of a message, and fields
 * of JSON whose shape is not known.
 *
 * @module
 */

/** How much of a text is read for each character that is kept. */
const readPerCharacter = 20

/** Foreign text as one line of at most `lengthMax` characters, without invisible characters. */
export function plain(text: string, lengthMax: number): string {
  const line = text
    .slice(0, readPerCharacter * lengthMax)
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu, " ")
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .trim()
  const characters = [...line]
  return characters.length <= lengthMax ? line : `${characters.slice(0, lengthMax - 1).join("")}…`
}

/** A foreign name in quotation marks that it cannot close itself. */
export function quoted(name: string, lengthMax: number = 160): string {
  return `“${plain(name, lengthMax).replace(/[“”„‟"«»‘’‹›＂〝〞❝❞]/g, "'") || "unnamed"}”`
}

/** A foreign value of any type, as text for a message: a short word as it is, other text quoted. */
export function shown(value: unknown, lengthMax: number): string {
  if (typeof value === "object" && value !== null) return "an object"
  const text = String(value)
  return /^[\w:.-]*$/.test(text) ? plain(text, lengthMax) : quoted(text, lengthMax)
}

export type Fields = Readonly<Record<string, unknown>>

/** The fields of a JSON object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Fields : {}
}

/** A string that matches; null for any other value. */
export function matching(value: unknown, pattern: RegExp): string | null {
  return typeof value === "string" && pattern.test(value) ? value : null
}

/** The first entry of a list, as fields. */
export function firstOf(value: unknown): Fields {
  return fieldsOf(Array.isArray(value) ? value[0] : undefined)
}

export const addressPattern = /^0x[0-9a-fA-F]{40}$/
export const hashPattern = /^0x[0-9a-f]{64}$/

/** Whether two addresses are the same, in whatever case. */
export function isSame(one: unknown, other: string): boolean {
  return typeof one === "string" && one.toLowerCase() === other.toLowerCase()
}

/** The address, or null when the text is none. */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
