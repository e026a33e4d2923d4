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
import type { ScoreCheck } from "../../src/track-record/domain/selfScore.ts"
import { day, hour } from "../../src/core/domain/time.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { now } from "../support/movers/market.ts"
import { memoryScores } from "../support/track-record/memoryScores.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"
import { sized } from "../support/size.ts"

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const which = int(0, 3)
const anyEnd = Schema.Literals(["won", "lost", "shared", "cancelled"])

/** Sequences of operations, with so few hours and markets that they collide. */
const program = Arbitrary.schema(
  Schema.Array(Schema.Union([
    Schema.Struct({
      do: Schema.Literal("addChecks"),
      fromHere: Schema.Literals([true, true, true, false]),
      checks: Schema.Array(Schema.Struct({
        market: Schema.NullOr(which),
        at: int(0, 20),
        kind: Schema.Literals(["mover_1h", "mover_24h", "predetermined"]),
      })).check(Schema.isMaxLength(5)),
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

/** Runs the steps and returns every result. */
const run = Effect.fnUntraced(function* (store: ScoreStore["Service"], steps: Program) {
  const results: Array<unknown> = []
  let items = 0
  for (const step of steps) {
    if (step.do === "addChecks") {
      const from = (yield* store.cursor) + (step.fromHere ? 0 : 1)
      const checks = step.checks.map(({ market, at: hours, kind }): ScoreCheck => {
        const shared = { feedIndex: ++items, marketId: market === null ? null : id(market) }
        return kind === "predetermined"
          ? { kind, ...shared, at: at(hours), outcome: hours % 2 === 0 ? 0 : 1 }
          : { kind, ...shared, at: at(hours), priceStart: 0.4, priceNow: 0.1 * (hours % 9) }
      })
      results.push(yield* store.addChecks(from, from + checks.length + 1, checks))
    } else if (step.do === "saveResolutions") {
      const rows = step.ends.map(({ market, end, at }) => ended(market, end, at))
      results.push(yield* store.saveResolutions(rows, step.requested.map(id), at(step.at)))
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
          verdict: check.kind === "predetermined"
            ? "correct"
            : step.verdicts[n % step.verdicts.length] ?? "unknown",
          point: n % 2 === 0 ? null : { at: at(n), mid: 0.25 },
        }))),
      )
    }
    const query = { limit: 3, now: at(30), requestedBefore: at(10) }
    results.push(
      yield* store.cursor,
      yield* store.counts,
      yield* store.version,
      yield* store.dueMarkets({ ...query, endedAfter: at(12), requestedAgainBefore: at(20) }),
      yield* store.dueChecks({ now: at(60), overdueBefore: at(5), limit: 100 }),
    )
  }
  return results
})

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
    ...{ kind: "predetermined", feedIndex, marketId: id(1), at: now, outcome: 0 },
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
            ...{ check, version, point: null },
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
