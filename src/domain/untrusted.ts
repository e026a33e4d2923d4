/**
 * What strangers wrote, made harmless: for a prompt, for a text that is sold, for a log.
 *
 * A question, an outcome, a description, a headline, a pseudonym may hold anything. Nothing here
 * judges it; it only takes away what could pass for something else: control characters, marks that
 * turn or hide text, quotation marks that would end a quotation, markup.
 *
 * @module
 */

/** Characters of a name in a text that is sold. */
export const nameLengthMax = 160

/** A stranger's words as a name: one line, at most `max` characters, no quotation marks of ours. */
export function named(text: string, max: number = nameLengthMax): string {
  return cut(oneLine(text).replace(/[“”„‟"«»]/g, "'"), max)
}

/** A name as a text repeats it. */
export function quoted(name: string): string {
  return `“${name}”`
}

/** A stranger's longer text for a data block: one line, at most `max` characters. */
export function excerpt(text: string, max: number): string {
  return cut(oneLine(text), max)
}

/** Plain text as Markdown that shows just it. */
export function escapedMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>#+\-.!|~&:]/g, (mark) => `\\${mark}`)
}

/** Without controls, marks of direction, joiners and other things nobody sees; spaces made one. */
function oneLine(text: string): string {
  return text.normalize("NFC").replace(/[\p{C}\p{Zl}\p{Zp}\u034f\u115f\u1160\u3164\uffa0]+/gu, " ")
    .replace(/\s+/gu, " ").trim()
}

/** Whole characters only. */
function cut(text: string, max: number): string {
  const characters = [...text]
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("").trimEnd()}…`
}
