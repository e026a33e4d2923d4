/**
 * Simulated activity as activity events, and computed entries in the same form as the true ones.
 *
 * @module
 */
import type { Activity, Wallet } from "../../../src/venues/simulated/wallets.ts"
import type { World } from "../../../src/venues/simulated/world.ts"
import { type ActivityEvent, numberOccurrences } from "../../../src/markets/domain/activity.ts"
import { entriesOf, type Entry, isHedge, type Position } from "../../../src/whales/domain/entry.ts"
import type { MarketId } from "../../../src/markets/domain/market.ts"
import type { EpochMs } from "../../../src/core/domain/time.ts"
import type { Episode, TradingWorld } from "../venues/strategies.ts"

export function activityOfRows(rows: ReadonlyArray<Activity>): ReadonlyArray<ActivityEvent> {
  return rows.map(({ kind, wallet, market, outcome, size, price, at, transaction }) => ({
    ...{ wallet: wallet.address, marketId: market.id, kind, size, price, at, transaction },
    tokenId: market.tokenIds[outcome],
  }))
}

/** The position of one wallet in each of its markets. */
function positionsOf(
  world: World,
  activity: ReadonlyArray<ActivityEvent>,
): ReadonlyMap<MarketId, Position> {
  const found = new Map<MarketId, Position>()
  for (
    const [marketId, inMarket] of Map.groupBy(
      numberOccurrences(activity),
      (event) => event.marketId,
    )
  ) {
    const market = world.catalogue.byId(marketId)
    if (market === undefined) throw new Error(`${marketId} is unknown`)
    found.set(marketId, entriesOf(inMarket, market.tokenIds))
  }
  return found
}

/** The fields of an entry that must equal those of the true one, to the millionth. */
function comparable(entry: Entry, hedge: boolean) {
  const { outcome, price, stakeUsd, shares, hedgedShares, fills, firstFillAt, lastFillAt } = entry
  const millionths = [price, stakeUsd, shares, hedgedShares].map((value) => Math.round(value * 1e6))
  return { outcome, hedge, fills, firstFillAt, lastFillAt, millionths }
}

export type ComparableEntry = ReturnType<typeof comparable>

/** Entries by market, for markets that ended by `until` and have entries. */
export function computedEntries(
  world: World,
  activity: ReadonlyArray<ActivityEvent>,
  until: EpochMs,
): ReadonlyMap<MarketId, ReadonlyArray<ComparableEntry>> {
  const found = [...positionsOf(world, activity)].filter(([id, { entries }]) =>
    entries.length > 0 && (world.catalogue.byId(id)?.resolvedAt ?? Infinity) <= until
  )
  return new Map(
    found.map((
      [id, { entries }],
    ) => [id, entries.map((entry) => comparable(entry, isHedge(entry)))]),
  )
}

/** The true entries of the simulation, in the same form. */
export function trueEntries(
  world: TradingWorld,
  wallet: Wallet,
  until: EpochMs,
): ReadonlyMap<MarketId, ReadonlyArray<ComparableEntry>> {
  const over = world.episodes(wallet, -Infinity, until)
    .filter(({ market }) => market.resolvedAt <= until)
  const byMarket = [...Map.groupBy(over, ({ market }: Episode) => market.id)]
  return new Map(
    byMarket.map(([id, episodes]) => [
      id,
      episodes.map((episode) => comparable(episode, episode.hedge)),
    ]),
  )
}
