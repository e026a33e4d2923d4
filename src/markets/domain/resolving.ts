/**
 * Markets that end soon: which ones they are, and whether the price has made up its mind yet.
 *
 * @module
 */
import { Result, Schema } from "effect"
import {
  type BookFault,
  fromHalfSteps,
  halfSteps,
  type Microstructure,
  Microstructure as MicrostructureBody,
} from "./book.ts"
import type { Market } from "./market.ts"
import { type EpochMs, hour, IsoTime, isoTime } from "../../core/domain/time.ts"

export interface ResolvingQuery {
  /** 1..72. */
  readonly withinHours: number
  /** USD; at least 1,000. */
  readonly minLiquidity: number
  /** Whether mechanical short-interval markets count too. */
  readonly includeNoise: boolean
}

/** Rows of one answer: the nearest ends. Three days of a busy venue have thousands. */
export const resolvingRowsMax = 200
/**
 * Markets that are looked at for one answer, the nearest: twice as many as it shows, as memory also
 * holds some that were decided before their scheduled end, and some of which no price is known.
 */
export const candidatesMax = 2 * resolvingRowsMax
/** Rows, the nearest, that show their microstructure. */
export const microstructureRowsMax = 10
/** At or beyond these the price has made up its mind. */
const convergedAt = { low: halfSteps(0.1), high: halfSteps(0.9) }

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Convergence = Schema.Literals(["contested", "converged"])
type Convergence = typeof Convergence.Type

/** One market that ends soon, as it is on the wire. */
export const ResolvingRow = Schema.Struct({
  question: Schema.String,
  slug: Schema.String,
  eventEndDate: IsoTime,
  hoursRemaining: Amount,
  /** The mid of the first outcome. */
  yesMid: Price,
  convergence: Convergence,
  liquidityUsd: Amount,
  /** On the nearest ten; null when no sound book could be had. */
  microstructure: Schema.optionalKey(Schema.NullOr(MicrostructureBody)),
}).annotate({ identifier: "ResolvingMarket" })
export type ResolvingRow = typeof ResolvingRow.Type

/** A market with a known end. */
export type EndingMarket = Market & { readonly endsAt: EpochMs }

export function convergenceOf(yesMid: number): Convergence {
  const at = halfSteps(yesMid)
  return at <= convergedAt.low || at >= convergedAt.high ? "converged" : "contested"
}

/** What could be learnt of a market's price just now. */
interface PriceReading {
  /** Null when the venue could not be asked. */
  readonly book: Result.Result<Microstructure, BookFault> | null
  /** The last point of its own series, where that is fresh. */
  readonly lastMid: number | undefined
}

/**
 * The rows of these markets, in their order, at most `resolvingRowsMax`. A market nobody knows a price of is left out: whether it
 * is contested could not be said. The mid comes from the live book, else from the market's own series,
 * else from the venue's listing.
 */
export function resolvingRows(
  markets: ReadonlyArray<EndingMarket>,
  reading: (market: EndingMarket) => PriceReading,
  now: EpochMs,
): ReadonlyArray<ResolvingRow> {
  const priced = markets.flatMap((market) => {
    const { book, lastMid } = reading(market)
    const shown = book !== null && Result.isSuccess(book) ? book.success : null
    const yesMid = shown?.mid ?? lastMid ?? listedMid(market)
    return yesMid === null ? [] : [{ market, shown, yesMid }]
  })
  return priced.slice(0, resolvingRowsMax).map(({ market, shown, yesMid }, place) => ({
    question: market.question,
    slug: market.slug,
    eventEndDate: isoTime(market.endsAt),
    hoursRemaining: Math.round((market.endsAt - now) / (hour / 100)) / 100,
    yesMid,
    convergence: convergenceOf(yesMid),
    liquidityUsd: market.liquidityUsd,
    ...(place < microstructureRowsMax ? { microstructure: shown } : {}),
  }))
}

function listedMid({ listed }: Market): number | null {
  if (listed === null) return null
  return fromHalfSteps((halfSteps(listed.bestBid) + halfSteps(listed.bestAsk)) / 2)
}
