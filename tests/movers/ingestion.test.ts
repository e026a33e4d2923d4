/**
 * A tick over the simulated venue and a real store: its movers, its counts and its failures.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Deferred, Duration, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../../src/feed/postgres/feedStore.ts"
import * as marketStore from "../../src/markets/postgres/marketStore.ts"
import * as simulated from "../../src/venues/simulated/venue.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { day } from "../../src/core/domain/time.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { Ingestion, isGoodTick } from "../../src/movers/Ingestion.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { VenueClient, VenueUnavailable } from "../../src/markets/VenueClient.ts"
import { test } from "../support/effect.ts"
import { embeddedStore } from "../support/stores.ts"
import { marketBySlug } from "../support/venues/worlds.ts"

const tick = Duration.minutes(10)
/** No event of it has more movers at `start` than one tick publishes. */
const world = makeWorld({ seed: 13, markets: 120, jumpsPerMarketDay: 0.6, gateShare: 0.9 })
const start = world.options.origin

const down = new VenueUnavailable({ operation: "test", reason: "down" })

/** The simulated venue with some of its answers replaced. */
const venue = (replace: (real: VenueClient["Service"]) => Partial<VenueClient["Service"]>) =>
  Layer.effect(
    VenueClient,
    Effect.map(VenueClient, (real) => VenueClient.of({ ...real, ...replace(real) })),
  ).pipe(Layer.provide(simulated.layer(world)))

/** An ingestion on an empty store, at the world's origin. */
const ingestion = Effect.fnUntraced(function* (
  replace: (real: VenueClient["Service"]) => Partial<VenueClient["Service"]> = () => ({}),
) {
  yield* TestClock.setTime(start)
  const context = yield* Layer.build(
    Ingestion.layer({ tick }).pipe(
      Layer.provideMerge(
        Layer.mergeAll(feedStore.layer, marketStore.layer, venue(replace)),
      ),
      Layer.provide(embeddedStore),
    ),
  )
  return {
    ingestion: Context.get(context, Ingestion),
    feed: Context.get(context, FeedStore),
    markets: Context.get(context, MarketStore),
    venue: Context.get(context, VenueClient),
  }
})

test("tick() finds movers on its first run, each where the true probability moved", () =>
  Effect.gen(function* () {
    const { ingestion: service, feed } = yield* ingestion()
    const report = yield* service.tick(start)
    ok(isGoodTick(report), report.failed.join())
    ok(report.items.length > 0, "a lively world has movers")
    const items = yield* feed.moversSince(start - day)
    equal(items.length, report.items.length)
    for (const { data } of items) {
      const market = marketBySlug(world, data.market.slug)
      ok(market !== undefined, data.market.slug)
      const startedAt = Date.parse(data.startedAt)
      const truth = world.truth.probability(market, start) -
        world.truth.probability(market, startedAt)
      equal(
        Math.sign(truth),
        Math.sign(data.delta),
        `${data.market.slug} moved in the other direction`,
      )
    }
  }))

test("tick() run again for the same slot emits nothing twice", () =>
  Effect.gen(function* () {
    const { ingestion: service, feed } = yield* ingestion()
    const first = yield* service.tick(start)
    const again = yield* service.tick(start)
    equal(again.items, [])
    equal((yield* feed.head(start)).index, first.items.length)
  }))

test("tick() counts every rejected market and move once", () =>
  Effect.gen(function* () {
    const { ingestion: service } = yield* ingestion()
    const report = yield* service.tick(start)
    const sum = (reasons: ReadonlyArray<string>) =>
      reasons.reduce((total, reason) => total + (report.rejected[reason] ?? 0), 0)
    const ofListing = ["mechanical", "low_volume", "closed", "resolved"]
    equal(report.markets - report.candidates, sum(ofListing))
    const ofMarket = ["no_book", "empty_side", "crossed", "ghost", "thin_book", "wide_spread"]
    const judged = report.candidates - sum([...ofMarket, "decided"])
    const ofMove = ["no_history", "small_move", "unconfirmed", "stray_start", "not_novel"]
    const dropped = ["longer_window", "event_quota"]
    equal(2 * judged, sum([...ofMove, ...dropped]) + report.items.length)
  }))

test("tick() keeps the markets of an interrupted listing, and reports the failed stage", () =>
  Effect.gen(function* () {
    const { ingestion: service, markets } = yield* ingestion((real) => ({
      listMarkets: Stream.concat(real.listMarkets, Stream.fail(down)),
    }))
    const report = yield* service.tick(start)
    equal(report.failed, ["listing"])
    ok(!isGoodTick(report))
    ok(report.books > 0)
    equal(yield* markets.count, report.markets)
  }))

test("tick() survives a venue without books, and the next tick is good again", () =>
  Effect.gen(function* () {
    let broken = true
    const { ingestion: service } = yield* ingestion((real) => ({
      books: (tokens) => broken ? Effect.fail(down) : real.books(tokens),
    }))
    const first = yield* service.tick(start)
    equal(first.failed, ["books"])
    equal(first.items, [])
    broken = false
    yield* TestClock.adjust(tick)
    ok(isGoodTick(yield* service.tick(start + Duration.toMillis(tick))))
  }))

test("tick() reads the other books when one batch fails, and reports the failure", () =>
  Effect.gen(function* () {
    const large = makeWorld({ seed: 11, markets: 1_400, gateShare: 0.9 })
    const rows = large.list(start, 0, 1_400)
    let batches = 0
    let lost = 0
    const { ingestion: service } = yield* ingestion(() => ({
      listMarkets: Stream.make({ rows, rejected: {} }),
      priceHistory: () => Effect.succeed([]),
      books: (tokens) => {
        batches += 1
        if (batches === 1) lost = tokens.length
        return batches === 1 ? Effect.fail(down) : Effect.succeed({
          rows: tokens.flatMap((token) => large.book(token, start) ?? []),
          rejected: {},
        })
      },
    }))
    const report = yield* service.tick(start)
    equal(report.failed, ["books"])
    equal(report.rejected["unavailable"], lost)
    ok(batches > 2, `${batches} batches`)
    equal(report.books, report.candidates - lost)
  }))

test("tick() seeds a market at the next tick when its history was not available", () =>
  Effect.gen(function* () {
    let broken = true
    const { ingestion: service } = yield* ingestion((real) => ({
      priceHistory: (token, range) => broken ? Effect.fail(down) : real.priceHistory(token, range),
    }))
    const first = yield* service.tick(start)
    equal(first.seeded, 0)
    ok(isGoodTick(first))
    broken = false
    yield* TestClock.adjust(tick)
    const second = yield* service.tick(start + Duration.toMillis(tick))
    ok(second.seeded >= first.candidates * 0.9, `${second.seeded} of ${first.candidates}`)
  }))

test("tick() publishes only prices that persisted when the venue returns no trades", () =>
  Effect.gen(function* () {
    const { ingestion: service, feed } = yield* ingestion(() => ({
      trades: () => Effect.fail(down),
    }))
    ok(isGoodTick(yield* service.tick(start)))
    const items = yield* feed.moversSince(start - day)
    ok(items.length > 0)
    ok(items.every(({ data }) => data.tradedUsd === null && data.confirmedBy === "persistence"))
  }))

test("tick() requests trades only for moves that pass the other gates", () =>
  Effect.gen(function* () {
    let requests = 0
    const { ingestion: service, feed } = yield* ingestion((real) => ({
      trades: (market, since) => {
        requests += 1
        return real.trades(market, since)
      },
    }))
    const { items: movers, rejected } = yield* service.tick(start)
    const judged = ["unconfirmed", "longer_window", "event_quota"].map((why) => rejected[why] ?? 0)
    equal(requests, judged.reduce((total, count) => total + count, movers.length))
    ok((rejected["small_move"] ?? 0) > requests)
    const items = yield* feed.moversSince(start - day)
    ok(items.some(({ data }) => (data.tradedUsd ?? 0) > 0))
    requests = 0
    equal((yield* service.tick(start)).items, [])
    equal(requests, 0)
  }))

test("tick() does not wait for slow trades longer than its stage may take", () =>
  Effect.gen(function* () {
    const waiting = yield* Deferred.make<void>()
    const { ingestion: service } = yield* ingestion(() => ({
      trades: () => Effect.andThen(Deferred.succeed(waiting, undefined), Effect.never),
    }))
    const running = yield* Effect.forkChild(service.tick(start))
    yield* Deferred.await(waiting)
    yield* TestClock.adjust("50 seconds")
    const report = yield* Fiber.join(running)
    ok(isGoodTick(report), report.failed.join())
    ok(report.items.length > 0)
  }))

test("tick() adds one point a market, and none for a spread that is too wide", () =>
  Effect.gen(function* () {
    const level = (price: number) => ({ price, size: 9e4 })
    const { ingestion: service, markets, venue } = yield* ingestion((real) => ({
      books: (tokens) =>
        Effect.map(real.books(tokens), ({ rows, rejected }) => ({
          rejected,
          rows: rows.map((book, n) =>
            n % 2 === 0 ? book : { ...book, bids: [level(0.4)], asks: [level(0.6)] }
          ),
        })),
    }))
    const listed = yield* Stream.runCollect(venue.listMarkets)
    yield* service.tick(start)
    for (const market of listed.flatMap(({ rows }) => rows)) {
      const points = yield* markets.series(market.id, { from: start, to: start })
      ok(points.length <= 1)
      ok(points.every(({ mid }) => mid !== 0.5), "the mid of 0.4 and 0.6")
    }
  }))
