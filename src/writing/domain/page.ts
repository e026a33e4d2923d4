/**
 * A page of sentences: what a buyer reads. Each slot of the page holds the sentences of the template
 * until claims of a model replace them, one by one.
 *
 * @module
 */

/**
 * - `fact`: states what the cited facts say.
 * - `inference`: our reading of two facts or more; rendered by code as such.
 * - `watch`: what to watch next.
 */
export const claimKinds = ["fact", "inference", "watch"] as const
export type ClaimKind = typeof claimKinds[number]

/** One sentence and the facts it rests on. */
export interface Sentence {
  readonly text: string
  readonly facts: ReadonlyArray<string>
}

/** A sentence that a model proposes for a slot. Its text is filled: it has no open value. */
export interface Claim extends Sentence {
  readonly slot: string
  readonly kind: ClaimKind
}

/** One paragraph of a page. */
export interface Slot {
  /** `S1`, `S2`, …: unique in one page. */
  readonly id: string
  /** What it is about, for the narrator: `move`, `whales`, `thesis`, `risk`, … */
  readonly topic: string
  /** The facts that a claim of this slot may cite. */
  readonly facts: ReadonlyArray<string>
  /** The sentences of the template, in order; each is true by construction. Never empty. */
  readonly sentences: readonly [Sentence, ...ReadonlyArray<Sentence>]
  /** Whether the sentences speak about the text itself (coverage, method) and not about markets. */
  readonly aboutItself: boolean
}
