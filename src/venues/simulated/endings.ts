/**
 * How a simulated market ends: its rules, and the oracle's proposals before its payout.
 *
 * Sometimes the wrong outcome is proposed, and replaced by a second proposal.
 *
 * @module
 */
import { type EpochMs, second } from "../../core/domain/time.ts"
import { challengeWindowMs, type Proposal } from "../../markets/domain/proposal.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { WorldOptions } from "./options.ts"
import { between, mix, uniform } from "./seed.ts"
import { dateOf, rulesText, wordOf } from "./words.ts"

/** Whether the wrong outcome is proposed first, and then replaced; of rivals only the winner's. */
export function isFirstProposalWrong(
  { wrongProposalShare, wrongContestedShare }: WorldOptions,
  market: SimulatedMarket,
  payouts: readonly [number, number] | null,
): boolean {
  const lags = market.quotesLagUntil > market.revealsAt
  return market.end === "decided" && (market.rivals === 0 || payouts?.[0] === 1) &&
    uniform(mix(market.key, 90)) < (lags ? wrongContestedShare : wrongProposalShare)
}

/**
 * What the oracle's record says at `at`, without a winner as of the second outcome; null before a proposal and
 * once the market is paid out. A wrong proposal is disputed by the right one.
 */
export function proposalAt(
  options: WorldOptions,
  market: SimulatedMarket,
  payouts: readonly [number, number] | null,
  at: EpochMs,
): Proposal | null {
  const { id: marketId, key, proposedAt, resolvedAt } = market
  if (at < proposedAt || at >= resolvedAt) return null
  const wins = payouts?.[0] === 1
  const wrong = isFirstProposalWrong(options, market, payouts)
  // Mostly late in the window: until then a wrong proposal looks like a right one.
  const waits = between(mix(key, 91), 0.3, 1.05) * challengeWindowMs
  const disputedAt = proposedAt + Math.floor(waits / second) * second
  const disputed = wrong && at >= disputedAt
  const changedAt = disputed ? disputedAt : proposedAt
  return {
    ...{ marketId, outcome: wins !== (wrong && !disputed) ? 0 : 1, disputed },
    ...{ proposedAt: changedAt, settlesAt: changedAt + challengeWindowMs },
  }
}

/** A market's rules, written like a venue's. */
export function rulesOf(market: SimulatedMarket): string {
  const [first, second] = market.outcomes
  return rulesText(market.kind, {
    first,
    second,
    event: market.eventTitle,
    until: `${dateOf(market.endsAt, "minute")} UTC`,
    source: wordOf(mix(market.key, 93), "resolutionSources"),
  })
}
