/**
 * How a simulated market ends: its rules, the oracle's proposals before its end, and the payouts that
 * the venue publishes afterwards.
 *
 * Some payouts are published late, a few are corrected later, and some are never published by the
 * oracle. Sometimes the wrong outcome is proposed, challenged, and replaced by a second proposal.
 *
 * @module
 */
import { day, type EpochMs, hour, isoTime, minute, second } from "../../core/domain/time.ts"
import type { ResolutionSource } from "../../markets/domain/resolution.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { WorldOptions } from "./options.ts"
import { between, mix, pick, uniform } from "./seed.ts"
import { rulesText, wordOf } from "./words.ts"

/** The longest time from a market's end until its payout is final. */
export const settlementMsMax = 8 * day

export interface Ending {
  /** When a payout is first published. */
  readonly publishedAt: EpochMs
  /** When the payout is final: when it is corrected, or else `publishedAt`. */
  readonly settledAt: EpochMs
  /** The first source that publishes the payout, in the order in which the adapter reads them. */
  readonly source: ResolutionSource
}

export function endingOf(options: WorldOptions, market: SimulatedMarket): Ending {
  const { key, resolvedAt } = market
  if (market.kind === "mechanical" || market.end !== "decided") {
    return { publishedAt: resolvedAt, settledAt: resolvedAt, source: "oracle" }
  }
  const wholeSecond = (ms: number) => Math.floor(ms / second) * second
  const late = uniform(mix(key, 80)) < options.lateShare
  const publishedAt = late
    ? wholeSecond(resolvedAt + between(mix(key, 81), 1, 5) * day)
    : resolvedAt
  const corrected = uniform(mix(key, 82)) < options.correctedShare
  const silent = uniform(mix(key, 84)) < options.unpublishedShare
  return {
    publishedAt,
    settledAt: corrected
      ? wholeSecond(publishedAt + between(mix(key, 83), 6, 72) * hour)
      : publishedAt,
    source: silent ? pick(mix(key, 86), ["listing", "book"]) : "oracle",
  }
}

/** The payouts of a push (a market that neither outcome won): mostly half each. */
export function pushPayouts(market: SimulatedMarket): readonly [number, number] {
  const draw = uniform(mix(market.key, 85))
  return draw < 0.7 ? [0.5, 0.5] : draw < 0.85 ? [0.25, 0.75] : [0.75, 0.25]
}

/** The payouts published at `at`: null for a cancelled market, undefined before they are published. */
export function publishedPayouts(
  ending: Ending,
  payouts: readonly [number, number] | null,
  at: EpochMs,
): readonly [number, number] | null | undefined {
  if (at < ending.publishedAt) return undefined
  return at < ending.settledAt && payouts !== null ? [payouts[1], payouts[0]] : payouts
}

export interface ProposalRecord {
  readonly status: "proposed" | "challenged" | "reproposed" | "disputed"
  /** Proposed payout of a share of the first outcome: by the first proposal, and by the second. */
  readonly first: number
  readonly second: number | null
  /** The record's last change. */
  readonly changedAt: EpochMs
  readonly settlesAt: EpochMs | null
}

/** A proposal that is not challenged for this long may be settled. */
const challengeWindowMs = 2 * hour

/** Whether the wrong outcome is proposed first, and then replaced, or published and corrected later. */
export function isFirstProposalWrong(
  { wrongProposalShare, wrongContestedShare }: WorldOptions,
  market: SimulatedMarket,
  ending: Ending,
): boolean {
  const lags = market.quotesLagUntil > market.revealsAt
  const share = lags ? wrongContestedShare : wrongProposalShare
  return market.kind !== "mechanical" && market.end === "decided" &&
    (ending.settledAt > ending.publishedAt || uniform(mix(market.key, 90)) < share)
}

/** The oracle's record at `at`; null before a proposal and once a payout is published. */
export function proposalAt(
  options: WorldOptions,
  market: SimulatedMarket,
  ending: Ending,
  payouts: readonly [number, number] | null,
  at: EpochMs,
): ProposalRecord | null {
  const { key, proposedAt, resolvedAt } = market
  if (at < proposedAt || publishedPayouts(ending, payouts, at) !== undefined) return null
  const truth = payouts?.[0] ?? 0.5
  const wrong = isFirstProposalWrong(options, market, ending)
  const corrected = ending.settledAt > ending.publishedAt
  const wholeSecond = (ms: number) => Math.floor(ms / second) * second
  // Most challenges come late in the window: until then a wrong proposal looks like a right one.
  const challengedAt = wholeSecond(
    proposedAt + between(mix(key, 91), 0.3, 0.98) * challengeWindowMs,
  )
  const reproposedAt = wholeSecond(challengedAt + between(mix(key, 92), 5, 40) * minute)
  const first = wrong ? 1 - truth : truth
  if (wrong && !corrected && at >= challengedAt) {
    return at < reproposedAt
      ? { status: "challenged", first, second: null, changedAt: challengedAt, settlesAt: null }
      : {
        ...{ status: "reproposed", first, second: truth },
        ...{ changedAt: reproposedAt, settlesAt: reproposedAt + challengeWindowMs },
      }
  }
  const [changedAt, settlesAt] = at >= resolvedAt
    ? [resolvedAt, roundAfter(at)]
    : [proposedAt, proposedAt + challengeWindowMs]
  const status = at >= resolvedAt ? "disputed" : "proposed"
  return { status, first, second: null, changedAt, settlesAt }
}

/** The end of a voting round on a dispute; rounds end at midnight. */
function roundAfter(at: EpochMs): EpochMs {
  return Math.ceil((at + 2 * day) / day) * day
}

/** A market's rules, written like a venue's. */
export function rulesOf(market: SimulatedMarket): string {
  const [first, second] = market.outcomes
  return rulesText(market.kind, {
    first,
    second,
    event: market.eventTitle,
    until: isoTime(market.endsAt).slice(0, 16).replace("T", " "),
    source: wordOf(mix(market.key, 93), "resolutionSources"),
  })
}
