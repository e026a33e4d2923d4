/**
 * Numbered facts: all that a text may state.
 *
 * @module
 */
import type { FactRow } from "../../core/domain/fields.ts"
import type { Value } from "./values.ts"

export type FactKind =
  | "mover"
  | "predetermined"
  | "resolution"
  | "news"
  | "upcoming"
  | "market"
  | "price"
  | "book"
  | "whale"
  | "relation"
  | "rules"
  | "record"
  | "coverage"
  | "method"

export interface Fact {
  /** `F1`, `F2`, …: unique among the facts of one text. */
  readonly id: string
  readonly kind: FactKind
  /** What it is about: a market's slug, a wallet's address; null when it is about no single thing. */
  readonly subject: string | null
  /** The values that the statement spells, by slot name: `from`, `to`, `market`, `publisher`, … */
  readonly values: Readonly<Record<string, Value>>
  /** Of a price move; null for other facts. */
  readonly direction: "up" | "down" | null
  /** The fact in a few sentences, with every value as it is spelled. */
  readonly statement: string
  /** The statement with its values open: `{market} fell by {change}`. */
  readonly says: string
  /**
   * Untrusted text (questions, outcomes, pseudonyms, headlines, names of sources), sanitized.
   */
  readonly names: ReadonlyArray<string>
  /** Addresses that may be repeated. */
  readonly links: ReadonlyArray<string>
}

/** The fact on the wire. */
export function factRow({ id, statement, subject }: Fact): typeof FactRow.Type {
  return { id, statement, about: subject }
}
