/**
 * One fact of a digest before it has its number, and how a digest names what strangers named.
 *
 * @module
 */
import type { DigestFact } from "./digest.ts"
import { countFigure } from "../../writing/domain/figures.ts"
import { figure, name, phrase, type Statement, union } from "../../writing/domain/statement.ts"

export type NewDigestFact = Omit<DigestFact, "id">

/** What a fact is about. */
export interface FactAttributes extends Pick<DigestFact, "kind" | "topic" | "section"> {
  /** Says that something is decided. */
  readonly certain?: true
  /** Who published it, where that is neither the venue nor this service. */
  readonly source?: Statement
}

/** A digest carries no links: who wants them reads the feed. */
export function factOf(
  { certain, source, ...about }: FactAttributes,
  statement: Statement,
  short: Statement = statement,
): NewDigestFact {
  return {
    ...about,
    ...union([statement, short]),
    statement: statement.text,
    short: short.text,
    links: [],
    certain: certain ?? false,
    source: source?.names[0] ?? null,
  }
}

/** That nothing of a kind happened: a word on what was looked at, and on nothing else. */
export function absenceFact(about: FactAttributes, statement: Statement): NewDigestFact {
  return factOf({ ...about, kind: "coverage" }, statement)
}

/** How many have no fact of their own; a text may tell fewer still. */
export function limitFact(
  about: FactAttributes,
  count: number,
  noun: string,
  nouns: string = `${noun}s`,
): ReadonlyArray<NewDigestFact> {
  if (count === 0) return []
  const left = figure(countFigure(count, noun, nouns))
  const verb = count === 1 ? "is" : "are"
  return [factOf({ ...about, topic: "limit" }, phrase`At least ${left} ${verb} in the sums alone.`)]
}

/** Characters of a question: more than any that was seen whole, and a title still holds it. */
const questionMax = 110
/** Characters of an outcome, a pseudonym, a category, a source. */
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
