/**
 * How an open market will be decided: its rules, and its proposed outcome.
 *
 * @module
 */
import { type EpochMs, hour } from "../../core/domain/time.ts"
import type { MarketId } from "./market.ts"

/** An outcome proposed at the venue, which can be disputed until it settles. */
export interface Proposal {
  readonly marketId: MarketId
  readonly outcome: 0 | 1
  readonly proposedAt: EpochMs
  /** When it becomes final unless disputed; null when the venue does not publish it. */
  readonly settlesAt: EpochMs | null
  readonly disputed: boolean
}

/**
 * The oracle's challenge window where the venue states none: a proposal without a dispute is final
 * after it.
 */
export const challengeWindowMs = 2 * hour

/** In characters; a longer text is cut. */
export const rulesLengthMax = 4_000

/** The rules of a market: untrusted text, cut to `rulesLengthMax`. */
export interface MarketRules {
  readonly marketId: MarketId
  readonly text: string
}
