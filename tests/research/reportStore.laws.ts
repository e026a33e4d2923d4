/**
 * The laws of `ReportStore`, for every implementation.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Duration, Effect } from "effect"
import { MarketId } from "../../src/markets/domain/market.ts"
import type { Report } from "../../src/research/domain/research.ts"
import { day, hour, isoTime } from "../../src/core/domain/time.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { sampleReport } from "../support/research/reports.ts"

const market = MarketId.make("0xmarket")
const other = MarketId.make("0xother")
const lease = Duration.minutes(5)
/** A lease that expires at once. */
const expired = Duration.zero
const options = { ageMax: Duration.minutes(30), lease }
const soon = { ageMax: options.ageMax, later: Duration.zero }
const sample = sampleReport()
/** The sample, valid for so long: the stores have different clocks. */
const validFor = (ms: number): Report => ({
  ...sample,
  decision: { ...sample.decision, validUntil: isoTime(Date.now() + ms) },
})
const report = validFor(day)
const another: Report = { ...report, market: { ...report.market, question: "“odd”\0\ud800?" } }

type Law = (name: string, body: Effect.Effect<void, unknown, ReportStore>) => void

/** Acquires the lease, and returns the generation. */
const acquire = Effect.fnUntraced(function* (beginOptions = options, marketId = market) {
  const begun = yield* (yield* ReportStore).begin(marketId, beginOptions)
  ok(begun.state === "acquired")
  return begun.generation
})

export function reportLaws(on: Law): void {
  on(
    "of any number of concurrent callers one acquires the lease",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const states = yield* Effect.forEach(
        Array.from({ length: 24 }),
        () => reports.begin(market, options),
        { concurrency: "unbounded" },
      )
      strictEqual(states.filter(({ state }) => state === "acquired").length, 1)
      strictEqual(states.filter(({ state }) => state === "making").length, 23)
      strictEqual(
        (yield* reports.begin(other, options)).state,
        "acquired",
        "another market is free",
      )
    }),
  )

  on(
    "a stored report is read by all until it is too old, then one caller acquires the lease",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* acquire()
      equal(yield* reports.begin(market, options), { state: "making" })
      strictEqual(yield* reports.isMade(market, soon), false)
      const before = yield* Clock.currentTimeMillis
      const generatedAt = yield* reports.finish(market, generation, report)
      ok(generatedAt !== null && Math.abs(generatedAt - before) < 60_000)
      const made = { state: "made" as const, generatedAt, report }
      equal(yield* reports.begin(market, options), made)
      strictEqual(yield* reports.isMade(market, soon), true)
      strictEqual(yield* reports.isMade(other, soon), false)
      const old = { ...options, ageMax: Duration.zero }
      strictEqual(yield* reports.isMade(market, { ...soon, ageMax: Duration.zero }), false)
      strictEqual(yield* acquire(old), generation + 1)
      strictEqual(yield* reports.isMade(market, soon), false, "a newer one is not made")
      strictEqual((yield* reports.begin(market, options)).state, "making")
    }),
  )

  on(
    "a stored report is no longer read after the end that it states",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      yield* reports.finish(market, yield* acquire(), validFor(hour))
      strictEqual(yield* reports.isMade(market, soon), true)
      strictEqual(yield* reports.isMade(market, { ...soon, later: options.ageMax }), false, "age")
      const after = (minutes: number) =>
        reports.isMade(market, { ageMax: Duration.days(1), later: Duration.minutes(minutes) })
      strictEqual(yield* after(50), true)
      strictEqual(yield* after(70), false)
      yield* reports.finish(other, yield* acquire(options, other), validFor(-1))
      strictEqual((yield* reports.begin(other, options)).state, "acquired")
    }),
  )

  on(
    "a report is read as it was stored, except for characters that PostgreSQL refuses",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* acquire()
      yield* reports.finish(market, generation, another)
      const end = yield* reports.begin(market, options)
      ok(end.state === "made")
      ok(["“odd”\ufffd?", "“odd”\0\ud800?"].includes(end.report.market.question))
      equal({ ...end.report, market: report.market }, report)
    }),
  )

  on(
    "an expired lease is lost, and the next caller acquires it",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const late = yield* acquire({ ...options, lease: expired })
      const next = yield* acquire()
      strictEqual(next, late + 1)
      strictEqual(yield* reports.renew(market, late, lease), false)
      strictEqual(yield* reports.finish(market, late, report), null)
      strictEqual(yield* reports.finish(market, late, null), null)
      ok((yield* reports.finish(market, next, report)) !== null)
    }),
  )

  on(
    "of any number of callers that find an expired lease one takes over",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      yield* acquire({ ...options, lease: expired })
      const states = yield* Effect.forEach(
        Array.from({ length: 24 }),
        () => reports.begin(market, options),
        { concurrency: "unbounded" },
      )
      strictEqual(states.filter(({ state }) => state === "acquired").length, 1)
    }),
  )

  on(
    "a renewed lease is valid, and an expired one that no one took over still allows finish()",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* acquire({ ...options, lease: expired })
      strictEqual(yield* reports.renew(market, generation, lease), true)
      strictEqual((yield* reports.begin(market, options)).state, "making")
      strictEqual(yield* reports.renew(market, generation, expired), true)
      ok((yield* reports.finish(market, generation, report)) !== null)
      strictEqual((yield* reports.begin(market, options)).state, "made")
    }),
  )

  on(
    "a generation ends once, and after a failure the next caller acquires the lease",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const made = yield* acquire()
      yield* reports.finish(market, made, report)
      strictEqual(yield* reports.finish(market, made, another), null)
      strictEqual(yield* reports.finish(market, made, null), null)
      strictEqual(yield* reports.renew(market, made, lease), false)
      strictEqual((yield* reports.begin(market, options)).state, "made")
      const failed = yield* acquire(options, other)
      ok((yield* reports.finish(other, failed, null)) !== null)
      strictEqual(yield* reports.finish(other, failed, report), null)
      strictEqual(yield* acquire(options, other), failed + 1)
    }),
  )

  on(
    "prune() deletes old generations, except those with a valid lease",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const now = yield* Clock.currentTimeMillis
      const made = yield* acquire()
      yield* reports.finish(market, made, report)
      const making = yield* acquire(options, other)
      yield* acquire({ ...options, lease: expired }, MarketId.make("0xsilent"))
      strictEqual(yield* reports.prune(now - day), 0)
      strictEqual(yield* reports.prune(now + day), 2)
      strictEqual(yield* acquire(), made)
      ok(yield* reports.renew(other, making, lease))
    }),
  )
}
