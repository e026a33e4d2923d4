/**
 * Builds the facts of a digest and the quoted names in them.
 *
 * @module
 */
import type { DigestFact } from "./digest.ts"
import { countFigure } from "../../writing/domain/figures.ts"
import { figure, name, phrase, type Statement, union } from "../../writing/domain/statement.ts"

/** A fact that has no id yet. */
export type NewDigestFact = Omit<DigestFact, "id">

export interface FactAttributes extends Pick<DigestFact, "kind" | "topic" | "section"> {
  /** The fact states that something is decided. */
  readonly certain?: true
  /** The publisher, when it is neither the venue nor this service. */
  readonly source?: Statement
}

/** `short` is the statement without details. Digests have no links; the feed has them. */
export function factOf(
  { certain, source, ...attributes }: FactAttributes,
  statement: Statement,
  short: Statement = statement,
): NewDigestFact {
  return {
    ...attributes,
    ...union([statement, short]),
    statement: statement.text,
    short: short.text,
    subject: null,
    direction: null,
    negative: false,
    links: [],
    certain: certain ?? false,
    source: source?.names[0] ?? null,
  }
}

/** A fact stating that nothing of its kind was seen. It counts as coverage. */
export function absenceFact(attributes: FactAttributes, statement: Statement): NewDigestFact {
  return factOf({ ...attributes, kind: "coverage" }, statement)
}

/** How many things are counted without a fact of their own; a text may describe even fewer. */
export function limitFact(
  attributes: FactAttributes,
  count: number,
  noun: string,
  nouns: string = `${noun}s`,
): ReadonlyArray<NewDigestFact> {
  if (count === 0) return []
  const rest = figure(countFigure(count, noun, nouns))
  const verb = count === 1 ? "is" : "are"
  const statement = phrase`At least ${rest} ${verb} counted but not described.`
  return [factOf({ ...attributes, topic: "limit" }, statement)]
}

/** Characters of a question: more than any seen so far, and it still fits into a title. */
const questionMax = 110
/** Characters of an outcome, a pseudonym, a category or a source. */
const labelMax = 50
const headlineMax = 140

export function marketName(market: { readonly question: string; readonly slug: string }) {
  return name(market.question, questionMax, market.slug)
}

export function labelName(label: string, fallback: string = ""): Statement {
  return name(label, labelMax, fallback)
}

export function headlineName(title: string): Statement {
  return name(title, headlineMax, "")
}
