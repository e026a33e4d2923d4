/**
 * The written part of a research report: what its narrator is given, and the draft it gives back.
 *
 * @module
 */
import type { Fact, Passage } from "./facts.ts"

export type Confidence = "low" | "medium" | "high"

/** What a narrator is given: everything it may say of one market. */
export interface ReportBrief {
  readonly facts: readonly [Fact, ...ReadonlyArray<Fact>]
  /** The most confidence that the evidence allows. */
  readonly confidenceMax: Confidence
}

/** What a narrator gives back: plain text, no markup. */
export interface ReportDraft {
  readonly thesis: Passage
  readonly whaleView: Passage
  readonly risks: ReadonlyArray<Passage>
  readonly confidence: Confidence
  readonly bottomLine: Passage
}
