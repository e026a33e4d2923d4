/**
 * The store of markets: the newest listing of each market, and its mid series.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { Market, MarketId, SeriesPoint } from "./domain/market.ts"
import type { ResolvingQuery } from "./domain/resolving.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** The mid of one market at one tick. */
export interface MidPoint {
  readonly marketId: MarketId
  readonly at: EpochMs
  readonly mid: number
}

/** An open or proposed market, and its newest mid in a time range. */
interface PricedMarket {
  readonly market: Market
  readonly price: SeriesPoint
}

export class MarketStore extends Context.Service<MarketStore, {
  /** Stores the newest listing of each market, by id. Accepts any number of rows. */
  readonly save: (markets: ReadonlyArray<Market>, seenAt: EpochMs) => Effect.Effect<void>
  /**
   * Without regard to case; also by a slug that the market had before. Of several, the one in this very
   * spelling, then one that still has the slug, else the newest listing.
   */
  readonly bySlug: (slug: string) => Effect.Effect<Option.Option<Market>>
  /** The stored markets with these ids, in one query. */
  readonly byIds: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyMap<MarketId, Market>>
  /**
   * Open and proposed markets of the event with this slug, without regard to case: ordered by slug, at
   * most `limit`. Includes markets that the venue no longer lists.
   */
  readonly liveOfEvent: (
    eventSlug: string,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Market>>
  /**
   * Open and proposed markets that may resolve within the query's hours and have its liquidity, in any
   * order: those whose schedule (a game's start, else the end) is within the hours or passed less than
   * `overdueMsMax` ago, and those with a proposed outcome; at most `candidatesPerGroupMax` of each of
   * the three. Mechanical markets are left out unless the query includes them, and markets that were
   * not listed for three hours always.
   */
  readonly resolvingCandidates: (
    query: ResolvingQuery,
    now: EpochMs,
  ) => Effect.Effect<ReadonlyArray<Market>>
  /**
   * Open and proposed markets that the venue lists and that are not mechanical, the most liquid first,
   * at most `limit`. Leaves out what the venue no longer lists, as above.
   */
  readonly mostLiquid: (limit: number, now: EpochMs) => Effect.Effect<ReadonlyArray<Market>>
  readonly count: Effect.Effect<number>
  /** How many markets have a mid at or after the start of the hour that contains `since`. */
  readonly watched: (since: EpochMs) => Effect.Effect<number>
  /** Adds points to the series; a new point replaces one at the same time. Accepts any number. */
  readonly appendMids: (points: ReadonlyArray<MidPoint>) => Effect.Effect<void>
  /** The last point in `[notBefore, atOrBefore]` of each market that has one, in one query. */
  readonly lastMids: (
    marketIds: ReadonlyArray<MarketId>,
    range: { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs },
  ) => Effect.Effect<ReadonlyMap<MarketId, SeriesPoint>>
  /**
   * Open and proposed markets with a mid in `[notBefore, atOrBefore]`, each with its last mid of that
   * range: the most liquid first, ties by id, at most `limit`.
   */
  readonly recentlyPriced: (
    range: { readonly notBefore: EpochMs; readonly atOrBefore: EpochMs },
    limit: number,
  ) => Effect.Effect<ReadonlyArray<PricedMarket>>
  /** One market's points in `[from, to]`, oldest first. */
  readonly series: (
    marketId: MarketId,
    range: { readonly from: EpochMs; readonly to: EpochMs },
  ) => Effect.Effect<ReadonlyArray<SeriesPoint>>
  /** The markets among these whose series was never seeded from the venue's price history. */
  readonly unseeded: (
    marketIds: ReadonlyArray<MarketId>,
  ) => Effect.Effect<ReadonlyArray<MarketId>>
  /** Records that the series were seeded, or that the venue had no history to seed them with. */
  readonly markSeeded: (marketIds: ReadonlyArray<MarketId>, at: EpochMs) => Effect.Effect<void>
  /**
   * Deletes the points of the oldest hour, if it ended at `before` or earlier. Returns how many rows
   * were deleted.
   */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
  /**
   * Deletes the markets, with their series, that were not listed at `before` or later, nor in the
   * hour before the newest listing, at most `pruneStepMs` after the oldest. Returns how many.
   */
  readonly pruneUnlisted: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/markets/MarketStore") {}
