/**
 * The laws of published markets, on every database.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { day, hour, minute } from "../../src/core/domain/time.ts"
import type { NewFeedItem } from "../../src/feed/domain/item.ts"
import { freeAfterMs, pathPointsMax, recentMax } from "../../src/feed/domain/publishedMarket.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { layer as feedStore } from "../../src/feed/postgres/feedStore.ts"
import { PublishedMarkets } from "../../src/feed/PublishedMarkets.ts"
import { Slug } from "../../src/markets/domain/market.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { layer as marketStore } from "../../src/markets/postgres/marketStore.ts"
import { sampleItem } from "../support/feed/items.ts"
import { market } from "../support/movers/market.ts"
import { onEveryStore } from "../support/stores.ts"

const now = Date.UTC(2026, 10, 20, 12)
const pointCount = 8 * day / (10 * minute)

const item = (n: number, slug: string, at = now): NewFeedItem => {
  const { feedIndex: _, ...given } = sampleItem(n, at)
  const data = { ...given.data, market: { ...given.data.market, slug } }
  return { ...given, data, dedupeKey: `${n}` } as NewFeedItem
}

onEveryStore("PublishedMarkets", (law) => {
  const on = (
    name: string,
    body: Effect.Effect<void, unknown, PublishedMarkets | FeedStore | MarketStore>,
  ) =>
    law(
      name,
      Effect.andThen(TestClock.setTime(now), body).pipe(
        Effect.provide(TestClock.layer()),
        Effect.provide(PublishedMarkets.layer.pipe(
          Layer.provideMerge(Layer.merge(feedStore, marketStore)),
        )),
      ),
    )

  on(
    "a market is found once the feed has an item about it, as it was last listed",
    Effect.gen(function* () {
      const [published, feed, markets] = [
        yield* PublishedMarkets,
        yield* FeedStore,
        yield* MarketStore,
      ]
      const listed = market({ slug: Slug.make("Coin-Up"), question: "As listed now?" })
      yield* markets.save([listed], now)
      ok(Option.isNone(yield* published.bySlug("coin-up")))
      yield* feed.append([item(1, "coin-up"), item(2, "other"), item(3, "COIN-up")])
      yield* TestClock.setTime(now + freeAfterMs - 1)
      equal(Option.getOrThrow(yield* published.bySlug("coin-up")).items, [])
      equal(yield* published.recent, [])
      yield* TestClock.setTime(now + freeAfterMs)
      equal((yield* published.recent).length, 3)
      const found = Option.getOrThrow(yield* published.bySlug("coin-UP"))
      strictEqual(found.market.question, "As listed now?")
      strictEqual(found.status, listed.status)
      equal(found.items.map(({ feedIndex }) => feedIndex), [3, 1])
      const unlisted = Option.getOrThrow(yield* published.bySlug("other"))
      equal([unlisted.status, unlisted.path], [null, []])
      strictEqual(unlisted.market.question, "Will number 2 come?")
    }),
  )

  on(
    "a path has the stored points of its days, the newest among them, and no more than its most",
    Effect.gen(function* () {
      const [published, feed, markets] = [
        yield* PublishedMarkets,
        yield* FeedStore,
        yield* MarketStore,
      ]
      const listed = market({ slug: Slug.make("coin") })
      yield* markets.save([listed], now)
      const points = Array.from({ length: pointCount }, (_, n) => ({
        marketId: listed.id,
        at: now - n * 10 * minute,
        mid: (n % 99 + 1) / 100,
      }))
      yield* markets.appendMids(points)
      yield* feed.append(
        Array.from({ length: recentMax + 3 }, (_, n) => item(n, "coin", now - freeAfterMs)),
      )
      const stored = new Map(points.map(({ at, mid }) => [at, mid]))
      const { path, items } = Option.getOrThrow(yield* published.bySlug("coin"))
      ok(path.length <= pathPointsMax && path.length > pathPointsMax / 2, `${path.length}`)
      strictEqual(path.at(-1)?.at, now)
      const [first] = path
      ok(first !== undefined && first.at >= now - 7 * day && first.at < now - 7 * day + hour)
      for (const { at, mid } of path) strictEqual(stored.get(at), mid)
      strictEqual(items.length, recentMax)
      equal((yield* published.recent).map(({ feedIndex }) => feedIndex).slice(0, 2), [53, 52])
      strictEqual((yield* published.recent).length, recentMax)
    }),
  )
})
