/**
 * The service's score of itself: when checks are due, the effect of a payout, a correction, a gap and a
 * venue that is down, and that a crash neither repeats nor loses a check.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { NewFeedItem } from "../../src/feed/domain/item.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { selfScore } from "../../src/track-record/domain/selfScore.ts"
import { day, hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import type { ExpectedMarket } from "../../src/markets/domain/resolving.ts"
import { type Forecast, resolutionScore } from "../../src/track-record/domain/forecasts.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { test } from "../support/effect.ts"
import { sampleItem } from "../support/feed/items.ts"
import { makeKiller } from "../support/killer.ts"
import { now } from "../support/movers/market.ts"
import { candidate } from "../support/predetermined/candidates.ts"
import {
  cancelled,
  marketOf,
  onScores as on,
  openScores,
  paid,
} from "../support/track-record/scoring.ts"
import { newWhaleItem } from "../support/track-record/whaleItems.ts"

/** The counts of both kinds of predetermined item together. */
const scoreOf = (store: ScoreStore["Service"]) =>
  Effect.map(store.counts, (counts) => {
    const { movers, predetermined: { byKind: _, ...predetermined } } = selfScore(counts)
    return { movers, predetermined }
  })

/** A mover of the n-th market from 0.40 to 0.60, published at noon. */
const mover = (n: number): NewFeedItem => {
  const { feedIndex: _, ...item } = sampleItem(1, now)
  if (item.type !== "mover") throw new Error(item.type)
  const market = { ...item.data.market, slug: marketOf(n).slug }
  const data = { ...item.data, market, priceStart: 0.4, priceNow: 0.6, delta: 0.2 }
  return { ...item, dedupeKey: `mover:${n}`, data }
}

/** A predetermined item for the n-th market's first outcome, published at noon. */
const outcome = (n: number): NewFeedItem => {
  const { title, createdAt, data } = mover(n)
  return {
    ...{ dedupeKey: `predetermined:${n}`, type: "predetermined", title, createdAt },
    data: {
      market: { ...data.market, outcomes: marketOf(n).outcomes },
      ...{
        outcome: "Yes",
        statement: "Lit.",
        kind: "evidence",
        confidence: "high",
        detector: "rules",
      },
      evidence: [{ title: "t", url: "https://a.example/", source: "a", publishedAt: isoTime(now) }],
      ...{ marketPrice: 0.6, impliedEdge: 0.4, detectedAt: isoTime(now), microstructure: null },
    },
  }
}

on(
  "a mover is judged for 1, 6 and 24 hours after publication, each half an hour later",
  Effect.fnUntraced(function* ({ tick, publish, price, store }) {
    const score = scoreOf(store)
    yield* publish([mover(0), mover(1), mover(2)])
    // After an hour the first is at 0.50, the second at 0.49, and the third is unknown.
    yield* price(0, { 30: 0.1, 59: 0.5, 61: 0.1, 360: 0.5, 1_440: 0.9 })
    yield* price(1, { 31: 0.49, 95: 0.9, 1_440: 0.4 })
    yield* price(2, { 29: 0.9, 91: 0.9 })
    equal((yield* tick(now + 90 * minute - 1)).verdicts, {})
    equal((yield* score).movers.emitted, 3)
    equal((yield* tick(now + 90 * minute)).verdicts, { persisted: 1, reverted: 1, unknown: 1 })
    equal((yield* tick(now + 390 * minute - 1)).verdicts, {})
    equal((yield* tick(now + 390 * minute)).verdicts, { persisted: 1, unknown: 2 })
    equal((yield* tick(now + day + 30 * minute - 1)).verdicts, {})
    const { verdicts } = yield* tick(now + day + 30 * minute)
    equal(verdicts, { persisted: 1, reverted: 1, unknown: 1 })
    equal((yield* score).movers, {
      emitted: 3,
      ...{ judgedAfter1h: 2, persistedAfter1h: 1, unknownAfter1h: 1 },
      ...{ judgedAfter6h: 1, persistedAfter6h: 1, unknownAfter6h: 2 },
      ...{ judgedAfter24h: 2, persistedAfter24h: 1, unknownAfter24h: 1 },
    })
  }),
)

on(
  "a payout is a mover's price from its time on, and a corrected payout changes both scores",
  Effect.fnUntraced(function* ({ venue, ports, tick, publish, price, store }) {
    const score = scoreOf(store)
    yield* publish([mover(0), outcome(0)])
    yield* price(0, { 60: 0.6 })
    venue.resolutions = [paid(0, 1)]
    yield* tick(now + day + hour)
    const first = yield* score
    equal(first.predetermined, { emitted: 1, resolved: 1, correct: 1, uneven: 0, cancelled: 0 })
    equal([first.movers.persistedAfter1h, first.movers.persistedAfter24h], [1, 1])
    const version = yield* Context.get(ports, ScoreStore).version
    // Pruned points and items do not change the scores.
    yield* Context.get(ports, MarketStore).prune(now + 30 * day)
    strictEqual(yield* Context.get(ports, FeedStore).prune(now + 30 * day), 2)
    venue.resolutions = [paid(0, 0)]
    yield* tick(now + 3 * day)
    const second = yield* score
    equal(second.predetermined, { emitted: 1, resolved: 1, correct: 0, uneven: 0, cancelled: 0 })
    equal([second.movers.persistedAfter1h, second.movers.persistedAfter24h], [1, 0])
    ok((yield* Context.get(ports, ScoreStore).version) !== version)
    for (const end of [paid(0, 0.5), cancelled(0)]) {
      venue.resolutions = [end]
      yield* tick(now + (end.state === "paid" ? 5 : 7) * day)
    }
    equal((yield* score).predetermined, {
      ...{ emitted: 1, resolved: 0, correct: 0, uneven: 0, cancelled: 1 },
    })
  }),
)

on(
  "an outcome's market is requested at most every half hour, and daily after its end",
  Effect.fnUntraced(function* ({ venue, tick, publish, store }) {
    const score = scoreOf(store)
    yield* publish([outcome(0), outcome(1)])
    for (let n = 0; n <= 12; n++) yield* tick(now + n * 10 * minute)
    // At noon, and then each time after more than half an hour.
    equal(venue.requested.length, 2 * 4)
    equal((yield* score).predetermined.resolved, 0)
    venue.resolutions = [paid(0, 0, now + 3 * hour)]
    yield* tick(now + 4 * hour)
    equal((yield* score).predetermined, {
      ...{ emitted: 2, resolved: 1, correct: 0, uneven: 0, cancelled: 0 },
    })
    venue.requested.length = 0
    for (let days = 1; days <= 20; days++) yield* tick(now + 4 * hour + days * day + days)
    const [first, second] = [0, 1].map((n) =>
      venue.requested.filter((id) => id === marketOf(n).id).length
    )
    equal([first, second], [6, 20])
  }),
)

on(
  "a venue that is down delays a mover by at most a day; then its series alone decides",
  Effect.fnUntraced(function* ({ venue, tick, publish, price, store }) {
    const score = scoreOf(store)
    yield* publish([mover(0)])
    yield* price(0, { 60: 0.6 })
    venue.down = true
    const { verdicts, failed, rejected } = yield* tick(now + 90 * minute)
    equal([verdicts, failed, rejected], [{}, ["resolutions"], { unavailable: 1 }])
    equal((yield* tick(now + 90 * minute + day)).verdicts, {})
    equal((yield* tick(now + 90 * minute + day + 1)).verdicts, { persisted: 1 })
    // The missing resolution shows that the market was paid before the check.
    venue.down = false
    venue.resolutions = [paid(0, 0, now + 50 * minute)]
    yield* tick(now + 2 * day)
    equal((yield* score).movers.persistedAfter1h, 0)
  }),
)

/** An entry in the n-th market, published at noon. */
const entry = (n: number, label: "follow" | "fade" | null = null) =>
  newWhaleItem({ market: marketOf(n), createdAt: now, label })

/** Four days with movers, outcomes, entries, their readings, payouts and corrections. */
const scenario = Effect.fnUntraced(function* (withKills: boolean) {
  const { venue, ports, service, publish, price, store } = yield* openScores
  const killer = makeKiller()
  const watched = ports.pipe(
    Context.add(FeedStore, killer.watched(Context.get(ports, FeedStore))),
    Context.add(MarketStore, killer.watched(Context.get(ports, MarketStore))),
    Context.add(ScoreStore, killer.watched(store)),
    Context.add(VenueClient, killer.watched(Context.get(ports, VenueClient))),
  )
  yield* publish([mover(0), outcome(0), mover(1), outcome(1), outcome(2), mover(3), mover(9)])
  yield* publish([entry(0, "follow"), entry(1, "fade"), entry(2), entry(3)])
  yield* price(0, { 55: 0.7, 1_430: 0.45 })
  yield* price(1, { 65: 0.55 })
  venue.books = { 0: [0.49, 0.51, 5_000], 2: [0.3, 0.32, 100] }
  let died = 0
  const steps: ReadonlyArray<readonly [number, ReadonlyArray<Resolution>]> = [
    [now, []],
    [now + minute, []],
    [now + hour, []],
    [now + 90 * minute, []],
    [now + 4 * hour, [paid(0, 1), paid(1, 0)]],
    [now + day + hour, [paid(0, 1), paid(1, 0), paid(2, 0.5), cancelled(3)]],
    [now + 4 * day, [paid(0, 0), paid(1, 0), paid(2, 0.5), cancelled(3)]],
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
  const [cursor, entries] = [yield* store.cursor, yield* store.entries]
  return { died, ...yield* scoreOf(store), cursor, entries }
})

test("tick() and readBooks() have the same result when they are killed at every call", () =>
  Effect.gen(function* () {
    const { died: none, ...undisturbed } = yield* Effect.scoped(scenario(false))
    yield* TestClock.setTime(now - 1)
    const { died, ...killed } = yield* Effect.scoped(scenario(true))
    strictEqual(none, 0)
    ok(died >= 60, `only ${died} processes died`)
    equal(killed, undisturbed)
    const { entries, ...counts } = undisturbed
    equal(entries.map(({ later }) => later), [0, 0, 0.5, "unknown"])
    equal(entries.map(({ readings }) => readings.length), [2, 0, 2, 0])
    equal(counts, {
      movers: {
        emitted: 4,
        ...{ judgedAfter1h: 2, persistedAfter1h: 2, unknownAfter1h: 2 },
        ...{ judgedAfter6h: 2, persistedAfter6h: 0, unknownAfter6h: 2 },
        ...{ judgedAfter24h: 2, persistedAfter24h: 0, unknownAfter24h: 2 },
      },
      predetermined: { emitted: 3, resolved: 2, correct: 0, uneven: 1, cancelled: 0 },
      cursor: 11,
    })
  }))

/** The n-th market, forecast to resolve within a day with this probability. */
const forecast = (n: number, probability24h: number, endsAt: number): ExpectedMarket => ({
  market: candidate(n, { endsAt }),
  mid: 0.5,
  expected: { at: now + day, probability24h, basis: "end_date", scheduledAt: endsAt },
  proposal: null,
})

on(
  "forecasts are stored every four hours, judged after a day, and scored with two baselines",
  Effect.fnUntraced(function* ({ venue, ports, tick }) {
    const totals = Effect.map(
      Context.get(ports, ScoreStore).forecastTotals,
      ({ resolution }) => resolution,
    )
    venue.expected = [
      forecast(0, 0.9, now + hour),
      forecast(1, 0.2, now + 2 * hour),
      forecast(2, 0.5, now + 9 * day),
      forecast(3, 0.7, now - hour),
    ]
    strictEqual((yield* tick(now)).forecasts, 4)
    venue.expected = [forecast(1, 0.4, now + 2 * hour)]
    strictEqual((yield* tick(now + hour)).forecasts, 0)
    strictEqual((yield* tick(now + 4 * hour)).forecasts, 1)
    venue.expected = []
    // Resolved in time, a minute late, never, and at an unknown time.
    const late = now + day + minute
    venue.resolutions = [paid(0, 1, now + day), paid(1, 0, late), paid(3, 1, null)]
    yield* tick(now + day + 29 * minute)
    strictEqual((yield* totals).difference.n, 0)
    yield* tick(now + day + 30 * minute)
    const { squaredError, difference, ...judged } = yield* totals
    equal(
      [judged.forecasts, difference.n, judged.value, judged.unknown, judged.baselineSquaredError],
      [5, 3, 1, 1, 1],
    )
    strictEqual(Math.round(squaredError * 1e6), Math.round((0.1 ** 2 + 0.2 ** 2 + 0.5 ** 2) * 1e6))
    yield* tick(now + day + 5 * hour)
    const score = resolutionScore(yield* totals)
    equal([score.judged, score.resolvedWithin24h, score.unknown], [4, 2, 1])
    equal([score.brier, score.baseRateBrier], [0.165, 0.25])
    strictEqual(score.endDateBrier, 0.25)
  }),
)

on(
  "a forecast waits for the venue for a day, and is then unknown",
  Effect.fnUntraced(function* ({ venue, ports, tick }) {
    const totals = Effect.map(
      Context.get(ports, ScoreStore).forecastTotals,
      ({ resolution }) => resolution,
    )
    venue.expected = [forecast(0, 0.9, now + hour)]
    yield* tick(now)
    Object.assign(venue, { down: true, expected: [] })
    yield* tick(now + day + hour)
    strictEqual((yield* totals).unknown, 0)
    yield* tick(now + 2 * day + hour)
    const score = resolutionScore(yield* totals)
    equal([score.forecasts, score.judged, score.unknown, score.brier], [1, 0, 1, null])
  }),
)

/** What a report on the n-th market stated at noon. */
const estimate = (n: number, fields: Partial<Forecast> = {}): Forecast => ({
  ...{ kind: "price", marketId: marketOf(n).id, eventKey: `event-${n}`, madeAt: now },
  ...{ baseline: 0.5, probability: 0.6, low: 0.4, high: 0.8 },
  ...fields,
})

on(
  "a stated probability is compared with the mid a day later, or with the payout by then",
  Effect.fnUntraced(function* ({ venue, ports, tick, price }) {
    const { addForecasts, forecastTotals } = Context.get(ports, ScoreStore)
    const totals = Effect.map(forecastTotals, ({ price }) => price)
    yield* addForecasts([
      estimate(0),
      estimate(1, { low: 0.55 }),
      estimate(2),
      estimate(3, { probability: 0.5 }),
      estimate(0, { madeAt: now + hour, low: 0, high: 1 }),
    ])
    // The price of the first day later is 0.7 and of the second 0.5; the third was paid, the last unknown.
    yield* price(0, { [24 * 60 - 5]: 0.7, [24 * 60 + 5]: 0.1, [25 * 60]: 0.7 })
    yield* price(1, { [24 * 60]: 0.5 })
    venue.resolutions = [paid(2, 1, now + 20 * hour)]
    yield* tick(now + day + 29 * minute)
    strictEqual((yield* totals).difference.n, 0)
    const { verdicts } = yield* tick(now + day + 2 * hour)
    equal(verdicts, { forecast_judged: 4, forecast_unknown: 1 })
    const { difference, squaredError, baselineSquaredError, value, ...counts } = yield* totals
    equal(counts, { forecasts: 5, unknown: 1, views: 4, intervals: 2, covered: 1 })
    const rounded = [
      value,
      squaredError,
      baselineSquaredError,
      difference.s,
      difference.clusters,
      difference.n,
    ]
    equal(rounded.map((of) => Math.round(of * 1e6) / 1e6), [2.9, 0.19, 0.33, -0.14, 3, 4])
  }),
)
