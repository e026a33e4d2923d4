/**
 * What a text may state: numbered facts, each with the exact words in which it may be repeated, and
 * passages that name the facts they rest on.
 *
 * @module
 */

export type FactKind =
  | "mover"
  | "whale_entry"
  | "predetermined"
  | "resolution"
  | "news"
  | "upcoming"
  | "market"
  | "price"
  | "book"
  | "whale"
  | "coverage"
  | "method"

export interface Fact {
  /** `F1`, `F2`, …: unique among the facts of one text. */
  readonly id: string
  readonly kind: FactKind
  /** The fact in sentences that are themselves a sound passage resting on this fact alone. */
  readonly statement: string
  /** Figures with their units, each spelled as it may be repeated: `0.62`, `12,300 USD`, `4 hours`. */
  readonly figures: ReadonlyArray<string>
  /**
   * What strangers wrote (questions, outcomes, pseudonyms, headlines, names of sources), made harmless
   * by `named`. A text repeats one whole, between “ and ”.
   */
  readonly names: ReadonlyArray<string>
  /** Addresses that may be repeated. */
  readonly links: ReadonlyArray<string>
  /** Whether it says that something is decided: only then may a text speak with certainty. */
  readonly certain: boolean
}

/** Some sentences of plain text, and the ids of the facts they rest on. */
export interface Passage {
  readonly text: string
  readonly facts: ReadonlyArray<string>
}
