/**
 * The laws of `ScoreStore` on every database: it behaves like the model, adds a check once, and never
 * saves a verdict of an outdated resolution.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Schema } from "effect"
import { layer } from "../../src/track-record/postgres/scoreStore.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import type { Forecast } from "../../src/track-record/domain/resolutionForecasts.ts"
import { estimatesKeptMs, type StatedEstimate } from "../../src/track-record/domain/estimates.ts"
import {
  closingKinds,
  type EntryLabel,
  entryLabels,
  type PublishedEntry,
  type ReadingResult,
} from "../../src/track-record/domain/entryScore.ts"
import { isEntryCheck, type ScoreCheck } from "../../src/track-record/domain/selfScore.ts"
import { day, hour } from "../../src/core/domain/time.ts"
import { type MoveTotals, outcomeOf } from "../../src/track-record/domain/moverDrift.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { now } from "../support/movers/market.ts"
import { memoryScores } from "../support/track-record/memoryScores.ts"
import { Random } from "../support/random.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { sized } from "../support/size.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const which = int(0, 3)
const anyEnd = Schema.Literals(["won", "lost", "shared", "cancelled"])

const readingStates = ["read", "thin", "one_sided", "missed", "no_book"] as const

/** Sequences of operations, with so few hours and markets that they collide. */
const program = Arbitrary.schema(
  Schema.Array(Schema.Union([
    Schema.Struct({
      do: Schema.Literal("addChecks"),
      fromHere: Schema.Literals([true, true, true, false]),
      checks: Schema.Array(Schema.Struct({
        market: Schema.NullOr(which),
        at: int(0, 20),
        kind: Schema.Literals(["mover_1h", "mover_6h", "mover_24h", "predetermined", "whale"]),
        label: Schema.Literals(entryLabels),
        book: Schema.Boolean,
      })).check(Schema.isMaxLength(5)),
    }),
    Schema.Struct({
      do: Schema.Literal("read"),
      at: int(0, 40),
      results: Schema.Array(Schema.Literals(readingStates))
        .check(Schema.isMinLength(1), Schema.isMaxLength(4)),
    }),
    Schema.Struct({
      do: Schema.Literal("saveResolutions"),
      at: int(0, 40),
      requested: Schema.Array(which).check(Schema.isMaxLength(4)),
      ends: Schema.Array(
        Schema.Struct({ market: which, end: anyEnd, at: Schema.NullOr(int(0, 30)) }),
      )
        .check(Schema.isMaxLength(3)),
    }),
    Schema.Struct({
      do: Schema.Literal("addForecasts"),
      at: int(0, 30),
      forecasts: Schema.Array(
        Schema.Struct({
          ...{ market: which, percent: int(0, 100), endWithin: Schema.Boolean },
          /** The mid; null for a forecast of a resolution. */
          mid: Schema.NullOr(int(0, 100)),
        }),
      ).check(Schema.isMaxLength(4)),
    }),
    Schema.Struct({ do: Schema.Literal("judgeForecasts"), at: int(0, 90) }),
    Schema.Struct({
      do: Schema.Literal("judge"),
      at: int(0, 60),
      verdicts: Schema.Array(Schema.Literals(["persisted", "reverted", "unknown"]))
        .check(Schema.isMinLength(1), Schema.isMaxLength(5)),
      /** A resolution that is saved between reading and writing. */
      between: Schema.NullOr(Schema.Struct({ market: which, end: anyEnd })),
    }),
  ])).check(Schema.isMaxLength(12)),
)
type Program = typeof program extends Arbitrary.Arbitrary<infer A> ? A : never

const id = (n: number) => MarketId.make(`m${n}`)
const at = (hours: number) => now + hours * hour

const payouts = { won: [1, 0], lost: [0, 1], shared: [0.5, 0.5] } as const
const ended = (n: number, end: typeof anyEnd.Type, hours: number | null): Resolution => {
  const shared = { marketId: id(n), resolvedAt: hours === null ? null : at(hours) }
  return end === "cancelled"
    ? { ...shared, source: "book", state: "cancelled" }
    : { ...shared, source: "oracle", state: "paid", payouts: payouts[end] }
}

/** The checks of a published whale entry. */
const whaleChecks = (feedIndex: number, market: number | null, hours: number) =>
  (["whale_entry", ...closingKinds] as const).map((kind): ScoreCheck => ({
    ...{ kind, feedIndex, marketId: market === null ? null : id(market) },
    ...{ at: at(hours + (kind === "whale_1h" ? 1 : 0)), outcome: hours % 2 === 0 ? 0 : 1 },
  }))

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

const prices = { read: 0.3, thin: null, one_sided: null }

const readingResult = (state: keyof typeof prices | "missed" | "no_book"): ReadingResult =>
  state === "missed" || state === "no_book" ? { state } : {
    state: "read",
    readAt: at(3),
    mid: state === "one_sided" ? null : 0.3,
    price: prices[state],
  }

/** The value of a judged check, as the service saves it. */
const judgement = (check: ScoreCheck, n: number, of: ReadonlyArray<MoverWord>) =>
  check.kind === "predetermined"
    ? { verdict: "correct" as const }
    : !isEntryCheck(check)
    ? { verdict: of[n % of.length] ?? "unknown" }
    : n % 3 === 0
    ? { verdict: null, value: null, dueAt: at(30 + n) }
    : check.kind === "whale_entry"
    ? { verdict: "paid" as const, value: n % 2 }
    : { verdict: "priced" as const, value: 0.25 }
type MoverWord = "persisted" | "reverted" | "unknown"
/** A move of one of few events. */
const moveOf = (n: number) => ({ converged: n % 3 === 0, eventKey: `event-${n % 4}` })

/** Runs the steps and returns every result. */
const run = Effect.fnUntraced(function* (store: ScoreStore["Service"], steps: Program) {
  const results: Array<unknown> = []
  let items = 0
  for (const step of steps) {
    if (step.do === "addChecks") {
      const from = (yield* store.cursor) + (step.fromHere ? 0 : 1)
      const entries: Array<PublishedEntry> = []
      const checks = step.checks.flatMap(
        ({ market, at: hours, kind, label, book }): ReadonlyArray<ScoreCheck> => {
          const shared = { feedIndex: ++items, marketId: market === null ? null : id(market) }
          if (kind === "whale") {
            entries.push(whaleEntry(items, hours, label, book))
            return whaleChecks(items, market, hours)
          }
          return kind === "predetermined"
            ? [{
              ...{ kind, ...shared, at: at(hours), outcome: hours % 2 === 0 ? 0 : 1 },
              contestedPrice: hours % 3 === 0 ? hours / 100 : null,
            }]
            : [{
              ...{ kind, ...shared, at: at(hours), priceStart: 0.4, priceNow: 0.1 * (hours % 9) },
              move: hours % 5 === 0 ? null : moveOf(hours),
            }]
        },
      )
      results.push(yield* store.addChecks(from, from + checks.length + 1, checks, entries))
    } else if (step.do === "read") {
      const due = yield* store.dueReadings(at(step.at), 5)
      const found = due.map(({ feedIndex, delayMinutes }, n) => ({
        ...{ feedIndex, delayMinutes },
        result: readingResult(step.results[n % step.results.length] ?? "missed"),
      }))
      // A second result of the same reading is ignored.
      results.push(due, yield* store.saveReadings(found))
      results.push(
        yield* store.saveReadings(found.map((one) => ({
          ...one,
          result: { state: "missed" as const },
        }))),
      )
    } else if (step.do === "saveResolutions") {
      const rows = step.ends.map(({ market, end, at }) => ended(market, end, at))
      results.push(yield* store.saveResolutions(rows, step.requested.map(id), at(step.at)))
    } else if (step.do === "addForecasts") {
      yield* store.addForecasts(step.forecasts.map(forecast(at(step.at))))
    } else if (step.do === "judgeForecasts") {
      const due = yield* store.dueForecasts({
        ...{ now: at(step.at), overdueBefore: at(step.at - 24), limit: 3 },
      })
      const judged = due.map(({ forecast, requested }) => ({
        forecast,
        value: !requested ? null : forecast.kind === "price" ? valueOf(forecast) : step.at % 2,
      }))
      results.push(due, yield* store.saveForecastVerdicts([...judged, ...judged.slice(0, 1)]))
    } else {
      const due = yield* store.dueChecks({
        now: at(step.at),
        overdueBefore: at(step.at - 24),
        limit: 4,
      })
      if (step.between !== null) {
        const { market, end } = step.between
        results.push(yield* store.saveResolutions([ended(market, end, null)], [], at(step.at)))
      }
      results.push(
        due,
        yield* store.saveVerdicts(due.map(({ check, version }, n) => ({
          ...{ check, version },
          ...judgement(check, n, step.verdicts),
          point: n % 2 === 0 ? null : { at: at(n), mid: 0.25 },
          outcome: !("priceStart" in check) || n % 3 === 0
            ? null
            : outcomeOf(check, 0.05 * (check.feedIndex % 20)),
        }))),
      )
    }
    const query = { limit: 3, now: at(30), requestedBefore: at(10) }
    results.push(
      yield* store.cursor,
      rounded(yield* store.counts),
      yield* store.outcomes(0, 100),
      yield* store.outcomes(2, 3),
      yield* store.version,
      [...yield* store.entryTotals].map(rounded).sort(),
      [...yield* store.walletEntrySums].map(rounded).sort(),
      yield* store.dueReadings(at(50), 100),
      (yield* store.moveTotals).toSorted(byKey),
      yield* store.dueMarkets({ ...query, endedAfter: at(12), requestedAgainBefore: at(20) }),
      yield* store.dueChecks({ now: at(60), overdueBefore: at(5), limit: 100 }),
      yield* store.forecastsMadeAt,
      rounded(yield* store.forecastCounts),
      rounded(yield* store.estimateTotals),
      yield* store.dueForecasts({ now: at(60), overdueBefore: at(30), limit: 5 }),
    )
  }
  return results
})

type DrawnForecast = Extract<Program[number], { do: "addForecasts" }>["forecasts"][number]

const forecast = (madeAt: number) => (drawn: DrawnForecast): Forecast => {
  const { market, percent, endWithin, mid } = drawn
  const shared = { marketId: id(market), madeAt, probability: percent / 100 }
  if (mid === null) return { kind: "resolution", ...shared, endWithin }
  return {
    ...{ kind: "price", ...shared, eventKey: `event-${market % 3}`, mid: mid / 100 },
    ...{ low: shared.probability / 2, high: endWithin ? 1 : shared.probability },
    basis: endWithin ? ["move", "ladder"] : [],
  }
}

/** Often a payout, or at the ends of the interval. */
const valueOf = ({ marketId, mid, high, low }: StatedEstimate) =>
  [high, low, 0.4, mid, 0, 1][(marketId.charCodeAt(1) + Math.round(mid * 100)) % 6] ?? null

const byKey = (a: MoveTotals, b: MoveTotals) =>
  `${a.horizon} ${a.converged}` < `${b.horizon} ${b.converged}` ? -1 : 1

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
  law(
    "has the same results as the model after any operations",
    checkProperty(program, (steps) =>
      Effect.gen(function* () {
        const results = yield* run(yield* ScoreStore, steps)
        assert.deepEqual(sorted(results), sorted(yield* run(memoryScores(), steps)))
      }).pipe(Effect.provide(layer)), { runs: sized({ short: 10, full: 60 }) }),
  )

  const outcome = (feedIndex: number): ScoreCheck => ({
    ...{
      kind: "predetermined",
      feedIndex,
      marketId: id(1),
      at: now,
      outcome: 0,
      contestedPrice: null,
    },
  })

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
            ...{ check, version, point: null, outcome: null },
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
      const model = memoryScores()
      const random = new Random(5)
      const checks = Array.from({ length: 300 }, (_, n): ScoreCheck => ({
        kind: random.pick(["mover_1h", "mover_6h", "mover_24h"]),
        feedIndex: n + 1,
        marketId: null,
        at: now + random.below(5) * 12 * hour,
        priceStart: 0.5,
        priceNow: 0.501,
        move: { converged: random.chance(0.5), eventKey: `${Math.floor(n / 2)}` },
      }))
      for (const scores of [store, model]) yield* scores.addChecks(0, checks.length, checks)
      // In parts, of which each corrects some verdicts of the one before.
      for (let from = 0; from < checks.length; from += 60) {
        const judged = checks.slice(Math.max(0, from - 40), from + 60).map((check) => ({
          ...{ check, version: 0, verdict: "persisted" as const, point: null },
          outcome: random.chance(0.1)
            ? null
            : outcomeOf({ priceStart: 0.5, priceNow: 0.501 }, 0.5 + random.below(20) / 1e4),
        }))
        for (const scores of [store, model]) yield* scores.saveVerdicts(judged)
        const totals = (yield* store.moveTotals).toSorted(byKey)
        assert.equal(totals.length, 6)
        assert.deepEqual(totals, (yield* model.moveTotals).toSorted(byKey))
      }
    }).pipe(Effect.provide(layer)),
  )

  law(
    "the sums of entries equal the model's, for every label, side, book and result",
    Effect.gen(function* () {
      const filled = Effect.fnUntraced(function* (store: ScoreStore["Service"]) {
        const entries = Array.from(
          { length: 48 },
          (_, n) => whaleEntry(n + 1, n % 20, entryLabels[n % 4] ?? "none", n % 6 > 0),
        )
        const checks = entries.flatMap(({ feedIndex }) => whaleChecks(feedIndex, 1, feedIndex % 20))
        yield* store.addChecks(0, 48, checks, entries)
        const due = yield* store.dueReadings(at(50), 200)
        const read = (shift: number) =>
          due.map(({ feedIndex, delayMinutes }, n) => ({
            ...{ feedIndex, delayMinutes },
            result: readingResult(readingStates[(n + shift) % 5] ?? "missed"),
          }))
        assert.equal(yield* store.saveReadings(read(0)), 96)
        const version = yield* store.version
        assert.equal(yield* store.saveReadings(read(1)), 0)
        assert.equal(yield* store.version, version)
        yield* store.saveResolutions([ended(1, "won", 1)], [id(1)], at(60))
        const query = { now: at(60), overdueBefore: at(60), limit: 200 }
        const judged = (yield* store.dueChecks(query)).map(({ check, version }, n) => ({
          ...{ check, version, point: null, outcome: null },
          ...judgement(check, n + 1, []),
        }))
        assert.equal(yield* store.saveVerdicts(judged), judged.length)
        const known = [...yield* store.entryTotals, ...yield* store.walletEntrySums]
        return known.map(rounded).sort()
      })
      const sums = yield* filled(yield* ScoreStore)
      assert.deepEqual(sums, yield* filled(memoryScores()))
      for (const part of ["at_ask", "whale_24h_from_ask", "book_60", "unfillable_1"]) {
        assert.ok(sums.some((row) => row.includes(part)), part)
      }
    }).pipe(Effect.provide(layer)),
  )

  law(
    "the totals of estimates equal the model's, of the last year",
    Effect.gen(function* () {
      const random = new Random(6)
      const made = Array.from({ length: 60 }, (_, n) => {
        const [percent, mid] = [10 * random.below(11), n % 7 === 0 ? null : 10 * random.below(11)]
        const drawn = { market: n % 7, percent, endWithin: random.chance(0.5), mid }
        return forecast(at(n))({ ...drawn, percent: random.chance(0.3) ? mid ?? percent : percent })
      })
      const filled = Effect.fnUntraced(function* (store: ScoreStore["Service"]) {
        yield* store.addForecasts(made)
        const judged = made.slice(0, 50).map((one, n) => ({
          forecast: one,
          value: n % 9 === 0 ? null : one.kind === "price" ? valueOf(one) : n % 2,
        }))
        yield* store.saveForecastVerdicts(judged)
        const totals = [yield* store.estimateTotals]
        // Those of the first half are then older than a year; resolutions stay.
        const later = forecast(at(29) + estimatesKeptMs)
        yield* store.addForecasts([later({ market: 1, percent: 50, endWithin: true, mid: 40 })])
        totals.push(yield* store.estimateTotals)
        const counts = yield* store.forecastCounts
        return { totals, known: [...totals, counts].map(rounded) }
      })
      const { totals: [before, after], known } = yield* filled(yield* ScoreStore)
      assert.deepEqual(known, (yield* filled(memoryScores())).known)
      assert.deepEqual([before?.estimates, after?.estimates], [51, 28])
      const { views = 0, intervals = 0, covered = 0, unknown = 0, difference } = before ?? {}
      assert.ok(views > 0 && views < (difference?.n ?? 0), `${views} views`)
      assert.ok(covered > 0 && covered < intervals && unknown > 0, `${covered} of ${intervals}`)
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
