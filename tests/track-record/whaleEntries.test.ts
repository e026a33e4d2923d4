/**
 * The score of published whale entries through the service: readings of the book, later prices,
 * payouts and corrections, by two replicas and after kills.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../../src/feed/postgres/feedStore.ts"
import * as marketStore from "../../src/markets/postgres/marketStore.ts"
import * as scoreStore from "../../src/track-record/postgres/scoreStore.ts"
import type { OrderBook } from "../../src/markets/domain/book.ts"
import type { NewFeedItem } from "../../src/feed/domain/item.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { day, hour, minute, second } from "../../src/core/domain/time.ts"
import { type EntryLabel, entrySummary } from "../../src/track-record/domain/entryScore.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { Resolving } from "../../src/markets/Resolving.ts"
import { SelfScore } from "../../src/track-record/SelfScore.ts"
import * as whaleMarketStore from "../../src/whales/postgres/whaleMarketStore.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { VenueClient, VenueUnavailable } from "../../src/markets/VenueClient.ts"
import { test } from "../support/effect.ts"
import { makeKiller } from "../support/killer.ts"
import { now } from "../support/movers/market.ts"
import { embeddedStore } from "../support/stores.ts"
import { candidate } from "../support/predetermined/candidates.ts"
import { newWhaleItem } from "../support/track-record/whaleItems.ts"

/** No market resolves soon, so no forecast is stored. */
const noForecasts = Layer.mock(Resolving, { expected: () => Effect.succeed([]) })

/** The n-th market; each is an event of its own. */
const marketOf = (n: number) => candidate(n, { eventKey: `event-${n}` })

/** The venue's answers; tests change them in place. */
interface Venue {
  resolutions: ReadonlyArray<Resolution>
  /** Best prices and shares of the n-th market's first outcome; absent: no book. */
  books: Readonly<Record<number, readonly [bid: number, ask: number, shares: number]>>
  down: boolean
  /** How long the venue takes. */
  delayMs: number
  bookRequests: number
}

const paid = (n: number, first: number, at: number | null = now + 3 * day): Resolution => ({
  ...{ marketId: marketOf(n).id, resolvedAt: at, source: "oracle", state: "paid" },
  payouts: [first, 1 - first],
})

const cancelled = (n: number): Resolution => ({
  ...{ marketId: marketOf(n).id, resolvedAt: now + 3 * day, source: "book", state: "cancelled" },
})

const scripted = (venue: Venue) => {
  const answer = <A>(rows: () => ReadonlyArray<A>) =>
    Effect.suspend(() =>
      venue.down
        ? Effect.fail(new VenueUnavailable({ operation: "any", reason: "down" }))
        : Effect.as(TestClock.adjust(venue.delayMs), { rows: rows(), rejected: {} })
    )
  return Layer.mock(VenueClient, {
    wallets: null,
    resolutions: (ids) =>
      answer(() => venue.resolutions.filter(({ marketId }) => ids.includes(marketId))),
    books: (tokens) => {
      venue.bookRequests += 1
      return answer(() =>
        Object.entries(venue.books).flatMap(([n, [bid, ask, size]]): ReadonlyArray<OrderBook> => {
          const [tokenId] = marketOf(Number(n)).tokenIds
          const [bids, asks] = [[{ price: bid, size }], [{ price: ask, size }]]
          return tokens.includes(tokenId) ? [{ tokenId, bids, asks, observedAt: now }] : []
        })
      )
    },
  })
}

const open = Effect.gen(function* () {
  yield* TestClock.setTime(now - 1)
  const venue: Venue = { resolutions: [], books: {}, down: false, delayMs: 0, bookRequests: 0 }
  // On the live clock: the store's periodic work must not run for every day that a test skips.
  const ports = yield* TestClock.withLive(Layer.build(Layer.mergeAll(
    Layer.mergeAll(
      feedStore.layer,
      marketStore.layer,
      scoreStore.layer,
      whaleMarketStore.layer,
    ).pipe(Layer.provide(embeddedStore)),
    scripted(venue),
  )))
  yield* Context.get(ports, MarketStore).save([0, 1, 2, 3].map((n) => marketOf(n)), now)
  const service = <A>(
    use: (service: SelfScore["Service"]) => Effect.Effect<A>,
    through: typeof ports = ports,
  ) =>
    Effect.flatMap(SelfScore, use).pipe(
      Effect.provide(Layer.fresh(SelfScore.layer.pipe(Layer.provide(noForecasts)))),
      Effect.provide(through),
    )
  const at = <A>(time: number, use: (service: SelfScore["Service"]) => Effect.Effect<A>) =>
    Effect.andThen(TestClock.setTime(time), service(use))
  const store = Context.get(ports, ScoreStore)
  return {
    ...{ venue, ports, service, store },
    tick: (time: number) => at(time, ({ tick }) => tick(time)),
    read: (time: number) => at(time, ({ readBooks }) => readBooks(time)),
    publish: (items: ReadonlyArray<NewFeedItem>) => Context.get(ports, FeedStore).append(items),
    /** Mids of the n-th market, by minutes after noon. */
    price: (n: number, mids: Readonly<Record<number, number>>) =>
      Context.get(ports, MarketStore).appendMids(
        Object.entries(mids).map(([minutes, mid]) => ({
          ...{ marketId: marketOf(n).id, at: now + Number(minutes) * minute, mid },
        })),
      ),
    /** Markets that ended, as the whale tick stores them. */
    end: (resolutions: ReadonlyArray<Resolution>) =>
      Context.get(ports, WhaleMarketStore).saveResolutions(resolutions, [], now),
    score: (label: EntryLabel) =>
      Effect.map(store.entries, (entries) => {
        // Each ten times, in as many events, so that there is a figure.
        const many = entries.flatMap((one) =>
          Array.from({ length: 10 }, (_, n) => ({ ...one, eventKey: `${one.eventKey} ${n}` }))
        )
        return { ...entrySummary(entries).byLabel[label], mean: entrySummary(many).byLabel[label] }
      }),
  }
})

type Opened = Effect.Success<typeof open>
const on = <E>(name: string, body: (opened: Opened) => Effect.Effect<void, E>) =>
  test(
    name,
    () =>
      Effect.flatMap(open, body).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
  )

/** An entry in the n-th market, published at noon. */
const entry = (n: number, fields: Partial<Parameters<typeof newWhaleItem>[0]> = {}) =>
  newWhaleItem({ market: marketOf(n), createdAt: now, ...fields })

on(
  "readBooks() reads both sides of each book 1 and 60 minutes after publication",
  Effect.fnUntraced(function* ({ venue, read, publish, score }) {
    yield* publish([entry(0), entry(1, { label: "fade" })])
    venue.books = { 0: [0.49, 0.51, 5_000], 1: [0.49, 0.51, 150] }
    equal((yield* read(now + minute - 1)).readings, {})
    equal((yield* read(now + minute)).readings, { read: 2 })
    venue.books = {}
    equal((yield* read(now + 61 * minute)).readings, { no_book: 2 })
    equal((yield* read(now + day)).readings, {})
    const none = { missed: 0, withoutBook: 0, resolved: 0, events: 0, roi: null }
    equal((yield* score("none")).byDelay, [
      { ...none, delayMinutes: 1, priced: 1, unfillable: 0 },
      { ...none, delayMinutes: 60, priced: 0, unfillable: 0, withoutBook: 1 },
    ])
    // 150 shares at 0.51 are 77 USD.
    const [first] = (yield* score("fade")).byDelay
    equal([first?.priced, first?.unfillable], [0, 1])
  }),
)

on(
  "a late reading is missed: not taken as one in time, and not read at all",
  Effect.fnUntraced(function* ({ venue, read, publish, store, score }) {
    yield* publish([entry(0)])
    venue.books = { 0: [0.49, 0.51, 5_000] }
    equal((yield* read(now + 3 * minute + 1)).readings, { missed: 1 })
    strictEqual(venue.bookRequests, 0)
    venue.down = true
    const down = yield* read(now + 60 * minute)
    equal([down.failed, down.readings], [["books"], {}])
    strictEqual((yield* store.dueReadings(now + hour, 9)).length, 1)
    venue.down = false
    equal((yield* read(now + 62 * minute)).readings, { read: 1 })
    const [first, second] = (yield* score("none")).byDelay
    equal([first?.missed, second?.priced], [1, 1])
  }),
)

on(
  "a venue that answers too late gives no reading in time",
  Effect.fnUntraced(function* ({ venue, read, publish }) {
    yield* publish([entry(0)])
    venue.books = { 0: [0.49, 0.51, 5_000] }
    venue.delayMs = 20 * second
    equal((yield* read(now + 3 * minute - 10 * second)).readings, { missed: 1 })
    equal((yield* read(now + 62 * minute - 20 * second)).readings, { read: 1 })
  }),
)

on(
  "the last result of a market counts, a push pays half, and a cancelled market counts apart",
  Effect.fnUntraced(function* ({ end, tick, publish, score }) {
    yield* publish([
      entry(0, { label: "follow" }),
      entry(0, { label: "fade", outcome: 1, wallet: "0xb", book: { bid: 0.4, ask: 0.44 } }),
      entry(1, { label: "follow", wallet: "0xb" }),
      entry(2, { label: "follow" }),
      entry(3, { label: "follow", book: null }),
    ])
    yield* tick(now + minute)
    yield* end([paid(0, 1), paid(1, 0.5), cancelled(2), paid(3, 1)])
    const roi = (...payouts: ReadonlyArray<number>) =>
      Math.round(
        1e4 * payouts.reduce((to, payout) => to + payout / 0.51 - 1, 0) / payouts.length,
      ) / 1e4
    const { resolved, cancelled: apart, withoutBook, mean } = yield* score("follow")
    equal([resolved, apart, withoutBook, mean.roiAtAsk?.value], [2, 1, 1, roi(1, 0.5)])
    // Fading the second outcome is buying the first, at its own ask.
    const faded = Effect.map(score("fade"), ({ mean }) => mean.roiAtAsk?.value)
    strictEqual(yield* faded, Math.round(1e4 * (1 / 0.44 - 1)) / 1e4)
    yield* end([paid(0, 0)])
    strictEqual((yield* score("follow")).mean.roiAtAsk?.value, roi(0, 0.5))
    strictEqual(yield* faded, -1)
  }),
)

on(
  "the price a day later is from the market's series, the payout, or unknown",
  Effect.fnUntraced(function* ({ venue, tick, publish, price, score }) {
    yield* publish([
      entry(0, { label: "follow", entryPrice: 0.5 }),
      entry(1, { label: "follow", entryPrice: 0.5, outcome: 1 }),
      entry(2, { label: "follow", entryPrice: 0.5 }),
      entry(3, { label: "follow", entryPrice: 0.5, outcome: 1 }),
    ])
    yield* price(0, { 1_435: 0.7 })
    yield* price(1, { 1_450: 0.4 })
    venue.resolutions = [paid(3, 0, now + day)]
    yield* tick(now + day + 29 * minute)
    equal((yield* score("follow")).closingLine.entries, 0)
    yield* tick(now + day + 30 * minute)
    const { closingLine, mean } = yield* score("follow")
    equal([closingLine.entries, closingLine.unknown], [3, 1])
    // 0.7, 1 - 0.4 and 1; the asks are 0.51.
    equal(
      [mean.closingLine.fromEntryPrice?.value, mean.closingLine.fromAsk?.value],
      [0.2667, 0.2567],
    )
  }),
)

on(
  "two replicas that read and judge at the same time count everything once",
  Effect.fnUntraced(function* ({ venue, end, service, publish, score }) {
    yield* publish([0, 1, 2, 3].map((n) => entry(n, { label: "follow" })))
    venue.books = Object.fromEntries([0, 1, 2, 3].map((n) => [n, [0.49, 0.51, 50_000]]))
    for (const at of [now, now + minute, now + hour, now + 4 * hour, now + 2 * day]) {
      yield* TestClock.setTime(at)
      const each = service(({ readBooks, tick }) => Effect.andThen(readBooks(at), tick(at)))
      yield* Effect.all([each, each, each], { concurrency: 3 })
    }
    yield* end([0, 1, 2, 3].map((n) => paid(n, 1, now + 2 * hour)))
    const follow = yield* score("follow")
    equal([follow.published, follow.resolved, follow.events], [4, 4, 4])
    for (const row of follow.byDelay) equal([row.priced, row.resolved], [4, 4])
    equal(follow.closingLine.entries + follow.closingLine.unknown, 4)
  }),
)

/** Three days of entries, readings, payouts and a correction. */
const scenario = Effect.fnUntraced(function* (withKills: boolean) {
  const { venue, ports, service, publish, price, store } = yield* open
  const killer = makeKiller()
  const watched = ports.pipe(
    Context.add(FeedStore, killer.watched(Context.get(ports, FeedStore))),
    Context.add(MarketStore, killer.watched(Context.get(ports, MarketStore))),
    Context.add(ScoreStore, killer.watched(Context.get(ports, ScoreStore))),
    Context.add(VenueClient, killer.watched(Context.get(ports, VenueClient))),
  )
  yield* publish([entry(0, { label: "follow" }), entry(1, { label: "fade" }), entry(2), entry(3)])
  yield* price(0, { 55: 0.6, 1_430: 0.7 })
  venue.books = { 0: [0.49, 0.51, 5_000], 2: [0.3, 0.32, 100] }
  let died = 0
  const steps: ReadonlyArray<readonly [number, ReadonlyArray<Resolution>]> = [
    [now, []],
    [now + minute, []],
    [now + hour, []],
    [now + 5 * hour, [paid(1, 1, now + 2 * hour)]],
    [now + 2 * day, [paid(0, 1, now + day), paid(1, 0, now + 2 * hour), cancelled(3)]],
  ]
  for (const [at, resolutions] of steps) {
    venue.resolutions = resolutions
    yield* TestClock.setTime(at)
    const run = (through: typeof ports) =>
      service(
        ({ readBooks, tick }) =>
          Effect.map(Effect.all([readBooks(at), tick(at)]), (all) =>
            all.flatMap((one) => one.failed)),
        through,
      )
    for (let call = 1; withKills && call < 200; call++) {
      if (!(yield* killer.killed(call, run(watched)))) break
      died += 1
    }
    equal(yield* run(watched), [])
  }
  return {
    died,
    entries: yield* store.entries,
    cursor: yield* store.cursor,
  }
})

test("readBooks() and tick() have the same result when they are killed at every call", () =>
  Effect.gen(function* () {
    const { died: none, ...undisturbed } = yield* Effect.scoped(scenario(false))
    yield* TestClock.setTime(now - 1)
    const { died, ...killed } = yield* Effect.scoped(scenario(true))
    strictEqual(none, 0)
    ok(died >= 30, `only ${died} processes died`)
    equal(killed, undisturbed)
    equal(killed.entries.map(({ later }) => later), [1, 0, "unknown", "unknown"])
  }))
