/**
 * A paragraph before the page is filled: the same content in a brief form and in fuller ones.
 *
 * @module
 */
import type { DigestFact, DigestSection, DigestTopic } from "../digest.ts"
import type { Sentence } from "../../../writing/domain/page.ts"
import { type Speller, spellerOf } from "../factBuilders.ts"

/** A sentence of the page, and the facts whose values it spells. */
export type Line = Sentence

export interface Draft {
  readonly section: DigestSection
  readonly topic: string
  /** The name printed in bold in front. */
  readonly lead: string | null
  /** The facts that a claim about this paragraph may cite. */
  readonly facts: ReadonlyArray<string>
  /** From the briefest to the fullest; at least one. */
  readonly sizes: ReadonlyArray<ReadonlyArray<Line>>
  /** Whether it is on the page before others are considered. */
  readonly required: boolean
  readonly aboutItself: boolean
}

export function draft(
  parts: Pick<Draft, "section" | "topic" | "sizes"> & Partial<Draft>,
): Draft {
  const facts = [...new Set(parts.sizes.flat().flatMap(({ facts }) => facts))]
  return { lead: null, required: false, aboutItself: false, facts, ...parts }
}

/** A line from one fact; more ids when it also spells other facts. */
export function line(
  fact: DigestFact,
  text: (spell: Speller) => string,
  ...others: ReadonlyArray<DigestFact>
): Line {
  return { text: text(spellerOf(fact.values)), facts: [fact, ...others].map(({ id }) => id) }
}

/** The statement of a fact as it is. */
export function statementOf(fact: DigestFact): Line {
  return { text: fact.statement, facts: [fact.id] }
}

export function spell(fact: DigestFact): Speller {
  return spellerOf(fact.values)
}

/** The facts of these topics, in their order. */
export function ofTopic(
  facts: ReadonlyArray<DigestFact>,
  ...topics: ReadonlyArray<DigestTopic>
): ReadonlyArray<DigestFact> {
  return facts.filter(({ topic }) => topics.includes(topic))
}

/** The first fact of a topic about this subject. */
export function about(
  facts: ReadonlyArray<DigestFact>,
  subject: string | null,
  topic: DigestTopic,
): DigestFact | undefined {
  return facts.find((fact) => fact.topic === topic && fact.subject === subject)
}

/** The text of a name or a word among the values; empty when there is none. */
export function textOf(fact: DigestFact, slot: string): string {
  const value = fact.values[slot]
  return value?.type === "name" || value?.type === "word" ? value.text : ""
}

export function has(fact: DigestFact, slot: string): boolean {
  return fact.values[slot] !== undefined
}

export function nonEmpty<A>(list: ReadonlyArray<A>): readonly [A, ...ReadonlyArray<A>] | null {
  const [first, ...rest] = list
  return first === undefined ? null : [first, ...rest]
}
