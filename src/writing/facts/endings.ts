/**
 * Facts about when a market pays. A kick-off and a listing's date are no end: the payout follows them.
 *
 * @module
 */
import type {
  ExpectedResolution,
  ResolutionBasis,
} from "../../markets/domain/expectedResolution.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { joined, phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  count,
  duration,
  factOf,
  nearTime,
  type NewFact,
  rate,
  rounded,
  time,
  titleOf,
  word,
} from "./fact.ts"
import { disputeMedianMs } from "./proposals.ts"
import { isDisputable, type MarketView } from "./view.ts"

/** The closed markets that the expectation was measured on (`markets/domain/expectedResolution.ts`). */
const measured: Readonly<Partial<Record<ResolutionBasis, readonly [number, string]>>> = {
  game_start: [4_404, "closed game market"],
  end_date: [11_668, "closed market"],
  price: [11_668, "closed market"],
}

/** Further away the record of payouts says nothing, and a smaller chance within a day is none. */
const farMs = 3 * day
const chanceMin = 0.01

/** `Kick-off is at 06:30 UTC; payout is expected about 11:54 UTC (75% chance within 24 hours, as in 4,404 closed game markets).` */
export function payoutFact(
  about: About,
  view: Pick<MarketView, "market" | "now" | "proposal" | "quote">,
  expected: ExpectedResolution,
): NewFact {
  const { market: { gameStartsAt, status }, now, proposal } = view
  if (isDisputable(view)) {
    return factOf(
      "upcoming",
      about.slug,
      phrase`If it is not disputed, payout is expected about ${
        nearTime("payoutAt", expected.at, now)
      }; a dispute takes ${duration("median", disputeMedianMs)} in the median.`,
    )
  }
  const found = measured[expected.basis]
  const known = expected.at - now > farMs ? [] : [
    ...expected.probability24h < chanceMin
      ? []
      : [phrase`${chance(expected.probability24h)} chance within ${duration("horizon", day)}`],
    ...found === undefined ? [] : [phrase`as in ${count("reference", found[0], found[1])}`],
  ]
  const soon = known.length === 0 ? phrase`` : phrase` (${joined(known, ", ")})`
  const at = phrase`is expected about ${nearTime("payoutAt", expected.at, now)}${soon}`
  const isProposed = proposal !== null || status === "proposed"
  const before: Statement | null = isProposed
    ? null
    : gameStartsAt !== null
    ? phrase`${gameStartsAt > now ? "Kick-off is" : "Kick-off was"} at ${
      time("startsAt", gameStartsAt, now)
    }`
    : null
  const own = before === null ? phrase`Payout ${at}` : phrase`${before}; payout ${at}`
  return factOf(
    "upcoming",
    about.slug,
    phrase`${own}${delayOf(isProposed, proposal, expected.at - now)}.`,
  )
}

/** Why a market with a proposal is not paid at the end of its window, where that is known. */
function delayOf(isProposed: boolean, proposal: Proposal | null, leftMs: number): Statement {
  if (!isProposed) return phrase``
  if (proposal === null) return phrase`; a dispute, which could not be read, would take days`
  if (proposal.disputed) return phrase`; a vote on a dispute takes days`
  return leftMs < day ? phrase`` : phrase`; a proposal not paid an hour after its window takes days`
}

/** To a percent; a chance near 1 is never stated as sure. */
function chance(probability: number): Statement {
  const percent = Math.round(probability * 100) / 100
  return percent >= 1 ? phrase`over ${rate("within24h", 0.99)}` : rate("within24h", percent)
}

/** Neither an end, a game nor a proposal is known. */
export function noEndFact(about: About): NewFact {
  return factOf("upcoming", about.slug, phrase`The venue lists no date for its end.`)
}

export function endedFact(about: About, isResolved: boolean): NewFact {
  const state = isResolved ? "has resolved it" : "takes no more orders"
  return factOf(
    "resolution",
    about.slug,
    phrase`No trade in ${titleOf(about)}: the venue ${state}, and its prices are from before that.`,
  )
}

/** Until when a text is valid, and what ends that before. */
interface Validity {
  /** When it ends, and what happens then as the end of a sentence; absent where only `flip` ends it. */
  readonly until?: EpochMs
  readonly why?: string
  /** What would change the text before, as the end of a sentence after "until", and the price for it. */
  readonly flip: string
  readonly level?: number | null
  /** The highest price that the stated number pays; null for no trade. */
  readonly limit?: number | null
  /** In place of "Valid": what to do where nothing is bought. */
  readonly verdict?: "Valid" | "Watch"
}

export function validFact(
  about: About,
  { until, why = "", flip, level = null, limit = null, verdict = "Valid" }: Validity,
  now: EpochMs,
): NewFact {
  const at = level === null ? phrase`` : phrase` at ${rounded("level", level)}`
  const passed = limit === null
    ? phrase``
    : phrase`the price passes our limit at ${rounded("limit", limit)}, or `
  const end = phrase`until ${passed}${word("flip", flip)}${at}`
  return factOf(
    "upcoming",
    about.slug,
    until === undefined
      ? phrase`${verdict} ${end}.`
      : phrase`${verdict} until ${time("validUntil", until, now)}${
        why === "" ? phrase`` : phrase` (${word("why", why)})`
      }, or ${end}.`,
  )
}
