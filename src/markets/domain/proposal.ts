/**
 * How a market that is still open will be decided: its rules, and the outcome that stands proposed.
 *
 * @module
 */
import type { EpochMs } from "../../core/domain/time.ts"
import type { MarketId } from "./market.ts"

/** An outcome that was put forward at the venue, and may be challenged until it settles. */
export interface Proposal {
  readonly marketId: MarketId
  readonly outcome: 0 | 1
  readonly proposedAt: EpochMs
  /** When it stands unless challenged; null when the venue does not say. */
  readonly settlesAt: EpochMs | null
  readonly disputed: boolean
}

/** Characters of a market's rules; the rest of a longer text is left out. */
export const rulesLengthMax = 4_000

/** The words by which a market is decided: a stranger's text, cut to `rulesLengthMax`. */
export interface MarketRules {
  readonly marketId: MarketId
  readonly text: string
}
