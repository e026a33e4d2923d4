/**
 * Whether a passage says only what its own facts say.
 *
 * @module
 */
import type { Fact, Passage } from "./facts.ts"

/** What is wrong with a passage. */
export type FaultCode =
  | "no_facts"
  | "unknown_fact"
  | "figure"
  | "name"
  | "word"
  | "link"
  | "certainty"
  | "markup"
  | "length"

export interface Fault {
  readonly code: FaultCode
  /** The words that are at fault, a few of them. */
  readonly found: string
}

/** The facts of one text by their ids. */
export function factsById(facts: ReadonlyArray<Fact>): ReadonlyMap<string, Fact> {
  return new Map(facts.map((fact) => [fact.id, fact]))
}

/** Everything that is wrong with a passage; empty when it may be published. */
export function faultsOf(
  passage: Passage,
  facts: ReadonlyMap<string, Fact>,
): ReadonlyArray<Fault> {
  if (passage.facts.length === 0) return [{ code: "no_facts", found: "" }]
  return passage.facts
    .filter((id) => !facts.has(id))
    .map((id) => ({ code: "unknown_fact" as const, found: id }))
}

/** A fault in a sentence that a narrator can act on. */
export function complaintOf({ code, found }: Fault, where: string): string {
  return `${where}: ${code} ${found}`
}
