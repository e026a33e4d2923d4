/**
 * The question for a detector (whether an outcome is already known), its numbered evidence, and the
 * detector's answer before it is judged.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** One piece of evidence, for the detector and for the item. */
export interface EvidencePiece {
  /** `E1`, `E2`, …: unique in one question. */
  readonly id: string
  /** The venue's proposal, or a headline. */
  readonly kind: "venue" | "news"
  readonly title: string
  readonly url: string
  readonly source: string
  readonly publishedAt: EpochMs
}

/** Sibling markets in one question. */
export const siblingsMax = 12

/** Another market of the same event: who wins it can decide this one. */
export type SiblingMarket = Pick<Market, "question" | "outcomes" | "exclusive">

export interface DetectionQuestion {
  readonly market: Market
  /** In the order of the venue's listing; a headline about one of them is evidence too. */
  readonly siblings: ReadonlyArray<SiblingMarket>
  /** The venue's rules for the resolution; empty when there are none. */
  readonly rules: string
  /** The mid of the first outcome. */
  readonly mid: number
  readonly proposal: Proposal | null
  /** Never empty; the venue's proposal first. */
  readonly evidence: readonly [EvidencePiece, ...ReadonlyArray<EvidencePiece>]
  readonly now: EpochMs
}

/** A detector's answer: a claim, until `judgeDetection` accepts it. */
export interface Detection {
  readonly determined: boolean
  /** Accepted only if it is one of the market's outcomes. */
  readonly outcome: string | null
  readonly confidence: "high" | "medium" | "low"
  /** Ids of the evidence that it cites. */
  readonly evidence: ReadonlyArray<string>
  /** The words of a cited title that decide the question. Accepted only if the title contains them. */
  readonly decisiveWords: string
}
