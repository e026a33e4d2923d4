/**
 * The laws of shared research reports, for every memory of them.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Duration, Effect } from "effect"
import { MarketId } from "../../src/markets/domain/market.ts"
import type { Report } from "../../src/research/domain/research.ts"
import { day } from "../../src/core/domain/time.ts"
import { ReportStore } from "../../src/research/ReportStore.ts"
import { sampleReport } from "../support/research/reports.ts"

const market = MarketId.make("0xmarket")
const other = MarketId.make("0xother")
const lease = Duration.minutes(5)
/** A lease that has run out by the time anyone looks. */
const spent = Duration.zero
const kept = { ageMax: Duration.minutes(30), lease }
const report = sampleReport()
const another: Report = { ...report, market: { ...report.market, question: "“odd”\0\ud800?" } }

type Law = (name: string, body: Effect.Effect<void, unknown, ReportStore>) => void

/** Takes the turn, and tells its number. */
const taken = Effect.fnUntraced(function* (options = kept, marketId = market) {
  const begun = yield* (yield* ReportStore).begin(marketId, options)
  strictEqual(begun.state, "acquired")
  return begun.generation
})

export function reportLaws(on: Law): void {
  on(
    "of any number who ask at once one makes the report, and the others are told whose it is",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const states = yield* Effect.forEach(
        Array.from({ length: 24 }),
        () => reports.begin(market, kept),
        { concurrency: "unbounded" },
      )
      strictEqual(states.filter(({ state }) => state === "acquired").length, 1)
      strictEqual(states.filter(({ state }) => state === "making").length, 23)
      strictEqual(new Set(states.map(({ generation }) => generation)).size, 1)
      strictEqual((yield* reports.begin(other, kept)).state, "acquired", "another market is free")
    }),
  )

  on(
    "what was made is read by all until it is too old, and then made anew by one",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* taken()
      equal(yield* reports.generationState(market, generation), { state: "making" })
      const before = yield* Clock.currentTimeMillis
      const generatedAt = yield* reports.finish(market, generation, report)
      ok(generatedAt !== null && Math.abs(generatedAt - before) < 60_000)
      const made = { state: "made" as const, generatedAt, report }
      equal(yield* reports.generationState(market, generation), made)
      equal(yield* reports.begin(market, kept), { ...made, generation })
      const old = { ...kept, ageMax: Duration.zero }
      strictEqual(yield* taken(old), generation + 1)
      strictEqual((yield* reports.begin(market, kept)).state, "making")
      equal(
        yield* reports.generationState(market, generation),
        made,
        "who waited for it still reads it",
      )
    }),
  )

  on(
    "a report is given back as it was written, but for characters no database takes",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* taken()
      yield* reports.finish(market, generation, another)
      const end = yield* reports.generationState(market, generation)
      ok(end.state === "made")
      ok(["“odd”\ufffd?", "“odd”\0\ud800?"].includes(end.report.market.question))
      equal({ ...end.report, market: report.market }, report)
    }),
  )

  on(
    "what could not be made is told to who waited, and the next who asks makes it",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* taken()
      strictEqual(yield* reports.fail(market, generation), true)
      equal(yield* reports.generationState(market, generation), { state: "failed" })
      strictEqual(yield* taken(), generation + 1)
      equal(yield* reports.generationState(market, generation), { state: "failed" })
    }),
  )

  on(
    "a silent maker is lost, and the turn goes to the next who asks",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const late = yield* taken({ ...kept, lease: spent })
      equal(yield* reports.generationState(market, late), { state: "lost" })
      const next = yield* taken()
      strictEqual(next, late + 1)
      equal(yield* reports.generationState(market, late), { state: "lost" })
      strictEqual(yield* reports.renew(market, late, lease), false)
      strictEqual(yield* reports.finish(market, late, report), null)
      strictEqual(yield* reports.fail(market, late), false)
      equal(yield* reports.generationState(market, late), { state: "lost" })
      ok((yield* reports.finish(market, next, report)) !== null)
    }),
  )

  on(
    "of any number who find the maker silent one takes over",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      yield* taken({ ...kept, lease: spent })
      const states = yield* Effect.forEach(
        Array.from({ length: 24 }),
        () => reports.begin(market, kept),
        { concurrency: "unbounded" },
      )
      strictEqual(states.filter(({ state }) => state === "acquired").length, 1)
    }),
  )

  on(
    "a renewed lease holds, and one that ran out unseen takes nothing away",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const generation = yield* taken({ ...kept, lease: spent })
      strictEqual(yield* reports.renew(market, generation, lease), true)
      equal(yield* reports.generationState(market, generation), { state: "making" })
      strictEqual((yield* reports.begin(market, kept)).state, "making")
      strictEqual(yield* reports.renew(market, generation, spent), true)
      ok((yield* reports.finish(market, generation, report)) !== null)
      strictEqual((yield* reports.begin(market, kept)).state, "made")
    }),
  )

  on(
    "a generation ends once",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const made = yield* taken()
      yield* reports.finish(market, made, report)
      strictEqual(yield* reports.finish(market, made, another), null)
      strictEqual(yield* reports.fail(market, made), false)
      strictEqual(yield* reports.renew(market, made, lease), false)
      equal((yield* reports.generationState(market, made)).state, "made")
      const failed = yield* taken(kept, other)
      yield* reports.fail(other, failed)
      strictEqual(yield* reports.finish(other, failed, report), null)
      equal(yield* reports.generationState(other, failed), { state: "failed" })
      equal(yield* reports.generationState(other, failed + 1), { state: "lost" }, "there is none")
    }),
  )

  on(
    "what is old is forgotten, but for what is being made",
    Effect.gen(function* () {
      const reports = yield* ReportStore
      const now = yield* Clock.currentTimeMillis
      const made = yield* taken()
      yield* reports.finish(market, made, report)
      const making = yield* taken(kept, other)
      yield* taken({ ...kept, lease: spent }, MarketId.make("0xsilent"))
      strictEqual(yield* reports.prune(now - day), 0)
      strictEqual(yield* reports.prune(now + day), 2)
      equal(yield* reports.generationState(market, made), { state: "lost" })
      equal(yield* reports.generationState(other, making), { state: "making" })
      yield* taken()
    }),
  )
}
