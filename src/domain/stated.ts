/**
 * Sentences that know their own figures and names: what a fact says, written once.
 *
 * @module
 */
import type { Fact } from "./facts.ts"
import { named, quoted } from "./untrusted.ts"

/** A sentence or some, and what in them is a figure or a stranger's word. */
export type Stated = Pick<Fact, "statement" | "figures" | "names">

/**
 * A template of plain words of ours; what is put into it is `figure`, `name`, or stated itself:
 * ``stated`It rose by ${figure("0.14")}.` ``
 */
export function stated(words: TemplateStringsArray, ...parts: ReadonlyArray<Stated>): Stated {
  return {
    statement: words.map((text, n) => text + (parts[n]?.statement ?? "")).join(""),
    figures: [...new Set(parts.flatMap(({ figures }) => figures))],
    names: [...new Set(parts.flatMap(({ names }) => names))],
  }
}

/** A figure with its unit, spelled as `phrases` does. */
export function figure(text: string): Stated {
  return { statement: text, figures: [text], names: [] }
}

/** A stranger's words, between quotation marks. */
export function name(text: string): Stated {
  const shown = named(text)
  return { statement: quoted(shown), figures: [], names: [shown] }
}

/** Sentences one after another. */
export function joined(sentences: ReadonlyArray<Stated>): Stated {
  return {
    statement: sentences.map(({ statement }) => statement).join(" "),
    figures: [...new Set(sentences.flatMap(({ figures }) => figures))],
    names: [...new Set(sentences.flatMap(({ names }) => names))],
  }
}
