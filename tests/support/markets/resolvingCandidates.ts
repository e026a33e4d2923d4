/**
 * The markets that `MarketStore.resolvingCandidates` must return, computed without a store.
 *
 * @module
 */
import type { Market } from "../../../src/markets/domain/market.ts"
import {
  candidatesPerGroupMax,
  overdueMsMax,
  type ResolvingQuery,
} from "../../../src/markets/domain/resolving.ts"
import { type EpochMs, hour } from "../../../src/core/domain/time.ts"

/** The schedule of the hours ahead, the passed schedule, and the proposed outcomes; each once. */
export function resolvingCandidates(
  markets: ReadonlyArray<Market>,
  query: ResolvingQuery,
  now: EpochMs,
): ReadonlyArray<Market> {
  const live = markets.filter((market) => matches(market, query))
  const scheduled = live
    .flatMap((market) => {
      const at = market.gameStartsAt ?? market.endsAt
      return at === null ? [] : [{ market, at }]
    })
    .toSorted((a, b) => a.at - b.at || bySlug(a.market, b.market))
  const ahead = scheduled.filter(({ at }) => at > now && at <= now + query.withinHours * hour)
  const passed = scheduled.filter(({ at }) => at <= now && at > now - overdueMsMax)
    .toSorted((a, b) => b.at - a.at || bySlug(a.market, b.market))
  const proposed = live.filter(({ status }) => status === "proposed")
    .toSorted((a, b) => b.liquidityUsd - a.liquidityUsd || bySlug(a, b))
  const groups = [ahead.map(({ market }) => market), passed.map(({ market }) => market), proposed]
  return [...new Set(groups.flatMap((group) => group.slice(0, candidatesPerGroupMax)))]
}

const bySlug = (a: Market, b: Market): number => a.slug < b.slug ? -1 : 1

function matches(market: Market, query: ResolvingQuery): boolean {
  const { liquidityUsd, mechanical, status } = market
  return (status === "open" || status === "proposed") &&
    liquidityUsd >= query.minLiquidity &&
    (query.includeNoise || mechanical === null)
}
