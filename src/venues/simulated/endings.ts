/**
 * How a simulated market ends: its rules, and the oracle's proposals before its payout.
 *
 * Sometimes the wrong outcome is proposed, and replaced by a second proposal.
 *
 * @module
 */
import { type EpochMs, hour, second } from "../../core/domain/time.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { WorldOptions } from "./options.ts"
import { between, mix, uniform } from "./seed.ts"
import { dateOf, rulesText, wordOf } from "./words.ts"

interface ProposalRecord {
  readonly status: "proposed" | "reproposed"
  /** Proposed payout of a share of the first outcome: by the first proposal, and by the second. */
  readonly first: number
  readonly second: number | null
  /** The record's last change. */
  readonly changedAt: EpochMs
  readonly settlesAt: EpochMs
}

/** A proposal that is not challenged for this long may be settled. */
const challengeWindowMs = 2 * hour

/** Whether the wrong outcome is proposed first, and then replaced. */
export function isFirstProposalWrong(
  { wrongProposalShare, wrongContestedShare }: WorldOptions,
  market: SimulatedMarket,
): boolean {
  const lags = market.quotesLagUntil > market.revealsAt
  return market.end === "decided" &&
    uniform(mix(market.key, 90)) < (lags ? wrongContestedShare : wrongProposalShare)
}

/** The oracle's record at `at`; null before a proposal and once the market is paid out. */
export function proposalAt(
  options: WorldOptions,
  market: SimulatedMarket,
  payouts: readonly [number, number] | null,
  at: EpochMs,
): ProposalRecord | null {
  const { key, proposedAt, resolvedAt } = market
  if (at < proposedAt || at >= resolvedAt) return null
  const truth = payouts?.[0] ?? 0.5
  const wrong = isFirstProposalWrong(options, market)
  const proposed = { first: wrong ? 1 - truth : truth, second: null, changedAt: proposedAt }
  // Mostly late in the window: until then a wrong proposal looks like a right one.
  const waits = between(mix(key, 91), 0.3, 1.05) * challengeWindowMs
  const changedAt = proposedAt + Math.floor(waits / second) * second
  return !wrong || at < changedAt
    ? { ...proposed, status: "proposed", settlesAt: proposedAt + challengeWindowMs }
    : {
      ...{ status: "reproposed", first: proposed.first, second: truth },
      ...{ changedAt, settlesAt: changedAt + challengeWindowMs },
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
