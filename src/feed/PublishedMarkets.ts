/**
 * The public facts of the markets that the feed has published: what is free to know of each item,
 * and the price path. Nothing of an item's `data` but its market passes here, except of items that are
 * a day old: those are free.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { day, type EpochMs } from "../core/domain/time.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { type FeedHeading, type FeedItem, feedTypes, marketRef } from "./domain/item.ts"
import {
  freeAfterMs,
  pathDays,
  pathPointsMax,
  type PublishedMarket,
  recentMax,
  thinned,
} from "./domain/publishedMarket.ts"
import { FeedStore } from "./FeedStore.ts"

/** Items that are searched for old ones. */
const openedMax = 1_000
/** Items that are searched for those older than `freeAfterMs`: more than come in that time. */
const searchedMax = 4 * recentMax

export class PublishedMarkets extends Context.Service<PublishedMarkets, {
  /** What the newest items older than `freeAfterMs` are about, newest first, at most `recentMax`. */
  readonly recent: Effect.Effect<ReadonlyArray<FeedHeading>>
  /** Of each type the newest item created by `before`, among the newest `openedMax` of all items. */
  readonly opened: (before: EpochMs) => Effect.Effect<ReadonlyArray<FeedItem>>
  /** The market with this slug, without regard to case; none unless an item about it is in the feed. */
  readonly bySlug: (slug: string) => Effect.Effect<Option.Option<PublishedMarket>>
}>()("bellwether/feed/PublishedMarkets") {
  static readonly layer = Layer.effect(
    PublishedMarkets,
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const markets = yield* MarketStore

      /** What is stored of a market, and its price path. */
      const storedWithPath = Effect.fnUntraced(function* (slug: string) {
        const stored = yield* markets.bySlug(slug)
        if (Option.isNone(stored)) return { stored: null, path: [] }
        const to = yield* Clock.currentTimeMillis
        const path = yield* markets.series(stored.value.id, { from: to - pathDays * day, to })
        return { stored: stored.value, path: thinned(path, pathPointsMax) }
      })

      const bySlug = Effect.fn("PublishedMarkets.bySlug")(function* (slug: string) {
        const found = yield* feed.headings({ slug, count: searchedMax })
        const [newest] = found
        if (newest === undefined) return Option.none()
        // As the feed spells it, so that every spelling of an address has the same answer.
        const named = newest.market.slug
        const { stored, path } = yield* storedWithPath(named)
        return Option.some<PublishedMarket>({
          market: stored === null ? newest.market : marketRef(stored),
          status: stored?.status ?? null,
          listed: stored?.listed ?? null,
          volume24hUsd: stored?.volume24hUsd ?? null,
          path,
          items: yield* free(found),
        })
      })

      const opened = Effect.fn("PublishedMarkets.opened")(function* (before: EpochMs) {
        const old = (yield* feed.headings({ slug: null, count: openedMax }))
          .filter(({ createdAt }) => Date.parse(createdAt) <= before)
        const newest = feedTypes.flatMap((wanted) => old.find(({ type }) => type === wanted) ?? [])
        const found = yield* Effect.forEach(newest, ({ feedIndex }) => feed.byIndex(feedIndex))
        return found.flatMap(Option.toArray)
      })

      return PublishedMarkets.of({
        opened,
        recent: Effect.flatMap(feed.headings({ slug: null, count: searchedMax }), free),
        bySlug,
      })
    }),
  )
}

/** Those that free data may name, at most `recentMax`. */
const free = (headings: ReadonlyArray<FeedHeading>) =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) =>
      headings.filter(({ createdAt }) => Date.parse(createdAt) <= now - freeAfterMs)
        .slice(0, recentMax),
  )
