/**
 * Whether an outcome already exists: the question put to a detector, its numbered evidence, and its
 * answer before anybody has judged it.
 *
 * @module
 */
import type { Market } from "../../markets/domain/market.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** One piece of evidence as a detector is shown it, and an item shows it. */
export interface Evidence {
  /** `E1`, `E2`, …: unique in one question. */
  readonly id: string
  /** The venue's own word, or a headline. */
  readonly kind: "venue" | "news"
  readonly title: string
  readonly url: string
  readonly source: string
  readonly publishedAt: EpochMs
}

export interface DetectionQuestion {
  readonly market: Market
  /** How the venue says the market is decided; empty when it does not say. */
  readonly rules: string
  /** The mid of the first outcome. */
  readonly mid: number
  readonly proposal: Proposal | null
  /** Never empty; the venue's own first. */
  readonly evidence: readonly [Evidence, ...ReadonlyArray<Evidence>]
  readonly now: EpochMs
}

/** A detector's answer: a claim, until the rules of acceptance have judged it. */
export interface Detection {
  readonly determined: boolean
  /** One of the market's outcomes, if it is to be believed. */
  readonly outcome: string | null
  /** One sentence. */
  readonly statement: string
  readonly confidence: "high" | "medium" | "low"
  /** Ids of the evidence it rests on. */
  readonly evidence: ReadonlyArray<string>
}
