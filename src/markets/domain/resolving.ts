/**
 * Markets that end soon, and whether their price has converged.
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

/** Rows of one answer, the nearest ends first. Thousands of markets can end within three days. */
export const resolvingRowsMax = 200
/**
 * Markets read for one answer, the nearest ends first: twice the rows, because some stored markets were
 * decided before their scheduled end and some have no known price.
 */
export const endingMarketsMax = 2 * resolvingRowsMax
/** The first rows, which include their microstructure. */
export const microstructureRowsMax = 10
/** A mid is converged at or below `low`, and at or above `high`; in half price steps. */
const convergedAt = { low: halfSteps(0.1), high: halfSteps(0.9) }

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

const Convergence = Schema.Literals(["contested", "converged"])
type Convergence = typeof Convergence.Type

/** One market that ends soon: a wire shape. */
export const ResolvingRow = Schema.Struct({
  question: Schema.String,
  slug: Schema.String,
  eventEndDate: IsoTime,
  hoursRemaining: Amount,
  /** The mid of the first outcome. */
  yesMid: Price,
  convergence: Convergence,
  liquidityUsd: Amount,
  /** Only in the first `microstructureRowsMax` rows; null when no valid book was available. */
  microstructure: Schema.optionalKey(Schema.NullOr(MicrostructureBody)),
}).annotate({ identifier: "ResolvingMarket" })
export type ResolvingRow = typeof ResolvingRow.Type

/** A market with a known end. */
export type EndingMarket = Market & { readonly endsAt: EpochMs }

export function convergenceOf(yesMid: number): Convergence {
  const steps = halfSteps(yesMid)
  return steps <= convergedAt.low || steps >= convergedAt.high ? "converged" : "contested"
}

/** The sources of a market's current price. */
interface PriceReading {
  /** Null when the venue was unavailable. */
  readonly book: Result.Result<Microstructure, BookFault> | null
  /** The last point of its series, if it is fresh. */
  readonly lastMid: number | undefined
}

/**
 * The rows of these markets, in their order, at most `resolvingRowsMax`. The mid comes from the live
 * book, else from the market's series, else from the venue's listing. A market without any price is
 * left out.
 */
export function resolvingRows(
  markets: ReadonlyArray<EndingMarket>,
  reading: (market: EndingMarket) => PriceReading,
  now: EpochMs,
): ReadonlyArray<ResolvingRow> {
  const priced = markets.flatMap((market) => {
    const { book, lastMid } = reading(market)
    const microstructure = book !== null && Result.isSuccess(book) ? book.success : null
    const yesMid = microstructure?.mid ?? lastMid ?? listedMid(market)
    return yesMid === null ? [] : [{ market, microstructure, yesMid }]
  })
  return priced.slice(0, resolvingRowsMax).map(({ market, microstructure, yesMid }, index) => ({
    question: market.question,
    slug: market.slug,
    eventEndDate: isoTime(market.endsAt),
    hoursRemaining: Math.round((market.endsAt - now) / (hour / 100)) / 100,
    yesMid,
    convergence: convergenceOf(yesMid),
    liquidityUsd: market.liquidityUsd,
    ...(index < microstructureRowsMax ? { microstructure } : {}),
  }))
}

function listedMid({ listed }: Market): number | null {
  if (listed === null) return null
  return fromHalfSteps((halfSteps(listed.bestBid) + halfSteps(listed.bestAsk)) / 2)
}
