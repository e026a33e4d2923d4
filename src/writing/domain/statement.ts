/**
 * Builds the statements of facts. Every piece of text carries its values, so a fact lists exactly the
 * figures and names that it states.
 *
 * @module
 */
import { spelled, type Value } from "./values.ts"

export interface Statement {
  readonly text: string
  /** The same with its values open: `{market} fell by {change}`. */
  readonly says: string
  readonly names: ReadonlyArray<string>
  readonly values: Readonly<Record<string, Value>>
}

/** A typed value with its slot name; the text is its spelling. */
export function value(slot: string, value: Value): Statement {
  const names = value.type === "name" ? [value.text] : []
  return { text: spelled(value), says: `{${slot}}`, names, values: { [slot]: value } }
}

/** A template tag: our own words around figures, names and other statements. */
export function phrase(
  words: TemplateStringsArray,
  ...parts: ReadonlyArray<Statement | string>
): Statement {
  const statements = parts.map((part) => typeof part === "string" ? plain(part) : part)
  return joined(words.flatMap((word, i) => [plain(word), statements[i] ?? plain("")]), "")
}

export function joined(parts: ReadonlyArray<Statement>, separator: string = " "): Statement {
  return {
    text: parts.map(({ text }) => text).join(separator),
    says: parts.map(({ says }) => says).join(separator),
    names: [...new Set(parts.flatMap(({ names }) => names))],
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  }
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: ReadonlyArray<Statement>): Statement {
  const last = parts.at(-1)
  if (last === undefined || parts.length === 1) return joined(parts)
  return phrase`${joined(parts.slice(0, -1), ", ")} and ${last}`
}

function plain(text: string): Statement {
  return { text, says: text, names: [], values: {} }
}
