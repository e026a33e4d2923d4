/**
 * Which markets and books have a meaningful price, and why others are rejected.
 *
 * @module
 */
import { Result } from "effect"
import { type BookFault, halfSteps, type Microstructure } from "./book.ts"
import type { Market } from "./market.ts"

/** With less volume a price is the opinion of a few people. */
export const volumeUsdMin = 10_000

/** With less depth around the mid, a few hundred dollars move the price. Inclusive. */
export const depthUsdMin = 2_500

/** With a wider spread the mid is not a usable price. Inclusive. */
export const spreadMax = 0.05

/** Why a market is rejected before its book is read. */
export type MarketRejection = "low_volume" | "mechanical" | "resolved" | "closed"

/** The checks that need no book: they choose the markets whose books are requested. */
export function screenMarket(market: Market): Result.Result<Market, MarketRejection> {
  if (market.volumeUsd < volumeUsdMin) return Result.fail("low_volume")
  if (market.mechanical !== null) return Result.fail("mechanical")
  if (market.status === "resolved" || market.status === "closed") return Result.fail(market.status)
  return Result.succeed(market)
}

/** Why a book is rejected. */
export type BookRejection = "no_book" | BookFault | "thin_book" | "wide_spread"

/** Accepts a valid book that is deep and narrow. */
export function screenBook(
  book: Result.Result<Microstructure, BookFault> | null,
): Result.Result<Microstructure, BookRejection> {
  if (book === null) return Result.fail("no_book")
  if (Result.isFailure(book)) return Result.fail(book.failure)
  const read = book.success
  if (!isDeep(read)) return Result.fail("thin_book")
  return isNarrow(read) ? Result.succeed(read) : Result.fail("wide_spread")
}

export function isDeep({ depthUsdWithin5c }: Microstructure): boolean {
  return depthUsdWithin5c.total >= depthUsdMin
}

/** Compared in half price steps, so that a float error cannot change the result. */
export function isNarrow({ spread }: Pick<Microstructure, "spread">): boolean {
  return halfSteps(spread) <= halfSteps(spreadMax)
}
