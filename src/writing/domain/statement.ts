/**
 * Builds the statements of facts. Every piece of text carries the figures and names it contains, so a
 * fact lists exactly the figures and names that it states.
 *
 * @module
 */
import { nameLengthMax, quoted, safeName } from "../../core/domain/untrusted.ts"
import { spelled, type Value } from "./values.ts"

export interface Statement {
  readonly text: string
  readonly figures: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
  readonly values: Readonly<Record<string, Value>>
}

/** A typed value with its slot name; the text is its spelling. */
export function value(slot: string, value: Value): Statement {
  const text = spelled(value)
  if (value.type === "word") return { text, figures: [], names: [], values: { [slot]: value } }
  return value.type === "name"
    ? { text, figures: [], names: [value.text], values: { [slot]: value } }
    : { text, figures: [text], names: [], values: { [slot]: value } }
}

/** A template tag: our own words around figures, names and other statements. */
export function phrase(
  words: TemplateStringsArray,
  ...parts: ReadonlyArray<Statement | string>
): Statement {
  const statements = parts.map((part) => typeof part === "string" ? plain(part) : part)
  return {
    ...union(statements),
    text: words.map((word, i) => `${word}${statements[i]?.text ?? ""}`).join(""),
  }
}

/**
 * Untrusted text, sanitized and quoted, at most `max` characters; `fallback` when it has no visible
 * character.
 */
export function name(
  text: string,
  max: number = nameLengthMax,
  fallback: string = "",
): Statement {
  const sanitized = safeName(text, max)
  const visible = sanitized === nameless ? safeName(fallback, max) : sanitized
  return { text: quoted(visible), figures: [], names: [visible], values: {} }
}

const nameless = safeName("")

export function joined(parts: ReadonlyArray<Statement>, separator: string = " "): Statement {
  return { ...union(parts), text: parts.map(({ text }) => text).join(separator) }
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: ReadonlyArray<Statement>): Statement {
  const last = parts.at(-1)
  if (last === undefined || parts.length === 1) return joined(parts)
  return phrase`${joined(parts.slice(0, -1), ", ")} and ${last}`
}

function union(
  parts: ReadonlyArray<Statement>,
): Omit<Statement, "text"> {
  return {
    figures: [...new Set(parts.flatMap(({ figures }) => figures))],
    names: [...new Set(parts.flatMap(({ names }) => names))],
    values: Object.assign({}, ...parts.map(({ values }) => values)),
  }
}

function plain(text: string): Statement {
  return { text, figures: [], names: [], values: {} }
}
