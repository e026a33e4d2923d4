/**
 * The order book of one token, and the microstructure it shows.
 *
 * @module
 */
import { Result, Schema } from "effect"
import type { TokenId } from "./market.ts"
import { type EpochMs, IsoTime, isoTime } from "../../core/domain/time.ts"

/** One price level as the venue gave it, already numeric; order and soundness are not promised. */
export interface Level {
  readonly price: number
  /** Shares. */
  readonly size: number
}

export interface OrderBook {
  readonly tokenId: TokenId
  readonly bids: ReadonlyArray<Level>
  readonly asks: ReadonlyArray<Level>
  readonly observedAt: EpochMs
}

const UsdAmount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** What an order book says about trading in it. Definitions at `microstructure`. */
export const Microstructure = Schema.Struct({
  bestBid: Price,
  bestAsk: Price,
  mid: Price,
  spread: Price,
  depthUsdWithin5c: Schema.Struct({ bid: UsdAmount, ask: UsdAmount, total: UsdAmount }),
  impactUsd: Schema.Struct({
    up1c: Schema.NullOr(UsdAmount),
    down1c: Schema.NullOr(UsdAmount),
    up5c: Schema.NullOr(UsdAmount),
    down5c: Schema.NullOr(UsdAmount),
  }),
  observedAt: IsoTime,
}).annotate({
  identifier: "Microstructure",
  description: "The order book of the market's first outcome, whichever outcome is spoken of; a " +
    "price of the second is 1 less one of the first. An impact is null where the book ends before it",
})
export type Microstructure = typeof Microstructure.Type

/** Why a book has no microstructure, in the order they are looked for. */
const bookFaults = ["empty_side", "crossed", "ghost"] as const
export type BookFault = (typeof bookFaults)[number]

/** The venue's finest price step is 0.0001, so a mid is a whole number of half steps. */
const halfStepsPerUnit = 20_000

/** Beyond this spread the quotes are placeholders such as 0.01 / 0.99, not a market. */
const ghostSpread = 0.9

/** How far from the mid a level still counts as depth, inclusive. */
const depthReach = 0.05

/** More shares than any market has: a level that claims them is a broken row. */
const sharesMax = 1e12

/** USD on the wire has six decimals, as USDC has: float sums that ought to be equal become equal. */
const usdDecimals = 1e6

/**
 * A price or a mid as a whole number of half price steps (0.00005), so that comparing, adding and
 * subtracting prices is exact.
 */
export function halfSteps(price: number): number {
  return Math.round(price * halfStepsPerUnit)
}

/** The price, 0..1 with at most six decimals, that `steps` half price steps spell. */
export function fromHalfSteps(steps: number): number {
  return steps / halfStepsPerUnit
}

/** Whether a number can be a price at all; false for NaN. */
export function isPrice(value: number): boolean {
  return value >= 0 && value <= 1
}

/**
 * What trading in this token costs now.
 *
 * Levels may come in any order; those without size or outside (0, 1) are dropped. Prices are
 * compared in whole steps of 0.0001, never as floats.
 *
 * - `mid` = (bestBid + bestAsk) / 2, `spread` = bestAsk - bestBid: exact, at most six decimals.
 * - `depthUsdWithin5c`: sum of price x size over the levels within 0.05 of mid, inclusive.
 * - `impactUsd.upK`: USD that lifts every ask strictly below mid + K cents; null when no ask stands
 *   at or above it, for then the book ends before the move. `downK` mirrors it on the bids.
 *
 * USD is rounded to six decimals. The complementary token's book mirrors in shares, not in USD:
 * always pass the book of the market's first outcome.
 */
export function microstructure(book: OrderBook): Result.Result<Microstructure, BookFault> {
  const bids = ladder(book.bids).reverse()
  const asks = ladder(book.asks)
  const bestBid = bids[0]
  const bestAsk = asks[0]
  if (bestBid === undefined || bestAsk === undefined) return Result.fail("empty_side")
  if (bestBid.at >= bestAsk.at) return Result.fail("crossed")
  if (bestAsk.at - bestBid.at > halfSteps(ghostSpread)) return Result.fail("ghost")

  const mid = (bestBid.at + bestAsk.at) / 2
  const near = (rung: Rung) => Math.abs(rung.at - mid) <= halfSteps(depthReach)
  const bid = cost(bids.filter(near))
  const ask = cost(asks.filter(near))
  return Result.succeed({
    bestBid: fromHalfSteps(bestBid.at),
    bestAsk: fromHalfSteps(bestAsk.at),
    mid: fromHalfSteps(mid),
    spread: fromHalfSteps(bestAsk.at - bestBid.at),
    depthUsdWithin5c: { bid: usd(bid), ask: usd(ask), total: usd(bid + ask) },
    impactUsd: {
      up1c: impact(asks, (rung) => rung.at < mid + halfSteps(0.01)),
      down1c: impact(bids, (rung) => rung.at > mid - halfSteps(0.01)),
      up5c: impact(asks, (rung) => rung.at < mid + halfSteps(0.05)),
      down5c: impact(bids, (rung) => rung.at > mid - halfSteps(0.05)),
    },
    observedAt: isoTime(book.observedAt),
  })
}

/** A sound level: its price in half price steps, and its shares. */
interface Rung {
  readonly at: number
  readonly size: number
}

/**
 * The sound levels, cheapest first. Each price is a whole step, an even number of half steps. Equal
 * prices are ordered by size, so that sums do not depend on the order of arrival.
 */
function ladder(levels: ReadonlyArray<Level>): Array<Rung> {
  return levels
    .map(({ price, size }) => ({ at: 2 * Math.round(price * halfStepsPerUnit / 2), size }))
    .filter(({ at, size }) => at > 0 && at < halfStepsPerUnit && size > 0 && size <= sharesMax)
    .sort((a, b) => a.at - b.at || a.size - b.size)
}

function cost(rungs: ReadonlyArray<Rung>): number {
  return rungs.reduce((sum, { at, size }) => sum + fromHalfSteps(at) * size, 0)
}

/** USD that takes every rung `inTheWay`; null when nothing stands behind them. */
function impact(rungs: ReadonlyArray<Rung>, inTheWay: (rung: Rung) => boolean): number | null {
  return rungs.every(inTheWay) ? null : usd(cost(rungs.filter(inTheWay)))
}

function usd(amount: number): number {
  return Math.round(amount * usdDecimals) / usdDecimals
}
