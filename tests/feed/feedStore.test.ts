/**
 * The laws of the feed store, on every database.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Deferred, Effect, Fiber, Option, Schema } from "effect"
import { layer } from "../../src/feed/postgres/feedStore.ts"
import {
  type FeedItem,
  type FeedType,
  type NewFeedItem,
  withOutcome,
} from "../../src/feed/domain/item.ts"
import { noHash } from "../../src/feed/domain/chain.ts"
import { day, isoTime, minute } from "../../src/core/domain/time.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { sampleItem } from "../support/feed/items.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"

const start = Date.UTC(2026, 10, 20)

const newItem = (dedupeKey: string, at = start): NewFeedItem => {
  const { feedIndex: _, ...item } = sampleItem(7, at)
  return { ...item, dedupeKey } as NewFeedItem
}
const indices = (items: ReadonlyArray<FeedItem>) => items.map((item) => item.feedIndex)
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

const append = (items: ReadonlyArray<NewFeedItem>) =>
  Effect.flatMap(FeedStore, (feed) => feed.append(items))

/** Batches of keys, from so few that keys repeat within a batch and between batches. */
const keyBatches = Arbitrary.schema(
  Schema.Array(
    Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 12 })))
      .check(Schema.isMaxLength(6)),
  ).check(Schema.isMaxLength(8)),
)

const writers = 3
const appends = 60
const pollers = 4

const pollWhileWriting = Effect.gen(function* () {
  const feed = yield* FeedStore
  const written = yield* Deferred.make<void>()
  const write = (writer: number) =>
    Effect.forEach(
      upTo(appends),
      // The writers share every third key.
      (n) => feed.append([newItem(n % 3 === 0 ? `shared ${n}` : `${writer}, ${n}`)]),
      { discard: true },
    )
  const poll = Effect.gen(function* () {
    const seen: Array<number> = []
    for (;;) {
      const allWritten = yield* Deferred.isDone(written)
      const page = yield* feed.page({ since: seen.at(-1) ?? 0, count: 7, type: null })
      seen.push(...indices(page))
      if (page.length === 0 && allWritten) return seen
      yield* Effect.yieldNow
    }
  })
  const polling = yield* Effect.forEach(upTo(pollers), () => Effect.forkChild(poll))
  yield* Effect.forEach(upTo(writers), write, { concurrency: writers })
  yield* Deferred.succeed(written, undefined)
  const expected = upTo(appends / 3 + writers * appends * 2 / 3)
  for (const fiber of polling) assert.deepEqual(yield* Fiber.join(fiber), expected)
})

onEveryStore("FeedStore", (law) => {
  const on = (name: string, body: Effect.Effect<void, unknown, FeedStore>) =>
    law(name, Effect.provide(body, layer))

  on(
    "an empty feed has index 0 and no items",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      assert.deepEqual(yield* feed.head(start), {
        index: 0,
        lastItemAt: null,
        todayByType: { mover: 0, whale_entry: 0, predetermined: 0 },
        chain: { index: 0, hash: noHash },
      })
      assert.deepEqual(yield* feed.page({ since: null, count: 20, type: null }), [])
    }),
  )

  law(
    "append() gives each new key the next index, in order, once",
    checkProperty(keyBatches, (batches) =>
      Effect.gen(function* () {
        const feed = yield* FeedStore
        const seen: Array<number> = []
        for (const batch of batches) {
          const added = yield* feed.append(batch.map((key) => newItem(`key ${key}`)))
          const fresh = [...new Set(batch)].filter((key) => !seen.includes(key))
          assert.deepEqual(indices(added), fresh.map((_, i) => seen.length + i + 1))
          seen.push(...fresh)
        }
        assert.deepEqual(
          indices(yield* feed.page({ since: 0, count: 100, type: null })),
          upTo(seen.length),
        )
        assert.equal((yield* feed.head(start)).index, seen.length)
      }).pipe(Effect.provide(layer))),
  )

  on(
    "an item is returned as it was appended",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const { dedupeKey: _, ...appended } = newItem("a", start + 123)
      const [added] = yield* feed.append([newItem("a", start + 123)])
      const expected = withOutcome(
        { feedIndex: 1, ...appended, chain: added?.chain } as FeedItem,
      )
      assert.deepEqual(added, expected)
      const found = Option.getOrNull(yield* feed.byIndex(1))
      assert.deepEqual(found, expected)
      assert.deepEqual(Option.isNone(yield* feed.byIndex(2)), true)
      assert.deepEqual(JSON.stringify(added), JSON.stringify(found))
    }),
  )

  on(
    "append() replaces characters that no database accepts, and keeps the batch",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const odd = { ...newItem("odd"), title: "a\0b\ud800c" }
      const [first, second] = yield* feed.append([odd, newItem("plain")])
      assert.deepEqual(first?.title, "ab\ufffdc")
      assert.equal(second?.feedIndex, 2)
    }),
  )

  on(
    "page() ascends: with `since` the first items after it, without it the newest",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      yield* append(upTo(30).map((n) => newItem(`${n}`)))
      assert.deepEqual(indices(yield* feed.page({ since: 4, count: 3, type: null })), [5, 6, 7])
      assert.deepEqual(indices(yield* feed.page({ since: null, count: 3, type: null })), [
        28,
        29,
        30,
      ])
      assert.deepEqual(yield* feed.page({ since: 30, count: 3, type: null }), [])
      assert.deepEqual(
        yield* feed.page({ since: Number.MAX_SAFE_INTEGER, count: 3, type: null }),
        [],
      )
      assert.deepEqual(indices(yield* feed.page({ since: null, count: 3, type: "mover" })), [
        28,
        29,
        30,
      ])
      assert.deepEqual(
        yield* feed.page({ since: 0, count: 3, type: "whale_entry" satisfies FeedType }),
        [],
      )
    }),
  )

  on(
    "head() returns today's counts and the newest item's time",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const added = yield* feed.append([
        ...[newItem("a", start - 1), newItem("b", start), newItem("c", start + minute)],
      ])
      assert.deepEqual(yield* feed.head(start), {
        index: 3,
        lastItemAt: start + minute,
        todayByType: { mover: 2, whale_entry: 0, predetermined: 0 },
        chain: { index: 3, hash: added.at(-1)?.chain?.hash },
      })
    }),
  )

  on(
    "moversSince() returns the newest first",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      yield* append([0, 1, 2, 3].map((n) => newItem(`${n}`, start + n * minute)))
      const movers = yield* feed.moversSince(start + minute)
      assert.deepEqual(
        movers.map((mover) => mover.createdAt),
        [3, 2, 1].map((n) => isoTime(start + n * minute)),
      )
    }),
  )

  on(
    "between() returns one type, newest first, and the total",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      yield* append(upTo(9).map((n) => newItem(`${n}`, start + (n % 3) * minute)))
      const range = (after: number, upTo: number, since = start, limit = 99) =>
        Effect.map(
          feed.between({ type: "mover", after, upTo, since, limit }),
          ({ items, total }) => [indices(items), total],
        )
      assert.deepEqual(yield* range(0, 9), [upTo(9).reverse(), 9])
      assert.deepEqual(yield* range(4, 8), [[8, 7, 6, 5], 4])
      assert.deepEqual(yield* range(4, 9, start + minute), [[8, 7, 5], 3])
      assert.deepEqual(yield* range(4, 9, start + minute, 2), [[8, 7], 3])
      assert.deepEqual(yield* range(9, 9), [[], 0])
      assert.deepEqual(
        yield* feed.between({ type: "predetermined", after: 0, upTo: 9, since: start, limit: 9 }),
        { items: [], total: 0 },
      )
    }),
  )

  on(
    "headings() returns what items are about, newest first, of all markets or of one in any spelling",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const about = (key: string, slug: string): NewFeedItem => {
        const item = newItem(key)
        return {
          ...item,
          data: { ...item.data, market: { ...item.data.market, slug } },
        } as NewFeedItem
      }
      const added = yield* feed.append([
        about("a", "Coin-Up"),
        about("b", "coin"),
        about("c", "coin-up"),
        about("d", "coin-up-2"),
      ])
      const read = (slug: string | null, count = 9) =>
        Effect.map(
          feed.headings({ slug, count }),
          (found) => found.map(({ feedIndex }) => feedIndex),
        )
      assert.deepEqual(yield* read(null), [4, 3, 2, 1])
      assert.deepEqual(yield* read(null, 2), [4, 3])
      assert.deepEqual(yield* read("COIN-up"), [3, 1])
      assert.deepEqual(yield* read("coin-up", 1), [3])
      assert.deepEqual(yield* read("coin_up"), [])
      assert.deepEqual(yield* read("coin-%"), [])
      const [, newest] = added.filter(({ data }) => /^coin-up$/i.test(data.market.slug))
      assert.deepEqual((yield* feed.headings({ slug: "coin-up", count: 1 }))[0], {
        feedIndex: 3,
        type: "mover",
        createdAt: newest?.createdAt,
        market: newest?.data.market,
      })
    }),
  )

  on(
    "the index of a pruned item is never used again",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      yield* append([newItem("a", start - 2 * day), newItem("b", start - day)])
      assert.equal(yield* feed.prune(start), 1)
      assert.equal(yield* feed.prune(start), 1)
      assert.deepEqual(indices(yield* feed.append([newItem("c")])), [3])
      assert.deepEqual(indices(yield* feed.page({ since: 0, count: 9, type: null })), [3])
    }),
  )

  on("pollers miss nothing and repeat nothing while three writers append", pollWhileWriting)
})
