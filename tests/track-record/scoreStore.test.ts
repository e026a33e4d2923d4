/**
 * The laws of `ScoreStore` on every database: it adds a check once, returns what is due in order, never
 * saves a verdict of an outdated resolution, and its sums are those of the definition.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Effect } from "effect"
import { layer } from "../../src/track-record/postgres/scoreStore.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import {
  type EntryLabel,
  entryLabels,
  type PublishedEntry,
  type ReadingResult,
  type ScoredEntry,
} from "../../src/track-record/domain/entryScore.ts"
import { type CheckVerdict, type ScoreCheck } from "../../src/track-record/domain/selfScore.ts"
import { day, hour } from "../../src/core/domain/time.ts"
import { horizons, type MoveTotals, outcomeOf } from "../../src/track-record/domain/moverDrift.ts"
import { type Forecast, forecastsKeptMs } from "../../src/track-record/domain/forecasts.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import * as whaleMarketStore from "../../src/whales/postgres/whaleMarketStore.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { now } from "../support/movers/market.ts"
import { totalsOfForecasts } from "../support/track-record/forecastTotals.ts"
import { type JudgedMove, totalsOfMoves } from "../support/track-record/moveTotals.ts"
import { Random } from "../support/random.ts"
import { onEveryStore } from "../support/stores.ts"

const readingStates = ["read", "thin", "missed", "no_book"] as const

const id = (n: number) => MarketId.make(`m${n}`)
const at = (hours: number) => now + hours * hour

const payouts = { won: [1, 0], lost: [0, 1], shared: [0.5, 0.5] } as const
const ended = (
  n: number,
  end: keyof typeof payouts | "cancelled",
  hours: number | null,
): Resolution => {
  const shared = { marketId: id(n), resolvedAt: hours === null ? null : at(hours) }
  return end === "cancelled"
    ? { ...shared, state: "cancelled" }
    : { ...shared, state: "paid", payouts: payouts[end] }
}

/** The check of a published whale entry. */
const whaleCheck = (feedIndex: number, market: number | null, hours: number): ScoreCheck => ({
  ...{ kind: "whale_24h", feedIndex, marketId: market === null ? null : id(market) },
  ...{ at: at(hours + 24), outcome: hours % 2 === 0 ? 0 : 1 },
})

const whaleEntry = (
  feedIndex: number,
  hours: number,
  label: EntryLabel,
  book: boolean,
): PublishedEntry => ({
  ...{ feedIndex, wallet: `0x${hours % 3}`, eventKey: `event-${hours % 4}`, label },
  ...{ entryPrice: 0.05 * (1 + hours % 18), feeRate: 0.01 * (hours % 3) },
  asks: book ? [0.04 * (1 + hours % 20), 0.9] : null,
})

const readingResult = (state: (typeof readingStates)[number]): ReadingResult =>
  state === "missed" || state === "no_book"
    ? { state }
    : { state: "read", prices: [state === "thin" ? null : 0.3, 0.7] }

const byKey = (a: MoveTotals, b: MoveTotals) =>
  `${a.horizon} ${a.phase}` < `${b.horizon} ${b.phase}` ? -1 : 1

/** Sums of floats depend on their order. */
const rounded = (value: unknown): string =>
  JSON.stringify(
    sorted(JSON.parse(JSON.stringify(value, (_, part) =>
      typeof part === "number" ? Math.round(part * 1e7) / 1e7 + 0 : part))),
  )

const sorted = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(
          Object.entries(part).sort(([a], [b]) =>
            a < b ? -1 : 1
          ),
        )
        : part),
  )

onEveryStore("ScoreStore", (law) => {
  const outcome = (
    feedIndex: number,
    market = 1,
    contestedPrice: number | null = null,
  ): ScoreCheck => ({
    ...{ kind: "predetermined", feedIndex, marketId: id(market), at: now, outcome: 0 },
    contestedPrice,
  })
  const mover = (feedIndex: number, market: number | null, hours: number): ScoreCheck => ({
    ...{ kind: "mover_1h", feedIndex, marketId: market === null ? null : id(market) },
    ...{ at: at(hours), priceStart: 0.4, priceNow: 0.6, move: null },
  })
  const judged = (check: ScoreCheck, version: number, verdict: CheckVerdict | null) => ({
    ...{ check, version, verdict, point: null, outcome: null, value: null },
  })

  law(
    "dueMarkets() are those that a check, an outcome or a possible correction waits for, the longest unrequested first",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const checks = [outcome(1, 1), mover(2, 2, 1), mover(3, 3, 50), outcome(4, 4)]
      yield* store.addChecks(0, 4, checks)
      yield* store.addChecks(4, 6, [mover(5, 1, 200), mover(6, 2, -50)])
      const early = { requestedBefore: at(0), endedAfter: at(90), requestedAgainBefore: at(0) }
      const due = (query: Partial<Parameters<typeof store.dueMarkets>[0]> = {}) =>
        store.dueMarkets({ limit: 9, now: at(3), ...early, ...query })
      assert.deepEqual(yield* due(), [1, 2, 4].map(id))
      assert.deepEqual(yield* due({ limit: 2 }), [1, 2].map(id))
      yield* store.saveResolutions([], [id(1)], at(6))
      // Earlier than known, so it changes nothing.
      yield* store.saveResolutions([], [id(1), id(2), id(4)], at(5))
      assert.deepEqual(yield* due(), [])
      // An outcome that is not paid yet.
      assert.deepEqual(yield* due({ requestedBefore: at(6) }), [id(4)])
      assert.deepEqual(yield* due({ requestedBefore: at(7) }), [4, 1].map(id))
      // A mover that was judged by its price, and may still be paid.
      const again = { requestedAgainBefore: at(6), endedAfter: at(1), now: at(51) }
      yield* store.saveResolutions([], [id(3)], at(60))
      assert.deepEqual(yield* due(again), [id(2)])
      assert.deepEqual(yield* due({ ...again, endedAfter: at(2) }), [])
      // A resolution that may be corrected; one of unknown time ended when it was known.
      yield* store.saveResolutions([ended(4, "won", 8), ended(1, "won", null)], [], at(7))
      const ending = { ...early, requestedAgainBefore: at(9), now: at(0) }
      assert.deepEqual(yield* due({ ...ending, endedAfter: at(6) }), [4, 1].map(id))
      assert.deepEqual(yield* due({ ...ending, endedAfter: at(7) }), [id(4)])
      assert.deepEqual(
        yield* due({ ...ending, endedAfter: at(6), requestedAgainBefore: at(5) }),
        [],
      )
      assert.deepEqual(yield* due({ requestedBefore: at(9), now: at(0) }), [])
      yield* store.saveResolutions([ended(1, "lost", null)], [], at(20))
      assert.deepEqual(yield* due({ ...ending, endedAfter: at(7) }), [id(4)])
    }).pipe(Effect.provide(layer)),
  )

  law(
    "dueChecks() wait until their market is requested or they are overdue, and are in order",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const checks = [mover(1, 1, 3), mover(2, 2, 2), mover(3, null, 1), mover(4, 1, 2)]
      yield* store.addChecks(0, 4, checks)
      const due = (now: number, overdueBefore = at(0), limit = 9) =>
        Effect.map(
          store.dueChecks({ now, overdueBefore, limit }),
          (found) => found.map(({ check }) => check.feedIndex),
        )
      assert.deepEqual(yield* due(at(1)), [])
      assert.deepEqual(yield* due(at(9)), [3])
      assert.deepEqual(yield* due(at(9), at(3)), [3, 2, 4])
      yield* store.saveResolutions([], [id(1), id(7)], at(3))
      assert.deepEqual(yield* due(at(9)), [3, 4])
      yield* store.saveResolutions([], [id(1), id(2)], at(4))
      assert.deepEqual(yield* due(at(9)), [3, 2, 4, 1])
      assert.deepEqual(yield* due(at(9), at(0), 3), [3, 2, 4])
      assert.deepEqual(yield* due(at(3)), [3, 2, 4])
      const [check] = yield* store.dueChecks({ now: at(9), overdueBefore: at(0), limit: 1 })
      assert.deepEqual(check, {
        ...{ check: checks[2], version: 0, resolution: null, hasVerdict: false, point: null },
      })
    }).pipe(Effect.provide(layer)),
  )

  law(
    "a verdict of an outdated resolution is ignored, and a new resolution makes its checks due again",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const check = outcome(1)
      yield* store.addChecks(0, 2, [check, outcome(2, 1, 0.4)])
      const due = store.dueChecks({ now: at(9), overdueBefore: at(9), limit: 9 })
      assert.deepEqual(yield* due, [])
      assert.equal(
        yield* store.saveResolutions([ended(1, "won", 1), ended(8, "won", 1)], [], at(1)),
        1,
      )
      assert.equal(yield* store.saveResolutions([ended(1, "won", 1)], [], at(2)), 0)
      assert.deepEqual((yield* due).map(({ version, resolution }) => [version, resolution]), [
        [1, ended(1, "won", 1)],
        [1, ended(1, "won", 1)],
      ])
      const version = yield* store.version
      assert.equal(yield* store.saveVerdicts([judged(check, 0, "wrong")]), 0)
      assert.deepEqual([(yield* store.counts).predetermined, yield* store.version], [
        { open: 1 },
        version,
      ])
      assert.equal(yield* store.saveVerdicts([judged(check, 1, "correct")]), 1)
      assert.notEqual(yield* store.version, version)
      assert.deepEqual((yield* due).map(({ check }) => check.feedIndex), [2])
      const { predetermined, contested, contestedMeanPrice } = yield* store.counts
      assert.deepEqual([predetermined, contested, contestedMeanPrice], [
        { correct: 1 },
        { open: 1 },
        null,
      ])
      yield* store.saveVerdicts([judged(outcome(2, 1, 0.4), 1, "wrong")])
      assert.equal((yield* store.counts).contestedMeanPrice, 0.4)
      // Without a time the known one stays, so nothing is new.
      assert.equal(yield* store.saveResolutions([ended(1, "won", null)], [], at(3)), 0)
      assert.equal(yield* store.saveResolutions([ended(1, "cancelled", null)], [], at(3)), 1)
      const [again] = yield* due
      assert.deepEqual([again?.version, again?.hasVerdict, again?.resolution], [
        ...[2, true],
        ended(1, "cancelled", 1),
      ])
      assert.equal(yield* store.saveVerdicts([judged(check, 2, null)]), 1)
      assert.deepEqual((yield* store.counts).predetermined, { open: 1 })
    }).pipe(Effect.provide(layer)),
  )

  law(
    "outcomes() are the checks of the items after an index, with what their items said",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const entry = whaleEntry(2, 3, "fade", true)
      const later: ScoreCheck = {
        ...{ kind: "mover_24h", feedIndex: 1, marketId: id(1), at: at(24) },
        ...{ priceStart: 0.4, priceNow: 0.6, move: null },
      }
      const checks = [mover(1, 1, 1), later, whaleCheck(2, 1, 3), mover(4, 1, 2)]
      yield* store.addChecks(0, 4, checks, [entry])
      const moved = outcomeOf({ priceStart: 0.4, priceNow: 0.6 }, 0.62)
      yield* store.saveVerdicts([{ ...judged(mover(1, 1, 1), 0, "persisted"), outcome: moved }])
      const all = yield* store.outcomes(0, 9)
      assert.deepEqual(all.map(({ feedIndex }) => feedIndex), [1, 1, 2, 4])
      assert.deepEqual(all[0], {
        ...{ feedIndex: 1, kind: "mover_1h", at: at(1), verdict: "persisted" },
        ...{ priceStart: 0.4, priceNow: 0.6, drift: moved.drift, value: null, entryPrice: null },
        ...{ result: null, payout: null },
      })
      assert.equal(all[2]?.entryPrice, entry.entryPrice)
      const first = yield* store.outcomes(0, 1)
      assert.deepEqual(first, all.slice(0, 3))
      assert.deepEqual(yield* store.outcomes(2, 9), all.slice(3))
      // The outcome of an entry is that of its market in the whale tables.
      yield* (yield* WhaleMarketStore).saveResolutions([ended(1, "won", 8)], [], at(9))
      const [paid] = yield* store.outcomes(1, 1)
      assert.deepEqual([paid?.result, paid?.payout, paid?.value], ["paid", 0, null])
    }).pipe(Effect.provide([layer, whaleMarketStore.layer])),
  )

  law(
    "addChecks() of the same items succeeds on one of many replicas",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const added = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => store.addChecks(0, 3, [outcome(1), outcome(3)]),
        { concurrency: "unbounded" },
      )
      assert.equal(added.filter((it) => it).length, 1)
      assert.equal(yield* store.cursor, 3)
      assert.deepEqual((yield* store.counts).predetermined, { open: 2 })
    }).pipe(Effect.provide(layer)),
  )

  law(
    "concurrent verdicts and resolutions end with the verdict of the last resolution",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      yield* store.addChecks(0, 1, [outcome(1)])
      for (let n = 0; n < 12; n++) {
        const end = n % 2 === 0 ? "won" : "lost"
        const judge = Effect.gen(function* () {
          const due = yield* store.dueChecks({ now: now + day, overdueBefore: now, limit: 9 })
          yield* store.saveVerdicts(due.map(({ check, version, resolution }) => ({
            ...{ check, version, point: null, outcome: null, value: null },
            verdict: resolution?.state === "paid" && resolution.payouts[0] === 1
              ? "correct"
              : "wrong",
          })))
        })
        yield* store.saveResolutions([ended(1, end === "won" ? "lost" : "won", n)], [id(1)], now)
        yield* Effect.all([
          judge,
          store.saveResolutions([ended(1, end, n)], [id(1)], now),
          judge,
        ], { concurrency: "unbounded" })
        yield* judge
        assert.deepEqual((yield* store.counts).predetermined, {
          [end === "won" ? "correct" : "wrong"]: 1,
        })
      }
    }).pipe(Effect.provide(layer)),
  )

  law(
    "an outcome of a market that is resolved already is due at once",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      yield* store.addChecks(0, 1, [outcome(1)])
      yield* store.saveResolutions([ended(1, "won", 1)], [id(1)], now)
      yield* store.addChecks(1, 2, [outcome(2)])
      const due = yield* store.dueChecks({ now, overdueBefore: now, limit: 9 })
      assert.deepEqual(due.map(({ check }) => check.feedIndex), [1, 2])
    }).pipe(Effect.provide(layer)),
  )

  law(
    "moveTotals follow each verdict and its corrections",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const random = new Random(5)
      const checks = Array.from({ length: 300 }, (_, n) => {
        const horizon = random.pick(horizons)
        const publishedAt = now + random.below(5) * 12 * hour
        const phase = random.chance(0.5) ? "running" as const : "settled" as const
        const move = { phase, eventKey: `${Math.floor(n / 2)}` }
        const check: ScoreCheck = {
          ...{ kind: `mover_${horizon}`, feedIndex: n + 1, marketId: null, move },
          at: publishedAt + Number.parseInt(horizon) * hour,
          ...{ priceStart: 0.5, priceNow: 0.501 },
        }
        return { check, judged: { horizon, publishedAt, ...move } }
      })
      yield* store.addChecks(0, checks.length, checks.map(({ check }) => check))
      const known = new Map<number, JudgedMove>()
      // In parts, of which each corrects some verdicts of the one before.
      for (let from = 0; from < checks.length; from += 60) {
        const part = checks.slice(Math.max(0, from - 40), from + 60).map(({ check, judged }) => {
          const outcome = random.chance(0.1)
            ? null
            : outcomeOf({ priceStart: 0.5, priceNow: 0.501 }, 0.5 + random.below(20) / 1e4)
          if (outcome === null) known.delete(check.feedIndex)
          else known.set(check.feedIndex, { ...judged, ...outcome })
          const none = { point: null, value: null }
          return { check, version: 0, verdict: "persisted" as const, ...none, outcome }
        })
        yield* store.saveVerdicts(part)
        const totals = (yield* store.moveTotals).toSorted(byKey)
        assert.equal(totals.length, 6)
        assert.deepEqual(totals, totalsOfMoves([...known.values()]).toSorted(byKey))
      }
    }).pipe(Effect.provide(layer)),
  )

  law(
    "entries are as published, with their readings, their later price and how their market ended",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      const entries = Array.from(
        { length: 24 },
        (_, n) => whaleEntry(n + 1, n, entryLabels[n % 4] ?? "none", n % 6 > 0),
      )
      const checks = entries.map(({ feedIndex }, n) => whaleCheck(feedIndex, n % 4, n))
      yield* store.addChecks(0, 24, checks, entries)
      const due = yield* store.dueReadings(at(50), 200)
      const inOrder = due.toSorted((a, b) =>
        a.dueAt - b.dueAt || a.feedIndex - b.feedIndex || a.delayMinutes - b.delayMinutes
      )
      assert.deepEqual(due, inOrder)
      assert.deepEqual(due[0], {
        ...{ feedIndex: 1, delayMinutes: 1, marketId: id(0), outcome: 0, dueAt: now + 60_000 },
      })
      assert.deepEqual(yield* store.dueReadings(due[0]?.dueAt ?? 0, 1), due.slice(0, 1))
      assert.deepEqual(yield* store.dueReadings((due[0]?.dueAt ?? 0) - 1, 9), [])
      const read = (shift: number) =>
        due.map((reading, n) => ({
          ...reading,
          result: readingResult(readingStates[(n + shift) % 4] ?? "missed"),
        }))
      const unread = yield* store.version
      assert.equal(yield* store.saveReadings(read(0).slice(0, 47)), 47)
      assert.deepEqual(yield* store.dueReadings(at(50), 200), due.slice(47))
      const version = yield* store.version
      assert.notEqual(version, unread)
      assert.equal(yield* store.saveReadings(read(1).slice(0, 47)), 0)
      assert.equal(yield* store.version, version)
      const values = [null, 0.25, "unknown"] as const
      yield* store.saveVerdicts(checks.flatMap((check, n) => {
        const later = values[n % 3]
        return later === undefined || later === null ? [] : [{
          ...{ check, version: 0, point: null, outcome: null },
          ...later === "unknown"
            ? { verdict: "unknown" as const, value: null }
            : { verdict: "priced" as const, value: later },
        }]
      }))
      const ends = [ended(0, "won", 8), ended(1, "shared", 8), ended(2, "cancelled", 8)]
      yield* (yield* WhaleMarketStore).saveResolutions(ends, [], at(9))
      assert.deepEqual(
        yield* store.entries,
        entries.map((entry, n): ScoredEntry => ({
          ...{ ...entry, later: values[n % 3] ?? null },
          result: n % 4 === 3 ? null : n % 4 === 2 ? "cancelled" : "paid",
          payout: n % 4 > 1 ? null : n % 4 === 1 ? 0.5 : n % 2 === 0 ? 1 : 0,
          readings: [1, 60].flatMap((delayMinutes) => {
            const n = due.findIndex((one) =>
              one.feedIndex === entry.feedIndex && one.delayMinutes === delayMinutes
            )
            const result = n < 47 ? read(0)[n]?.result : undefined
            return result?.state === "read" ? [{ delayMinutes, prices: result.prices }] : []
          }),
        })),
      )
    }).pipe(Effect.provide([layer, whaleMarketStore.layer])),
  )

  /** One of `n`, every seventh of a resolution; half of them agree with the mid. */
  const forecastOf = (n: number): Forecast => {
    const probability = n * 37 % 100 / 100
    const shared = { marketId: id(n % 7), madeAt: at(n), probability, eventKey: `event-${n % 3}` }
    return n % 7 === 0
      ? { kind: "resolution", ...shared, baseline: n % 2 === 0 ? 1 : 0, low: 0, high: 1 }
      : {
        ...{ kind: "price", ...shared },
        baseline: n % 3 === 0 ? probability : n * 53 % 100 / 100,
        low: n % 8 === 0 ? 0 : probability / 2,
        high: n % 4 === 0 ? 1 : probability,
      }
  }
  const forecasts = Array.from({ length: 60 }, (_, n) => forecastOf(n))

  law(
    "the totals of forecasts are those of the definition: of resolutions and of estimates, for a year",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      yield* store.addForecasts(forecasts)
      yield* store.addForecasts(forecasts.map((one) => ({ ...one, probability: 1, high: 1 })))
      assert.equal(yield* store.forecastsMadeAt, at(56))
      const judged = forecasts.slice(0, 50).map((forecast, n) => {
        const payouts = forecast.kind === "price"
          ? [forecast.high, forecast.baseline, 0, 1, 0.4]
          : [1, 0]
        return { forecast, value: n % 9 === 0 ? null : payouts[n % payouts.length] ?? null }
      })
      assert.equal(yield* store.saveForecastVerdicts(judged), 50)
      const version = yield* store.version
      // The first verdict stays.
      const others = judged.map(({ forecast }) => ({ forecast, value: 0.5 }))
      assert.equal(yield* store.saveForecastVerdicts(others), 0)
      assert.equal(yield* store.version, version)
      const stored = forecasts.map((forecast, n) => ({
        ...{ forecast, judged: n < 50, value: judged[n]?.value ?? null },
      }))
      const known = (of: typeof stored) => ({
        resolution: totalsOfForecasts(of, "resolution"),
        price: totalsOfForecasts(of),
      })
      const before = known(stored)
      assert.equal(rounded(yield* store.forecastTotals), rounded(before))
      const { views, unknown, difference, covered, intervals } = before.price
      assert.ok(views > 0 && views < difference.n && unknown > 0)
      assert.ok(covered > 0 && covered < intervals && before.resolution.value > 0)
      // Those of the first half are then older than a year.
      const later = { ...forecastOf(1), madeAt: at(29) + forecastsKeptMs }
      yield* store.addForecasts([later])
      const kept = stored.filter(({ forecast }) => forecast.madeAt >= at(29))
      const after = known([...kept, { forecast: later, judged: false, value: null }])
      assert.equal(rounded(yield* store.forecastTotals), rounded(after))
    }).pipe(Effect.provide(layer)),
  )

  law(
    "dueForecasts() wait until their market is requested or they are overdue, the longest due first",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      yield* store.addForecasts(forecasts)
      const due = (now: number, overdueBefore: number, limit = 99) =>
        store.dueForecasts({ now: at(now), overdueBefore: at(overdueBefore), limit })
      // Due half an hour after a day.
      assert.deepEqual(yield* due(99, 24), [])
      const overdue = yield* due(99, 33)
      assert.deepEqual(
        overdue,
        forecasts.slice(0, 9).map((forecast) => ({
          ...{ forecast, resolution: null, requested: false },
        })),
      )
      assert.deepEqual(yield* due(99, 33, 2), overdue.slice(0, 2))
      const early = { requestedBefore: at(0), endedAfter: at(90), requestedAgainBefore: at(0) }
      const markets = (now: number) => store.dueMarkets({ limit: 99, now: at(now), ...early })
      assert.deepEqual(yield* markets(24), [])
      assert.deepEqual(yield* markets(26), [0, 1].map(id))
      yield* store.saveResolutions([ended(1, "won", 3)], [id(1)], at(40))
      assert.deepEqual(yield* markets(26), [id(0)])
      const requested = [1, 8, 15].map((n) => ({
        ...{ forecast: forecastOf(n), resolution: ended(1, "won", 3), requested: true },
      }))
      assert.deepEqual(yield* due(99, 0), requested)
      assert.deepEqual(yield* due(33, 0), requested.slice(0, 2))
      yield* store.saveForecastVerdicts([{ forecast: forecastOf(8), value: null }])
      assert.deepEqual(yield* due(99, 0), [requested[0], requested[2]])
    }).pipe(Effect.provide(layer)),
  )

  law(
    "saving nothing changes nothing, and an empty range moves only the cursor",
    Effect.gen(function* () {
      const store = yield* ScoreStore
      assert.equal(yield* store.saveResolutions([], [], now), 0)
      assert.equal(yield* store.saveResolutions([ended(1, "won", 1)], [id(1)], now), 0)
      assert.equal(yield* store.saveVerdicts([]), 0)
      assert.deepEqual([yield* store.cursor, yield* store.version], [0, "0"])
      assert.equal(yield* store.addChecks(0, 5, []), true)
      assert.deepEqual([yield* store.cursor, yield* store.version], [5, "0"])
    }).pipe(Effect.provide(layer)),
  )
})
