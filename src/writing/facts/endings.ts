/**
 * Facts about when a market pays. A kick-off and a listing's date are no end: the payout follows them.
 *
 * @module
 */
import type {
  ExpectedResolution,
  ResolutionBasis,
} from "../../markets/domain/expectedResolution.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { phrase, type Statement } from "../domain/statement.ts"
import {
  type About,
  count,
  duration,
  factOf,
  type NewFact,
  rate,
  rounded,
  time,
  word,
} from "./fact.ts"

/** The closed markets that the expectation was measured on (`markets/domain/expectedResolution.ts`). */
const measured: Readonly<Partial<Record<ResolutionBasis, readonly [number, string]>>> = {
  game_start: [4_404, "closed market of a game"],
  end_date: [11_668, "closed market"],
  price: [11_668, "closed market"],
}

/** The dates of a listing. */
interface Schedule {
  readonly endsAt: EpochMs | null
  readonly gameStartsAt: EpochMs | null
}

/** `Kick-off is at 06:30 UTC; the payout is expected about 11:54 UTC (75% within 24 hours).` */
export function payoutFact(
  about: About,
  { gameStartsAt, endsAt }: Schedule,
  expected: ExpectedResolution,
  now: EpochMs,
): NewFact {
  const payout = phrase`payout is expected about ${time("payoutAt", expected.at, now)} (${
    chance(expected.probability24h)
  } within ${duration("horizon", day)})`
  const ofProposal = expected.basis === "proposal" || expected.basis === "dispute"
  const before: Statement | null = ofProposal
    ? null
    : gameStartsAt !== null
    ? phrase`${gameStartsAt > now ? "Kick-off is" : "Kick-off was"} at ${
      time("startsAt", gameStartsAt, now)
    }`
    : endsAt !== null
    ? phrase`${endsAt > now ? "The listed date is" : "The listed date was"} ${
      time("endsAt", endsAt, now)
    }`
    : null
  const own = before === null ? phrase`The ${payout}.` : phrase`${before}; the ${payout}.`
  return factOf("upcoming", about.slug, own)
}

/** To a percent; a chance near 0 or 1 is never stated as none or sure. */
function chance(probability: number): Statement {
  const percent = Math.round(probability * 100) / 100
  return percent <= 0
    ? phrase`under ${rate("within24h", 0.01)}`
    : percent >= 1
    ? phrase`over ${rate("within24h", 0.99)}`
    : rate("within24h", percent)
}

/** What the expectation rests on; null for a proposal, which has its own record. */
export function payoutBasisFact(about: About, { basis }: ExpectedResolution): NewFact | null {
  const found = measured[basis]
  if (found === undefined) return null
  const [markets, noun] = found
  return factOf(
    "record",
    about.slug,
    phrase`That time is the median of ${
      count("reference", markets, noun, noun.replace("market", "markets"))
    }.`,
  )
}

/** Neither an end, a game nor a proposal is known. */
export function noEndFact(about: About): NewFact {
  return factOf("upcoming", about.slug, phrase`The venue lists no date for its end.`)
}

export function endedFact(about: About, status: "resolved" | "closed"): NewFact {
  return factOf(
    "resolution",
    about.slug,
    status === "resolved"
      ? phrase`The venue has resolved this market.`
      : phrase`The venue takes no more orders in this market.`,
  )
}

/** Until when a text is valid, and what ends that before. */
export interface Validity {
  /** When it ends, and what happens then as the end of a sentence; absent where only `flip` ends it. */
  readonly until?: EpochMs
  readonly why?: string
  /** What would change the text before, as the end of a sentence after "until", and the price for it. */
  readonly flip: string
  readonly level?: number | null
}

export function validFact(
  about: About,
  { until, why = "", flip, level = null }: Validity,
  now: EpochMs,
): NewFact {
  const at = level === null ? phrase`` : phrase` at ${rounded("level", level)}`
  const end = phrase`until ${word("flip", flip)}${at}`
  return factOf(
    "upcoming",
    about.slug,
    until === undefined
      ? phrase`Valid ${end}.`
      : phrase`Valid until ${time("validUntil", until, now)}, ${word("why", why)}, or ${end}.`,
  )
}

/** The cheapest way to learn whether something changed. */
export function nextCallFact(about: About): NewFact {
  return factOf(
    "upcoming",
    about.slug,
    phrase`The cheapest next call is ${
      word("call", "the feed index")
    }, free: it says whether the feed has a newer item.`,
  )
}
