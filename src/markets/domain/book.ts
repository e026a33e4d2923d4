/**
 * The order book of one token, and its microstructure.
 *
 * @module
 */
import { Result, Schema } from "effect"
import { Amount, Price } from "../../core/domain/number.ts"
import { described, text } from "../../core/domain/fields.ts"
import type { TokenId } from "./market.ts"
import { type EpochMs, IsoTime, isoTime } from "../../core/domain/time.ts"

/** One price level as the venue returned it: numeric, but neither ordered nor checked. */
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

const impactOf = (does: string) =>
  described(
    Schema.NullOr(Amount),
    `USD that ${does}; null when the book ends before, or no order is ` +
      "that near: the price would move by more",
  )

/** The cost of trading in an order book. The fields are defined at `microstructure`. */
export const Microstructure = Schema.Struct({
  /** Only on the wire: it is stored once, with the market. */
  outcome: Schema.optionalKey(
    text("Name of the outcome that this book is of"),
  ),
  bestBid: described(Price, "Highest bid, USD per share"),
  bestAsk: described(Price, "Lowest ask, USD per share"),
  mid: described(Price, "Middle of bestBid and bestAsk, USD per share"),
  spread: described(Price, "bestAsk minus bestBid, USD per share"),
  depthUsdWithin5c: Schema.Struct({
    bid: described(Amount, "Bids at most 0.05 below mid, USD"),
    ask: described(Amount, "Asks at most 0.05 above mid, USD"),
    total: described(Amount, "bid plus ask, USD"),
  }).annotate({ description: "USD of orders within 0.05 of mid: sum of price x shares" }),
  impactUsd: Schema.Struct({
    up1c: impactOf("buys every ask below mid + 0.01"),
    down1c: impactOf("sells into every bid above mid - 0.01"),
    up5c: impactOf("buys every ask below mid + 0.05"),
    down5c: impactOf("sells into every bid above mid - 0.05"),
  }).annotate({ description: "USD that moves the price by 1 or 5 cents" }),
  observedAt: described(IsoTime, "When the venue's book was read"),
}).annotate({
  identifier: "Microstructure",
  description:
    "The order book of `outcome`. For the market's other outcome the sides swap: its ask is " +
    "1 minus bestBid, its bid 1 minus bestAsk",
})
export type Microstructure = typeof Microstructure.Type

/** Why a book has no microstructure, in the order of the checks. */
const bookFaults = ["empty_side", "crossed", "ghost"] as const
export type BookFault = (typeof bookFaults)[number]

/** The venue's finest price step is 0.0001, so a mid is a whole number of half steps. */
const halfStepsPerUnit = 20_000

/** Quotes with a wider spread are placeholders such as 0.01 / 0.99, not a market. */
const ghostSpread = 0.9

/** The largest distance from the mid at which a level counts as depth. Inclusive. */
const depthReach = 0.05

/** No market has more shares; a level with more is dropped. */
const sharesMax = 1e12

/** USD on the wire has six decimals, like USDC, so that equal sums stay equal despite float errors. */
const usdDecimals = 1e6

/**
 * A price or a mid as a whole number of half price steps (0.00005), for exact comparison and
 * arithmetic.
 */
export function halfSteps(price: number): number {
  return Math.round(price * halfStepsPerUnit)
}

/** The price of `steps` half price steps, 0..1 with at most six decimals. */
export function fromHalfSteps(steps: number): number {
  return steps / halfStepsPerUnit
}

/** Whether a number is in [0, 1]; false for NaN. */
export function isPrice(value: number): boolean {
  return value >= 0 && value <= 1
}

/**
 * The cost of trading in this token now.
 *
 * Levels may come in any order; those without size or outside (0, 1) are dropped. Prices are
 * compared as whole steps of 0.0001, never as floats.
 *
 * - `mid` = (bestBid + bestAsk) / 2, `spread` = bestAsk - bestBid: exact, at most six decimals.
 * - `depthUsdWithin5c`: sum of price x size over the levels within 0.05 of mid, inclusive.
 * - `impactUsd.upK`: USD that buys every ask strictly below mid + K cents; null when no ask is at or
 *   above that price, because the book ends before it, and when none is below it. `downK` is the same for
 *   the bids.
 *
 * USD is rounded to six decimals. Gates take the book of the market's first outcome: the second outcome's
 * book mirrors it in shares, not in USD.
 */
export function microstructure(
  book: Omit<OrderBook, "tokenId">,
): Result.Result<Microstructure, BookFault> {
  const bids = validLevels(book.bids).reverse()
  const asks = validLevels(book.asks)
  const bestBid = bids[0]
  const bestAsk = asks[0]
  if (bestBid === undefined || bestAsk === undefined) return Result.fail("empty_side")
  if (bestBid.steps >= bestAsk.steps) return Result.fail("crossed")
  if (bestAsk.steps - bestBid.steps > halfSteps(ghostSpread)) return Result.fail("ghost")

  const mid = (bestBid.steps + bestAsk.steps) / 2
  const near = (level: ValidLevel) => Math.abs(level.steps - mid) <= halfSteps(depthReach)
  const bid = cost(bids.filter(near))
  const ask = cost(asks.filter(near))
  return Result.succeed({
    bestBid: fromHalfSteps(bestBid.steps),
    bestAsk: fromHalfSteps(bestAsk.steps),
    mid: fromHalfSteps(mid),
    spread: fromHalfSteps(bestAsk.steps - bestBid.steps),
    depthUsdWithin5c: { bid: usd(bid), ask: usd(ask), total: usd(bid + ask) },
    impactUsd: {
      up1c: impact(asks, ({ steps }) => steps < mid + halfSteps(0.01)),
      down1c: impact(bids, ({ steps }) => steps > mid - halfSteps(0.01)),
      up5c: impact(asks, ({ steps }) => steps < mid + halfSteps(0.05)),
      down5c: impact(bids, ({ steps }) => steps > mid - halfSteps(0.05)),
    },
    observedAt: isoTime(book.observedAt),
  })
}

/** A price at or beyond these limits already states the outcome; in half price steps. */
const decidedAt = { low: halfSteps(0.03), high: halfSteps(0.97) }

/** Compared in half price steps, so that no float error decides. */
export function isDecidedPrice(price: number): boolean {
  const steps = halfSteps(price)
  return steps <= decidedAt.low || steps >= decidedAt.high
}

/**
 * The price in a token's book: the mid of a valid book. When only bids are left, at or above 0.97, or
 * only asks, at or below 0.03, the outcome is decided and the other side is empty: then the middle
 * between the best price and 1 or 0. Null for any other book.
 */
export function bookPrice(book: OrderBook): number | null {
  const read = microstructure(book)
  if (Result.isSuccess(read)) return read.success.mid
  const bid = validLevels(book.bids).at(-1)
  const ask = validLevels(book.asks)[0]
  if ((bid === undefined) === (ask === undefined)) return null
  const steps = bid === undefined ? (ask?.steps ?? 0) / 2 : (bid.steps + halfStepsPerUnit) / 2
  const best = fromHalfSteps(bid?.steps ?? ask?.steps ?? 0)
  const isDecided = isDecidedPrice(best) && (bid !== undefined) === best > 0.5
  return isDecided ? fromHalfSteps(steps) : null
}

/**
 * The book of an outcome, from that of the market's first. A bid for the first at p is an ask for the
 * second at 1 - p, for as many shares, and back.
 */
export function bookOf(outcome: 0 | 1, book: OrderBook): Omit<OrderBook, "tokenId"> {
  if (outcome === 0) return book
  const mirrored = ({ price, size }: Level) => ({ price: 1 - price, size })
  const { bids, asks, observedAt } = book
  return { bids: asks.map(mirrored), asks: bids.map(mirrored), observedAt }
}

interface ValidLevel {
  /** The price in half price steps. */
  readonly steps: number
  /** Shares. */
  readonly size: number
}

/**
 * The valid levels, cheapest first. Each price is a whole step, an even number of half steps. Equal
 * prices are ordered by size, so that sums do not depend on the order of arrival.
 */
export function validLevels(levels: ReadonlyArray<Level>): Array<ValidLevel> {
  return levels
    .map(({ price, size }) => ({ steps: 2 * Math.round(price * halfStepsPerUnit / 2), size }))
    .filter(({ steps, size }) =>
      steps > 0 && steps < halfStepsPerUnit && size > 0 && size <= sharesMax
    )
    .sort(cheapestFirst)
}

const cheapestFirst = (a: ValidLevel, b: ValidLevel) => a.steps - b.steps || a.size - b.size

function cost(levels: ReadonlyArray<ValidLevel>): number {
  return levels.reduce((sum, { steps, size }) => sum + fromHalfSteps(steps) * size, 0)
}

/** The cost of every level before the target price; null when all levels are, or none is. */
function impact(
  levels: ReadonlyArray<ValidLevel>,
  isBeforeTarget: (level: ValidLevel) => boolean,
): number | null {
  const before = levels.filter(isBeforeTarget)
  return before.length === 0 || before.length === levels.length ? null : usd(cost(before))
}

function usd(amount: number): number {
  return Math.round(amount * usdDecimals) / usdDecimals
}
