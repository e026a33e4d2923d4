/**
 * The markets that `MarketStore.endingWithin` must return, computed without a store.
 *
 * @module
 */
import type { Market } from "../../../src/markets/domain/market.ts"
import {
  type EndingMarket,
  endingMarketsMax,
  type ResolvingQuery,
} from "../../../src/markets/domain/resolving.ts"
import { type EpochMs, hour } from "../../../src/core/domain/time.ts"

/** The markets that match a query, the nearest end first, at most `endingMarketsMax`. */
export function endingWithin(
  markets: ReadonlyArray<Market>,
  query: ResolvingQuery,
  now: EpochMs,
): ReadonlyArray<EndingMarket> {
  return markets
    .filter((market): market is EndingMarket => isEnding(market, query, now))
    .sort((a, b) => a.endsAt - b.endsAt || (a.slug < b.slug ? -1 : 1))
    .slice(0, endingMarketsMax)
}

function isEnding(market: Market, query: ResolvingQuery, now: EpochMs): boolean {
  const { endsAt, liquidityUsd, mechanical, status } = market
  return endsAt !== null && endsAt > now && endsAt <= now + query.withinHours * hour &&
    (status === "open" || status === "proposed") &&
    liquidityUsd >= query.minLiquidity &&
    (query.includeNoise || mechanical === null)
}
