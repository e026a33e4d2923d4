/**
 * The public facts of the markets that the feed has published: what is free to know of each item,
 * and the price path. Nothing of an item's `data` but its market passes here.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { day } from "../core/domain/time.ts"
import type { SeriesPoint } from "../markets/domain/market.ts"
import { thinned } from "../markets/domain/pricePath.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { type FeedHeading, marketRef } from "./domain/item.ts"
import {
  dayPointsMax,
  pathDays,
  pathPointsMax,
  type PublishedMarket,
  recentMax,
} from "./domain/publishedMarket.ts"
import { FeedStore } from "./FeedStore.ts"

export class PublishedMarkets extends Context.Service<PublishedMarkets, {
  /** What the newest items are about, newest first, at most `recentMax`. */
  readonly recent: Effect.Effect<ReadonlyArray<FeedHeading>>
  /** The market with this slug, without regard to case; none unless an item about it is in the feed. */
  readonly bySlug: (slug: string) => Effect.Effect<Option.Option<PublishedMarket>>
  /** The mids of the last 24 hours, at most `dayPointsMax`, of a market by its slug. */
  readonly dayPath: (slug: string) => Effect.Effect<ReadonlyArray<SeriesPoint>>
}>()("bellwether/feed/PublishedMarkets") {
  static readonly layer = Layer.effect(
    PublishedMarkets,
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const markets = yield* MarketStore

      const pathSince = Effect.fnUntraced(function* (slug: string, spanMs: number, max: number) {
        const stored = yield* markets.bySlug(slug)
        if (Option.isNone(stored)) return { stored: null, path: [] }
        const to = yield* Clock.currentTimeMillis
        const path = yield* markets.series(stored.value.id, { from: to - spanMs, to })
        return { stored: stored.value, path: thinned(path, max) }
      })

      const bySlug = Effect.fn("PublishedMarkets.bySlug")(function* (slug: string) {
        const found = yield* feed.headings({ slug, count: recentMax })
        const [newest] = found
        if (newest === undefined) return Option.none()
        // As the feed spells it, so that every spelling of an address has the same answer.
        const named = newest.market.slug
        const { stored, path } = yield* pathSince(named, pathDays * day, pathPointsMax)
        return Option.some<PublishedMarket>({
          market: stored === null ? newest.market : marketRef(stored),
          status: stored?.status ?? null,
          path,
          items: found,
        })
      })

      return PublishedMarkets.of({
        recent: feed.headings({ slug: null, count: recentMax }),
        bySlug,
        dayPath: (slug) => Effect.map(pathSince(slug, day, dayPointsMax), ({ path }) => path),
      })
    }),
  )
}
