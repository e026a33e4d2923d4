/**
 * The strongest moves of the day, for the free pulse.
 *
 * @module
 */
import { Array, Order } from "effect"
import { fromHalfSteps, halfSteps, isDecidedPrice } from "../../markets/domain/book.ts"
import { slugKey } from "../../markets/domain/market.ts"
import type { FeedItem, MarketRef } from "./item.ts"

export type MoverItem = Extract<FeedItem, { type: "mover" }>

/** One row of the pulse, as on the wire; `priceNow` is the mid of now, not that of the publication. */
export type PulseMover =
  & Pick<MarketRef, "question" | "slug" | "liquidityUsd">
  & Pick<MoverItem["data"], "outcome" | "window" | "priceStart" | "priceNow" | "delta">

/**
 * The `count` strongest moves, one per market, each from the start of its item to the mid of now: the
 * largest change first, whatever the window. `mids` has the mids of now by `slugKey`. A market without one
 * is left out, and one whose price has decided it.
 */
export function strongestMoves(
  movers: ReadonlyArray<MoverItem>,
  mids: ReadonlyMap<string, number>,
  count: number,
): ReadonlyArray<PulseMover> {
  const moves = movers.flatMap(({ data }): ReadonlyArray<PulseMover> => {
    const { market: { question, slug, liquidityUsd }, outcome, window, priceStart } = data
    const priceNow = mids.get(slugKey(slug))
    if (priceNow === undefined || isDecidedPrice(priceNow)) return []
    const delta = fromHalfSteps(halfSteps(priceNow) - halfSteps(priceStart))
    return [{ question, slug, outcome, window, priceStart, priceNow, delta, liquidityUsd }]
  })
  const ranked = Array.sort(moves, largestChange)
  return Array.dedupeWith(ranked, (a, b) => slugKey(a.slug) === slugKey(b.slug)).slice(0, count)
}

const largestChange = Order.mapInput(
  Order.flip(Order.Number),
  ({ delta }: PulseMover) => Math.abs(delta),
)
