/**
 * What is known of markets, asked by their identity, open or closed.
 *
 * @module
 */
import { Effect, Result } from "effect"
import type { MarketFacts, MarketId } from "../../markets/domain/market.ts"
import { decodeRows, merge } from "./decoded.ts"
import { decodeFacts } from "./gamma.ts"
import type { Limits } from "./limits.ts"
import { askable, byMarkets, listingRows, type Route } from "./lookup.ts"

/**
 * The listing shows either closed markets or open ones. The closed are asked for first, as most of a
 * wallet's past is in them, then the rest; one that closes in between is absent until asked again.
 */
export function facts(listing: Route, limits: Limits) {
  const read = (marketIds: ReadonlyArray<MarketId>, closed: boolean) =>
    byMarkets(marketIds, limits.factsBatch, limits, (batch) => {
      const asked = new Set(batch)
      const decode = (row: unknown): Result.Result<MarketFacts, string> =>
        Result.filterOrFail(decodeFacts(row), ({ id }) => asked.has(id), () => "unasked")
      return Effect.map(
        listingRows(listing, "facts", batch, closed),
        ({ rows }) => decodeRows(rows, decode),
      )
    })
  return Effect.fn("polymarket.facts")(function* (marketIds: ReadonlyArray<MarketId>) {
    const asked = askable(marketIds)
    const closed = yield* read(asked, true)
    const found = new Set(closed.rows.map(({ id }) => id))
    const open = yield* read(asked.filter((id) => !found.has(id)), false)
    const { rows, rejected } = merge([closed, open])
    return { rows: [...new Map(rows.map((row) => [row.id, row])).values()], rejected }
  })
}
