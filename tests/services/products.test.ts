/**
 * The products that settle early: what they refuse before anything is paid, and what they make of a
 * venue that is down.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { hour, minute } from "../../src/domain/time.ts"
import { Research } from "../../src/services/Research.ts"
import { Resolving } from "../../src/services/Resolving.ts"
import { WhaleTable } from "../../src/services/WhaleTable.ts"
import { test } from "../support/effect.ts"
import { now } from "../support/market.ts"
import {
  bookOf,
  endingMarket,
  makeShelf,
  pricesOver,
  type Shelf,
  shelfLayer,
  whaleRow,
} from "../support/products.ts"

const products = Layer.mergeAll(Resolving.layer, Research.layer, WhaleTable.layer)

const onShelf = <A, E>(
  body: (shelf: Shelf) => Effect.Effect<A, E, Resolving | Research | WhaleTable>,
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    const shelf = yield* makeShelf
    return yield* Effect.provide(body(shelf), products.pipe(Layer.provide(shelfLayer(shelf))))
  })

const query = { withinHours: 24, minLiquidity: 5_000, includeNoise: false }

test("Resolving.check() refuses an empty horizon without asking the venue", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, asked }) {
    const resolving = yield* Resolving
    yield* Ref.set(markets, [endingMarket(25, now)])
    const refused = yield* Effect.flip(resolving.check(query))
    strictEqual(refused._tag, "BelowThreshold")
    yield* resolving.check({ ...query, withinHours: 25 })
    strictEqual(yield* Ref.get(asked), 0)
  })))

test("Resolving.list() prices every row from its live book", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, books }) {
    const all = [1, 2, 3].map((n) => endingMarket(n, now))
    yield* Ref.set(markets, all)
    yield* Ref.set(books, all.map((market, n) => bookOf(market, now, 0.9 + n * 0.01)))
    const rows = yield* (yield* Resolving).list(query)
    equal(rows.map(({ slug, yesMid }) => [slug, yesMid]), [
      ["market-1", 0.9],
      ["market-2", 0.91],
      ["market-3", 0.92],
    ])
    ok(rows.every(({ microstructure }) => microstructure?.bestBid !== undefined))
  })))

test("Resolving.list() leaves out a market whose book is gone: it was decided early", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, books, series }) {
    const [first, second] = [endingMarket(1, now), endingMarket(2, now)]
    yield* Ref.set(markets, [first, second])
    yield* Ref.set(series, pricesOver(3, now, { from: 0.5, to: 0.5 }))
    yield* Ref.set(books, [bookOf(second, now)])
    const resolving = yield* Resolving
    equal((yield* resolving.list(query)).map(({ slug }) => slug), ["market-2"])
    yield* Ref.set(books, [])
    strictEqual((yield* Effect.flip(resolving.list(query)))._tag, "BelowThreshold")
  })))

test("Resolving.list() gives the last tick's prices while the venue is down", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, series, venueUp }) {
    yield* Ref.set(markets, [endingMarket(1, now)])
    yield* Ref.set(series, [{ at: now - 30 * minute, mid: 0.42 }])
    yield* Ref.set(venueUp, false)
    const [row] = yield* (yield* Resolving).list(query)
    equal([row?.yesMid, row?.microstructure], [0.42, null])
  })))

test("WhaleTable.table refuses while no wallet has 30 resolved entries", () =>
  onShelf(Effect.fnUntraced(function* ({ whales }) {
    const { table } = yield* WhaleTable
    strictEqual((yield* Effect.flip(table))._tag, "BelowThreshold")
    const few = { computedAt: now, row: whaleRow({ resolved: 29 }) }
    yield* Ref.set(whales, [few])
    yield* TestClock.adjust("5 seconds")
    strictEqual((yield* Effect.flip(table))._tag, "BelowThreshold")
    yield* Ref.set(whales, [few, { computedAt: now - hour, row: whaleRow() }])
    yield* TestClock.adjust("5 seconds")
    equal(yield* table, { computedAt: now, wallets: [whaleRow()], omitted: 0 })
  })))

test("WhaleTable.table is the same object until a calibration changes", () =>
  onShelf(Effect.fnUntraced(function* ({ whales }) {
    const { table } = yield* WhaleTable
    yield* Ref.set(whales, [{ computedAt: now, row: whaleRow() }])
    const first = yield* table
    yield* TestClock.adjust("1 day")
    strictEqual(yield* table, first)
    yield* Ref.set(whales, [{ computedAt: now + hour, row: whaleRow({ winRate: 0.65 }) }])
    yield* TestClock.adjust("5 seconds")
    equal((yield* table).wallets[0].winRate, 0.65)
  })))

test("Research.check() finds a market by its slug, or by that of an event with one live market", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, asked }) {
    const { check } = yield* Research
    const eventSlug = "cup"
    yield* Ref.set(markets, [endingMarket(1, now), endingMarket(2, now, { eventSlug })])
    yield* check("market-1")
    yield* check("cup")
    strictEqual((yield* Effect.flip(check("nowhere")))._tag, "MarketNotFound")
    yield* Ref.update(markets, (all) => [...all, endingMarket(3, now, { eventSlug })])
    const refused = yield* Effect.flip(check("cup"))
    equal(refused._tag === "MarketAmbiguous" && refused.markets, ["market-2", "market-3"])
    strictEqual(yield* Ref.get(asked), 0)
  })))

const week = pricesOver(7 * 24, now, { from: 0.4, to: 0.6 })

test("Research.report() is made once, kept for 30 minutes, and says so", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, series, books }) {
    const { report } = yield* Research
    const market = endingMarket(1, now)
    yield* Ref.set(markets, [market])
    yield* Ref.set(series, week)
    yield* Ref.set(books, [bookOf(market, now)])
    const first = yield* report("market-1")
    equal([first.cached, first.generatedAt], [false, now])
    strictEqual(first.report.evidence.priceAction.length, 7 * 24)
    yield* Ref.set(books, [])
    yield* TestClock.adjust(30 * minute - 1)
    const again = yield* report("event-1")
    equal(again, { ...first, cached: true })
    yield* TestClock.adjust(1)
    const fresh = yield* report("market-1")
    equal([fresh.cached, fresh.generatedAt], [false, now + 30 * minute])
    strictEqual(fresh.report.evidence.microstructure, null)
  })))

test("Research.report() is made once for calls that come at one time", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, series, books, latencyMs, asked }) {
    const { report } = yield* Research
    const market = endingMarket(1, now)
    yield* Ref.set(markets, [market])
    yield* Ref.set(series, week)
    yield* Ref.set(books, [bookOf(market, now)])
    yield* Ref.set(latencyMs, 1_000)
    const calls = yield* Effect.forkChild(
      Effect.all([report("market-1"), report("market-1"), report("event-1")], {
        concurrency: "unbounded",
      }),
    )
    yield* TestClock.adjust(1_000)
    const made = yield* Fiber.join(calls)
    equal(made.map(({ cached, generatedAt }) => [cached, generatedAt]), [
      [false, now],
      [false, now],
      [false, now],
    ])
    strictEqual(yield* Ref.get(asked), 1)
  })))

test("a venue that does not answer costs a bounded wait: a failure, or prices of the last tick", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, series, latencyMs }) {
    yield* Ref.set(markets, [endingMarket(1, now)])
    yield* Ref.set(series, week)
    yield* Ref.set(latencyMs, hour)
    const report = yield* Effect.forkChild(Effect.flip((yield* Research).report("market-1")))
    const rows = yield* Effect.forkChild((yield* Resolving).list(query))
    yield* TestClock.adjust(20_000)
    strictEqual((yield* Fiber.join(report))._tag, "VenueFailed")
    strictEqual((yield* Fiber.join(rows))[0]?.yesMid, 0.6)
  })))

test("Research.report() asks the venue for prices that we do not hold", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, history, books }) {
    const market = endingMarket(1, now)
    yield* Ref.set(markets, [market])
    yield* Ref.set(history, week.map(({ at, mid }) => ({ at, price: mid })))
    yield* Ref.set(books, [bookOf(market, now)])
    const { report } = yield* (yield* Research).report("market-1")
    strictEqual(report.evidence.priceAction.length, 7 * 24)
    strictEqual(report.analysis.confidence, "medium")
  })))

test("Research.report() fails when the venue does or has no prices, and tries again next time", () =>
  onShelf(Effect.fnUntraced(function* ({ markets, series, books, venueUp }) {
    const { report } = yield* Research
    const market = endingMarket(1, now)
    yield* Ref.set(markets, [market])
    yield* Ref.set(books, [bookOf(market, now)])
    strictEqual((yield* Effect.flip(report("market-1")))._tag, "VenueFailed")
    yield* Ref.set(series, week)
    yield* Ref.set(venueUp, false)
    strictEqual((yield* Effect.flip(report("market-1")))._tag, "VenueFailed")
    yield* Ref.set(venueUp, true)
    ok(Result.isSuccess(yield* Effect.result(report("market-1"))))
  })))
