/**
 * The oracle's record of a simulated market before it has ended: the outcome is put forward, now and
 * then the wrong one, and then it is challenged and put right.
 *
 * @module
 */
import { day, type EpochMs, hour, minute, second } from "../../core/domain/time.ts"
import { type Ending, toldAt } from "./endings.ts"
import type { SimulatedMarket } from "./lives.ts"
import { between, mix, uniform } from "./seed.ts"

interface ProposalOptions {
  /** Share of decided ordinary and sports markets at which the other outcome is proposed first. */
  readonly wrongProposalShare: number
}

export interface ProposalRecord {
  readonly status: "proposed" | "challenged" | "reproposed" | "disputed"
  /** What a share of the first outcome would pay by the first proposal, and by the second if any. */
  readonly first: number
  readonly second: number | null
  /** The record's last change. */
  readonly changedAt: EpochMs
  readonly settlesAt: EpochMs | null
}

/** An unchallenged proposal may be settled after so long. */
const windowMs = 2 * hour

/** Decided against what was proposed, or first told so and corrected later. */
export function isWrong(
  { wrongProposalShare }: ProposalOptions,
  market: SimulatedMarket,
  ending: Ending,
): boolean {
  return market.kind !== "mechanical" && market.end === "decided" &&
    (ending.settledAt > ending.toldAt || uniform(mix(market.key, 90)) < wrongProposalShare)
}

/** The record at `at`; null before a proposal and once the market is told to have ended. */
export function proposalAt(
  options: ProposalOptions,
  market: SimulatedMarket,
  ending: Ending,
  payouts: readonly [number, number] | null,
  at: EpochMs,
): ProposalRecord | null {
  const { key, proposedAt, resolvedAt } = market
  if (at < proposedAt || toldAt(ending, payouts, at) !== undefined) return null
  const truth = payouts?.[0] ?? 0.5
  const wrong = isWrong(options, market, ending)
  const corrected = ending.settledAt > ending.toldAt
  const whole = (ms: number) => Math.floor(ms / second) * second
  // Most challenges come late in the window: until then nothing shows that the outcome is wrong.
  const challengedAt = whole(proposedAt + between(mix(key, 91), 0.3, 0.98) * windowMs)
  const reproposedAt = whole(challengedAt + between(mix(key, 92), 5, 40) * minute)
  const first = wrong ? 1 - truth : truth
  if (!wrong || corrected || at < challengedAt) {
    return at >= resolvedAt
      ? {
        status: "disputed",
        first,
        second: null,
        changedAt: resolvedAt,
        settlesAt: roundAfter(at),
      }
      : {
        status: "proposed",
        first,
        second: null,
        changedAt: proposedAt,
        settlesAt: proposedAt + windowMs,
      }
  }
  return at < reproposedAt
    ? { status: "challenged", first, second: null, changedAt: challengedAt, settlesAt: null }
    : {
      status: "reproposed",
      first,
      second: truth,
      changedAt: reproposedAt,
      settlesAt: reproposedAt + windowMs,
    }
}

/** Disputes are voted on in rounds that end at midnight. */
function roundAfter(at: EpochMs): EpochMs {
  return Math.ceil((at + 2 * day) / day) * day
}
