/**
 * The feed as its readers see it: fresh, stale, too old to sell; and what the pulse picks.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { type Mover, strongestMoves } from "../../src/feed/domain/pulse.ts"
import { Feed } from "../../src/feed/Feed.ts"
import { law, test } from "../support/effect.ts"
import { cadenceMs, makeWorld, servicesOver } from "../support/http/face.ts"
import { sampleItem } from "../support/feed/items.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")

const feedOf = Effect.fnUntraced(function* (count: number) {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(count)
  const feed = yield* Feed.pipe(Effect.provide(servicesOver(world)))
  return { feed, world }
})

test("Feed.index is live up to two cadences after the last good tick, then stale", () =>
  Effect.gen(function* () {
    const { feed } = yield* feedOf(3)
    const status = Effect.map(feed.index, (index) => index.status)
    yield* TestClock.adjust(2 * cadenceMs)
    strictEqual(yield* status, "live")
    yield* TestClock.adjust(1)
    strictEqual(yield* status, "stale")
  }))

test("Feed.index is starting up to two cadences without any good tick, then stale", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(0)
    yield* Ref.set(world.lastTickAt, null)
    const status = Effect.map(feed.index, (index) => index.status)
    yield* TestClock.adjust(2 * cadenceMs)
    strictEqual(yield* status, "starting")
    yield* Ref.set(world.lastTickAt, noon + 2 * cadenceMs)
    strictEqual(yield* status, "live")
    yield* Ref.set(world.lastTickAt, null)
    yield* TestClock.adjust(1)
    strictEqual(yield* status, "stale")
  }))

test("Feed sells up to six cadences after the last good tick, then nothing", () =>
  Effect.gen(function* () {
    const { feed } = yield* feedOf(3)
    const sales = [
      Effect.asVoid(feed.latest),
      Effect.asVoid(feed.byIndex(1)),
      Effect.asVoid(feed.page({ since: null, count: 10, type: null })),
    ]
    yield* TestClock.adjust(6 * cadenceMs)
    for (const sale of sales) yield* sale
    yield* TestClock.adjust(1)
    for (const sale of sales) {
      const fact = yield* Effect.flip(sale)
      equal([fact._tag, "retryAfterSeconds" in fact && fact.retryAfterSeconds], ["DataStale", 600])
    }
  }))

test("Feed dates itself by its newest item when no tick is remembered", () =>
  Effect.gen(function* () {
    const { feed, world } = yield* feedOf(3)
    yield* Ref.set(world.lastTickAt, null)
    strictEqual((yield* feed.latest).item.feedIndex, 3)
    yield* TestClock.adjust(6 * cadenceMs)
    strictEqual((yield* Effect.flip(feed.latest))._tag, "DataStale")
  }))

test("Feed.index of an empty feed was last updated by the last good tick, or never", () =>
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
  })),
  ({ market, cents, window }): Mover => {
    const item = sampleItem(market, noon)
    if (item.type !== "mover") throw new TypeError("a sample item is a mover")
    const delta = cents / 100
    return {
      ...item,
      data: { ...item.data, window, delta, priceNow: item.data.priceStart + delta },
    }
  },
)
const movers = Arbitrary.array(mover, { maxLength: 12 })

law("strongestMoves() shows a market once, and no more than asked for", movers, (given) => {
  const shown = strongestMoves(given, 3)
  const markets = new Set(given.map((item) => item.data.market.slug)).size
  strictEqual(shown.length, Math.min(3, markets))
  strictEqual(new Set(shown.map((row) => row.question)).size, shown.length)
})

law("strongestMoves() shows 24h moves before 1h moves, each strongest first", movers, (given) => {
  const shown = strongestMoves(given, 3)
  for (const [at, row] of shown.entries()) {
    const next = shown[at + 1]
    if (next === undefined) continue
    ok(
      row.window === next.window
        ? Math.abs(row.delta) >= Math.abs(next.delta)
        : row.window === "24h",
    )
  }
})

law("strongestMoves() leaves out no stronger 24h move", movers, (given) => {
  const shown = strongestMoves(given, 3)
  const weakest = Math.min(...shown.map((row) => row.window === "24h" ? Math.abs(row.delta) : 0))
  const questions = new Set(shown.map((row) => row.question))
  for (const { data } of given) {
    if (data.window === "1h" || questions.has(data.market.question)) continue
    ok(Math.abs(data.delta) <= weakest)
  }
})
