/**
 * How often published contested proposals were upheld: the proposed outcome was paid in full.
 *
 * @module
 */
import type { ProposalRecord } from "../../feed/domain/item.ts"
import { roundRate, winRateOf } from "../../whales/domain/oddsBands.ts"

/** Contested proposals by verdict. */
interface CountedProposals {
  readonly contested?: {
    readonly correct?: number
    readonly wrong?: number
    readonly uneven?: number
    readonly cancelled?: number
  }
}

/**
 * With Wilson's 95 % interval. A split payout and a cancelled market count as not upheld,
 * because the proposed outcome was not paid in full. Null before the first one was judged.
 */
export function proposalRecord({ contested = {} }: CountedProposals): ProposalRecord | null {
  const { correct = 0, wrong = 0, uneven = 0, cancelled = 0 } = contested
  const proposals = correct + wrong + uneven + cancelled
  if (proposals === 0) return null
  const { winRate, winRateLow, winRateHigh } = winRateOf({ wins: correct, decisive: proposals })
  return {
    proposals,
    upheld: correct,
    upheldRate: roundRate(winRate),
    upheldRateLow: roundRate(winRateLow),
    upheldRateHigh: roundRate(winRateHigh),
  }
}
