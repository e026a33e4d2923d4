/**
 * Which markets and books are good enough for their price to mean something, and why others are not.
 *
 * @module
 */
import { Result } from "effect"
import { type BookFault, halfSteps, type Microstructure } from "./book.ts"
import type { Market } from "./market.ts"

/** Below it a price is a few people's opinion. */
export const volumeUsdMin = 10_000

/** Less depth than this around the mid, and a few hundred dollars make the move. Inclusive. */
export const depthUsdMin = 2_500

/** A wider market has no price worth the name. Inclusive. */
export const spreadMax = 0.05

/** Why a market's price means nothing, whatever its book. */
export type MarketRejection = "low_volume" | "mechanical" | "resolved" | "closed"

/** The gates that need no book, for choosing the few markets whose books are worth asking for. */
export function screenMarket(market: Market): Result.Result<Market, MarketRejection> {
  if (market.volumeUsd < volumeUsdMin) return Result.fail("low_volume")
  if (market.mechanical !== null) return Result.fail("mechanical")
  if (market.status === "resolved" || market.status === "closed") return Result.fail(market.status)
  return Result.succeed(market)
}

/** Why a book's price means nothing. */
export type BookRejection = "no_book" | BookFault | "thin_book" | "wide_spread"

/** The gates of a book: it is there, it is valid, it is deep and it is narrow. */
export function screenBook(
  book: Result.Result<Microstructure, BookFault> | null,
): Result.Result<Microstructure, BookRejection> {
  if (book === null) return Result.fail("no_book")
  if (Result.isFailure(book)) return Result.fail(book.failure)
  const shown = book.success
  if (!isDeep(shown)) return Result.fail("thin_book")
  return isNarrow(shown) ? Result.succeed(shown) : Result.fail("wide_spread")
}

export function isDeep({ depthUsdWithin5c }: Microstructure): boolean {
  return depthUsdWithin5c.total >= depthUsdMin
}

/** Compared in half price steps: no float error opens or shuts the gate. */
export function isNarrow({ spread }: Microstructure): boolean {
  return halfSteps(spread) <= halfSteps(spreadMax)
}
