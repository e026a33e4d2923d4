/**
 * Statements in the making: text that keeps count of the figures and the names it repeats, so that a
 * fact cannot state one that it does not have.
 *
 * @module
 */
import { named, nameLengthMax, quoted } from "../../core/domain/untrusted.ts"

export interface Statement {
  readonly text: string
  readonly figures: ReadonlyArray<string>
  readonly names: ReadonlyArray<string>
}

/** A sentence of our own words around figures, names and other statements. */
export function phrase(
  words: TemplateStringsArray,
  ...parts: ReadonlyArray<Statement | string>
): Statement {
  const said = parts.map((part) => typeof part === "string" ? plain(part) : part)
  return {
    ...union(said),
    text: words.map((word, i) => `${word}${said[i]?.text ?? ""}`).join(""),
  }
}

/** A figure of `figures.ts`. */
export function figure(phrase: string): Statement {
  return { text: phrase, figures: [phrase], names: [] }
}

/**
 * What a stranger wrote, harmless, in quotation marks, at most `max` characters; `fallback` where
 * there is nothing to see.
 */
export function name(
  text: string,
  max: number = nameLengthMax,
  fallback: string = "",
): Statement {
  const harmless = named(text, max)
  const seen = harmless === nameless ? named(fallback, max) : harmless
  return { text: quoted(seen), figures: [], names: [seen] }
}

const nameless = named("")

/** One after the other. */
export function joined(parts: ReadonlyArray<Statement>, separator: string = " "): Statement {
  return { ...union(parts), text: parts.map(({ text }) => text).join(separator) }
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(parts: ReadonlyArray<Statement>): Statement {
  const last = parts.at(-1)
  if (last === undefined || parts.length === 1) return joined(parts)
  return phrase`${joined(parts.slice(0, -1), ", ")} and ${last}`
}

/** The figures and names that all of them repeat together. */
export function union(
  parts: ReadonlyArray<Statement>,
): Pick<Statement, "figures" | "names"> {
  return {
    figures: [...new Set(parts.flatMap(({ figures }) => figures))],
    names: [...new Set(parts.flatMap(({ names }) => names))],
  }
}

function plain(text: string): Statement {
  return { text, figures: [], names: [] }
}
