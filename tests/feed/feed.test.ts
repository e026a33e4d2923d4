/**
 * The feed as its readers see it (live, stale, too old to sell), and the choice of the pulse.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type MoverItem, strongestMoves } from "../../src/feed/domain/pulse.ts"
import { Feed } from "../../src/feed/Feed.ts"
import { law, test } from "../support/effect.ts"
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
    cents: Schema.Int.check(Schema.isBetween({ minimum: -40, maximum: 40 })),
    window: Schema.Literals(["1h", "24h"]),
    converged: Schema.NullOr(Schema.Boolean),
  })),
  ({ market, cents, window, converged }): MoverItem => {
    const item = sampleItem(market, noon)
    if (item.type !== "mover") throw new TypeError("a sample item is a mover")
    const delta = cents / 100
    return {
      ...item,
      data: {
        ...{ ...item.data, window, delta, priceNow: item.data.priceStart + delta },
        ...converged === null ? {} : { converged },
      },
    }
  },
)
const movers = Arbitrary.array(mover, { maxLength: 12 })

/** Items of an earlier rule are not marked. */
const contested = (items: ReadonlyArray<MoverItem>) =>
  items.filter(({ data }) => data.converged !== true)

law("strongestMoves() returns a market once, and at most `count` moves", movers, (items) => {
  const rows = strongestMoves(items, 3)
  const markets = new Set(contested(items).map((item) => item.data.market.slug)).size
  strictEqual(rows.length, Math.min(3, markets))
  strictEqual(new Set(rows.map((row) => row.question)).size, rows.length)
})

law("strongestMoves() names market and outcome of each price", movers, (items) => {
  const named = items.map((item, n): MoverItem => ({
    ...item,
    data: { ...item.data, outcome: `Team ${n % 2} of ${item.data.market.slug}` },
  }))
  for (const { slug, outcome, priceStart, priceNow } of strongestMoves(named, 3)) {
    const source = named.find(({ data }) =>
      data.market.slug === slug && data.outcome === outcome && data.priceNow === priceNow
    )
    strictEqual(source?.data.priceStart, priceStart)
  }
})

law("strongestMoves() ignores moves to a converged price", movers, (items) => {
  equal(strongestMoves(items, 3), strongestMoves(contested(items), 3))
})

law("strongestMoves() returns 24h moves before 1h moves, each strongest first", movers, (items) => {
  const rows = strongestMoves(items, 3)
  for (const [at, row] of rows.entries()) {
    const next = rows[at + 1]
    if (next === undefined) continue
    ok(
      row.window === next.window
        ? Math.abs(row.delta) >= Math.abs(next.delta)
        : row.window === "24h",
    )
  }
})

law("strongestMoves() leaves out no stronger 24h move", movers, (items) => {
  const rows = strongestMoves(items, 3)
  const weakest = Math.min(...rows.map((row) => row.window === "24h" ? Math.abs(row.delta) : 0))
  const questions = new Set(rows.map((row) => row.question))
  for (const { data } of contested(items)) {
    if (data.window === "1h" || questions.has(data.market.question)) continue
    ok(Math.abs(data.delta) <= weakest)
  }
})
