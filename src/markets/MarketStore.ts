/**
 * The port to the memory of markets: what the venue last said of each, and each one's mid series.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { Market, MarketId, SeriesPoint } from "./domain/market.ts"
import type { EndingMarket, ResolvingQuery } from "./domain/resolving.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** The mid of one market at one tick. */
export interface MidPoint {
  readonly marketId: MarketId
  readonly at: EpochMs
  readonly mid: number
}

/** A market that may be traded in, and its newest mid of a range. */
interface PricedMarket {
  readonly market: Market
  readonly price: SeriesPoint
}

export class MarketStore extends Context.Service<MarketStore, {
  /** Keeps the newest word on each market (by id). Any number of rows; batched inside. */
  readonly save: (markets: ReadonlyArray<Market>, seenAt: EpochMs) => Effect.Effect<void>
  readonly bySlug: (slug: string) => Effect.Effect<Option.Option<Market>>
  /** Those of these markets that are held. One query for all. */
  readonly byIds: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyMap<MarketId, Market>>
  /**
   * Open and proposed markets of the event with this slug, by slug, at most `limit`. What the venue
   * has stopped listing since is among them.
   */
  readonly liveOfEvent: (
    eventSlug: string,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Market>>
  /**
   * Open and proposed markets that end within the query's hours and have its liquidity, without
   * mechanical noise unless it asks for it: the nearest end first, at most `candidatesMax`.
   */
  readonly endingWithin: (
    query: ResolvingQuery,
    now: EpochMs,
  ) => Effect.Effect<ReadonlyArray<EndingMarket>>
  /** Open and proposed markets that are no mechanical noise, the most liquid first, at most `limit`. */
  readonly mostLiquid: (limit: number) => Effect.Effect<ReadonlyArray<Market>>
  readonly count: Effect.Effect<number>
  /** Markets with a mid at or after the beginning of the hour that `since` falls in. */
  readonly watched: (since: EpochMs) => Effect.Effect<number>
  /** Adds points to the series; a point at a time already held replaces it. Any number; batched inside. */
  readonly appendMids: (points: ReadonlyArray<MidPoint>) => Effect.Effect<void>
  /**
   * For each market that has one: its last point in `[notBefore, atOrBefore]`. One query for all.
   */
  readonly lastMids: (
    marketIds: ReadonlyArray<MarketId>,
    range: { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs },
  ) => Effect.Effect<ReadonlyMap<MarketId, SeriesPoint>>
  /**
   * Open and proposed markets with a mid in `[notBefore, atOrBefore]`, each with its last there: the
   * most liquid first, ties by id, at most `limit`. One query for all.
   */
  readonly recentlyPriced: (
    range: { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs },
    limit: number,
  ) => Effect.Effect<ReadonlyArray<PricedMarket>>
  /** One market's points in `[from, to]`, ascending by time. */
  readonly series: (
    marketId: MarketId,
    range: { readonly from: EpochMs; readonly to: EpochMs },
  ) => Effect.Effect<ReadonlyArray<SeriesPoint>>
  /** Of these markets, the ones whose series was never seeded from the venue's history. */
  readonly unseeded: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyArray<MarketId>>
  /** Remembers that a market's series was seeded (or that the venue had nothing to seed it with). */
  readonly markSeeded: (marketIds: ReadonlyArray<MarketId>, at: EpochMs) => Effect.Effect<void>
  /**
   * Forgets points before `before`, by whole hours: the points of the hour it falls in stay. Returns
   * how many rows went.
   */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/markets/MarketStore") {}
