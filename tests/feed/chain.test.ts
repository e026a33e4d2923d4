/**
 * The laws of the chain of feed items, on every database.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { day, isoTime, minute } from "../../src/core/domain/time.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { noHash, pathOf, proofFault } from "../../src/feed/domain/chain.ts"
import type { NewFeedItem } from "../../src/feed/domain/item.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { layer } from "../../src/feed/postgres/feedStore.ts"
import { headOf, linksOf, proofOf } from "../support/feed/chain.ts"
import { law as pureLaw } from "../support/effect.ts"
import { sampleHead, sampleItems, samplePath } from "../support/catalog/samples.ts"
import { sampleItem } from "../support/feed/items.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"

const places = sampleItems.map(({ chain }) => chain)

const start = Date.UTC(2026, 10, 20)

const newItem = (n: number, at = start): NewFeedItem => {
  const { feedIndex: _, ...item } = sampleItem(n, at)
  return { ...item, dedupeKey: `${n}` } as NewFeedItem
}
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

const allItems = Effect.flatMap(
  FeedStore,
  (feed) => feed.page({ since: 0, count: 1_000, type: null }),
)

/** Every item is in the chain, and has the hashes that the reference computes from what is read. */
const checkChain = Effect.gen(function* () {
  const feed = yield* FeedStore
  const items = yield* allItems
  assert.deepEqual(
    items.map(({ chain }) => [chain?.previousHash, chain?.skipHash, chain?.hash]),
    linksOf(items).map(({ previousHash, skipHash, hash }) => [previousHash, skipHash, hash]),
  )
  assert.deepEqual((yield* feed.head(start)).chain, headOf(items))
  return items
})

/** Texts that JSON, PostgreSQL or a canonical form could change. */
const odd = [
  "é",
  "\u2028",
  "\\",
  '"',
  "\u0007",
  "a\0b",
  "\ud800",
  "😀",
  "\ufeff",
  "</script>",
  "1e21",
]
const numbers = [0, -0, 1e-7, 0.1 + 0.2, 123456.789, 5e-324, 0.30000000000000004]

const anyItems = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    key: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
    title: Schema.String,
    odd: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: odd.length - 1 })),
    number: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: numbers.length - 1 })),
  })).check(Schema.isMaxLength(30)),
)

onEveryStore("The chain of FeedStore", (law) => {
  law(
    "each item is hashed as it is read, whatever its content",
    checkProperty(anyItems, (rows) =>
      Effect.gen(function* () {
        const feed = yield* FeedStore
        for (const row of rows) {
          const sample = newItem(row.key)
          const item = {
            ...sample,
            title: row.title + odd[row.odd],
            data: { ...sample.data, delta: numbers[row.number] },
          } as NewFeedItem
          yield* feed.append([item])
        }
        yield* checkChain
      }).pipe(Effect.provide(layer))),
  )

  law(
    "any number of writers make one chain",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      yield* Effect.forEach(
        upTo(4),
        (writer) =>
          Effect.forEach(
            upTo(20),
            (n) =>
              feed.append([
                newItem(n % 3 === 0 ? n : 100 * writer + n),
                newItem(1_000 * writer + n),
              ]),
          ),
        { concurrency: 4 },
      )
      assert.equal((yield* checkChain).length, 4 * 20 + 6 + 4 * 14)
    }).pipe(Effect.provide(layer)),
  )

  law(
    "proof() is the path from the head to any item, and holds",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const items = yield* feed.append(upTo(70).map((n) => newItem(n)))
      for (const { feedIndex } of items) {
        const proof = yield* feed.proof(feedIndex)
        assert.deepEqual(proof, proofOf(items, feedIndex))
        assert.equal(proofFault(Option.getOrThrow(proof), sha256), null)
      }
      for (const index of [0, 71, Number.MAX_SAFE_INTEGER]) {
        assert.equal(Option.isNone(yield* feed.proof(index)), true)
      }
    }).pipe(Effect.provide(layer)),
  )

  law(
    "prune() keeps the chain, and the path to each kept item, also when times are out of order",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const times = [0, 1, 5, 2, 3, 9, 4, 8, 12, 11]
      const items = yield* feed.append(times.map((n, at) => newItem(at, start + n * minute)))
      assert.equal(yield* feed.prune(start + 3 * minute), 2)
      const added = yield* feed.append([newItem(50)])
      const whole = [...items, ...added]
      assert.deepEqual((yield* feed.head(start)).chain, headOf(whole))
      for (const { feedIndex } of whole) {
        const expected = feedIndex <= 2 ? Option.none() : proofOf(whole, feedIndex)
        assert.deepEqual(yield* feed.proof(feedIndex), expected)
      }
      assert.equal(yield* feed.prune(start + day), 9)
      assert.deepEqual((yield* feed.head(start)).chain, headOf(whole))
      const [last] = yield* feed.append([newItem(51)])
      assert.equal(last?.chain?.previousHash, headOf(whole).hash)
    }).pipe(Effect.provide(layer)),
  )

  law(
    "an item in the feed cannot be changed",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const sql = yield* SqlClient
      yield* feed.append([newItem(1), newItem(2)])
      const changes = [
        "title = 'other'",
        "data = '{}'",
        `created_at = '${isoTime(start + 1)}'`,
        "feed_index = 9",
        "type = 'whale_entry'",
        "salt = '\\x00'",
        "content_hash = '\\x00'",
        "hash = '\\x00'",
        "skip_hash = '\\x00'",
      ]
      for (const change of changes) {
        const changed = yield* Effect.exit(
          sql.unsafe(`UPDATE feed_item SET ${change} WHERE feed_index = 2`),
        )
        assert.equal(changed._tag, "Failure", change)
      }
      yield* checkChain
    }).pipe(Effect.provide(layer)),
  )

  law(
    "the sample has the hashes and the proof of its items",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const sql = yield* SqlClient
      const rows = sampleItems.map((item, n) => ({
        ...{ dedupe_key: `${n}`, type: item.type, created_at: item.createdAt, title: item.title },
        ...{ data: item.data, salt: item.chain?.salt },
        content_hash: samplePath.at(-1 - n)?.contentHash,
      }))
      yield* sql`SELECT feed_index FROM feed_append(${JSON.stringify(rows)}::json)`
      const items = yield* checkChain
      assert.deepEqual(items.map(({ chain }) => chain), rows.map((_, n) => places[n]))
      assert.deepEqual(yield* feed.proof(1), Option.some({ head: sampleHead, path: samplePath }))
    }).pipe(Effect.provide(layer)),
  )

  law(
    "the first daily head of a day stays",
    Effect.gen(function* () {
      const feed = yield* FeedStore
      const add = (at: number) => feed.addDailyHead(at, ({ index }) => `signed ${index}`)
      yield* add(start)
      yield* feed.append([newItem(1)])
      yield* add(start)
      const [{ chain } = {}] = yield* feed.append([newItem(2)])
      yield* add(start)
      yield* add(start + day)
      const heads = yield* feed.dailyHeads(9)
      assert.deepEqual(heads.map(({ madeAt: _, hash: __, ...head }) => head), [
        { day: start + day, index: 2, jws: "signed 2" },
        { day: start, index: 1, jws: "signed 1" },
      ])
      assert.deepEqual(heads.map(({ hash }) => hash), [chain?.hash, chain?.previousHash])
      assert.equal((yield* feed.dailyHeads(1)).length, 1)
    }).pipe(Effect.provide(layer)),
  )
})

const indexPairs = Arbitrary.schema(
  Schema.Tuple([
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 40 })),
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 40 })),
  ]),
)

pureLaw(
  "a path has at most three steps for each bit of the head's index",
  indexPairs,
  ([index, more]) => {
    const path = pathOf(index + more, index)
    return path.length <= 3 * (index + more).toString(2).length && path.at(-1) === index &&
      path.every((at, n) => n === 0 || at < (path[n - 1] ?? 0))
  },
)

Deno.test("any single edit of a proof is found", () => {
  const items = upTo(23).map((n) => sampleItem(n, start))
  for (const index of upTo(23)) {
    const proof = Option.getOrThrow(proofOf(items, index))
    assert.equal(proofFault(proof, sha256), null)
    const { head, path } = proof
    const edits = path.flatMap((link, n) =>
      (["contentHash", "previousHash", "skipHash"] as const).map((field) => ({
        head,
        path: path.with(n, { ...link, [field]: sha256(link[field]) }),
      })).concat([{ head, path: path.with(n, { ...link, feedIndex: link.feedIndex + 1 }) }])
    )
    const others = [
      { head: { ...head, hash: noHash }, path },
      { head: { ...head, index: head.index + 1 }, path },
      { head, path: [] },
      ...path.length > 1 ? [{ head, path: path.slice(1) }] : [],
    ]
    for (const edited of [...edits, ...others]) assert.notEqual(proofFault(edited, sha256), null)
  }
})
