/**
 * The feed as its readers see it (live, stale, too old to sell), and the choice of the pulse.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Layer, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { day, minute } from "../../src/core/domain/time.ts"
import { headStatement } from "../../src/feed/domain/chain.ts"
import { type MoverItem, strongestMoves } from "../../src/feed/domain/pulse.ts"
import { Feed } from "../../src/feed/Feed.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { MarketId, Slug } from "../../src/markets/domain/market.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { Freshness } from "../../src/core/Freshness.ts"
import { SigningKey } from "../../src/signing/SigningKey.ts"
import { law, test } from "../support/effect.ts"
import { memoryFeed } from "../support/feed/memoryFeed.ts"
import { testKey } from "../support/signing/key.ts"
import { market } from "../support/movers/market.ts"
import { makeWorld, servicesOver, tickIntervalMs } from "../support/http/httpService.ts"
import { sampleItem } from "../support/feed/items.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")

const feedOf = Effect.fnUntraced(function* (count: number) {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(count)
  const feed = yield* Feed.pipe(Effect.provide(servicesOver(world)))
  return { feed, world }
})

test("Feed.index is live up to two tick intervals after the last good tick, then stale", () =>
  Effect.gen(function* () {
    const { feed } = yield* feedOf(3)
    const status = Effect.map(feed.index, (index) => index.status)
    yield* TestClock.adjust(2 * tickIntervalMs)
    strictEqual(yield* status, "live")
    yield* TestClock.adjust(1)
    strictEqual(yield* status, "stale")
  }))

test("Feed.index is starting up to two tick intervals without any good tick, then stale", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(0)
    yield* Ref.set(world.lastTickAt, null)
    const status = Effect.map(feed.index, (index) => index.status)
    yield* TestClock.adjust(2 * tickIntervalMs)
    strictEqual(yield* status, "starting")
    yield* Ref.set(world.lastTickAt, noon + 2 * tickIntervalMs)
    strictEqual(yield* status, "live")
    yield* Ref.set(world.lastTickAt, null)
    yield* TestClock.adjust(1)
    strictEqual(yield* status, "stale")
  }))

test("Feed sells up to six tick intervals after the last good tick, then nothing", () =>
  Effect.gen(function* () {
    const { feed } = yield* feedOf(3)
    const sales = [
      Effect.asVoid(feed.latest),
      Effect.asVoid(feed.page({ since: null, count: 10, type: null })),
    ]
    yield* TestClock.adjust(6 * tickIntervalMs)
    for (const sale of sales) yield* sale
    yield* TestClock.adjust(1)
    for (const sale of sales) {
      const error = yield* Effect.flip(sale)
      equal(
        [error._tag, "retryAfterSeconds" in error && error.retryAfterSeconds],
        ["DataStale", 600],
      )
    }
    strictEqual((yield* feed.byIndex(1)).feedIndex, 1)
  }))

test("Feed sells no item while no good tick is known, however new the item is", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(3)
    yield* Ref.set(world.lastTickAt, null)
    strictEqual((yield* Effect.flip(feed.latest))._tag, "DataStale")
    yield* Ref.set(world.lastTickAt, noon)
    strictEqual((yield* feed.latest).item.feedIndex, 3)
  }))

test("Feed.index of an empty feed returns the last good tick as lastUpdated, or null", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(0)
    const { index, lastUpdated } = yield* feed.index
    equal([index, lastUpdated], [0, noon])
    yield* Ref.set(world.lastTickAt, null)
    strictEqual((yield* feed.index).lastUpdated, null)
    strictEqual((yield* Effect.flip(feed.latest))._tag, "SignalNotFound")
  }))

test("Feed.index counts today from midnight UTC", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(0)
    const midnight = noon - noon % 86_400_000
    yield* Ref.set(world.items, [sampleItem(1, midnight - 1), sampleItem(2, midnight)])
    equal((yield* feed.index).todayByType, { mover: 1, whale_entry: 0, predetermined: 0 })
  }))

const mover = Arbitrary.map(
  Arbitrary.schema(Schema.Struct({
    market: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 6 })),
    start: Schema.Int.check(Schema.isBetween({ minimum: 5, maximum: 95 })),
    window: Schema.Literals(["1h", "24h"]),
  })),
  ({ market, start, window }): MoverItem => {
    const item = sampleItem(market, noon)
    if (item.type !== "mover") throw new TypeError("a sample item is a mover")
    const outcome = `Team ${market}`
    return { ...item, data: { ...item.data, outcome, window, priceStart: start / 100 } }
  },
)
/** The movers, and the mids of now of the first markets; the first one is decided. */
const movers = Arbitrary.map(
  Arbitrary.all({
    items: Arbitrary.array(mover, { maxLength: 12 }),
    cents: Arbitrary.array(
      Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 4, maximum: 96 }))),
      { maxLength: 5 },
    ),
  }),
  ({ items, cents }) => ({
    items,
    mids: new Map(
      [98, ...cents].map((mid, n) => [sampleItem(n + 1, noon).data.market.slug, mid / 100]),
    ),
  }),
)

law(
  "strongestMoves() returns each priced, undecided market once, up to `count`",
  movers,
  (given) => {
    const { items, mids } = given
    const rows = strongestMoves(items, mids, 3)
    const known = new Set(
      items.map(({ data }) => data.market.slug).filter((slug) => (mids.get(slug) ?? 1) < 0.97),
    )
    strictEqual(rows.length, Math.min(3, known.size))
    strictEqual(new Set(rows.map(({ slug }) => slug)).size, rows.length)
    ok(rows.every(({ slug }) => known.has(slug)))
  },
)

law("strongestMoves() measures each move from its own start to the mid of now", movers, (given) => {
  const { items, mids } = given
  for (
    const { slug, outcome, window, priceStart, priceNow, delta } of strongestMoves(items, mids, 3)
  ) {
    strictEqual(priceNow, mids.get(slug))
    strictEqual(delta, Math.round((priceNow - priceStart) * 1e4) / 1e4 + 0)
    ok(
      items.some(({ data }) =>
        data.market.slug === slug && data.outcome === outcome && data.window === window &&
        data.priceStart === priceStart
      ),
    )
  }
})

law(
  "strongestMoves() puts the largest change first, and leaves out no larger one",
  movers,
  (given) => {
    const { items, mids } = given
    const sizes = strongestMoves(items, mids, 3).map(({ delta }) => Math.abs(delta))
    const best = new Map<string, number>()
    for (const { data: { market: { slug }, priceStart } } of items) {
      const mid = mids.get(slug)
      if (mid === undefined || mid >= 0.97) continue
      const size = Math.round(Math.abs(mid - priceStart) * 1e4) / 1e4
      best.set(slug, Math.max(best.get(slug) ?? 0, size))
    }
    equal(sizes, [...best.values()].sort((a, b) => b - a).slice(0, 3))
  },
)

test("Feed.pulse has the mids of the last tick, and no market that is not traded any more", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(0)
    const items = [sampleItem(1, noon), sampleItem(2, noon), sampleItem(3, noon)]
    yield* Ref.set(world.items, items)
    const [first, second] = items.map(({ data }) => Slug.make(data.market.slug))
    ok(first !== undefined && second !== undefined)
    yield* Ref.set(world.productPorts.markets, [
      market({ id: MarketId.make("m1"), slug: first }),
      market({ id: MarketId.make("m2"), slug: second, status: "resolved" }),
    ])
    const mids = [{ at: noon - tickIntervalMs, mid: 0.6 }, { at: noon, mid: 0.7 }]
    yield* Ref.set(world.productPorts.series, mids)
    const pulse = Effect.map(feed.pulse, (rows) => rows.map((row) => [row.slug, row.priceNow]))
    equal(yield* pulse, [[first, 0.7]])
    yield* Ref.set(world.lastTickAt, noon - tickIntervalMs)
    equal(yield* pulse, [[first, 0.6]])
    yield* Ref.set(world.lastTickAt, noon + 3 * tickIntervalMs)
    equal(yield* pulse, [])
  }))

test("Feed.signDay signs the head of yesterday", () =>
  Effect.gen(function* () {
    const head = { index: 7, hash: "ab".repeat(32) }
    const signed: Array<unknown> = []
    const store = FeedStore.of({
      ...memoryFeed(),
      addDailyHead: (of, sign) => Effect.sync(() => void signed.push([of, sign(head)])),
    })
    const { signDay } = yield* Feed.pipe(Effect.provide(
      Feed.layer({ tickIntervalMs }).pipe(Layer.provide([
        Layer.succeed(FeedStore, store),
        Layer.succeed(SigningKey, testKey),
        Layer.mock(MarketStore, {}),
        Layer.mock(Freshness, { asOf: () => Effect.succeed(null) }),
      ])),
    ))
    const midnight = Date.UTC(2026, 10, 21)
    yield* TestClock.setTime(midnight + day - minute)
    yield* signDay
    yield* TestClock.setTime(midnight + day + minute)
    yield* signDay
    equal(signed, [
      [midnight - day, testKey.sign(headStatement("2026-11-20", head))],
      [midnight, testKey.sign(headStatement("2026-11-21", head))],
    ])
  }))
