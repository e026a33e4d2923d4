/**
 * Resolutions that are late, a push, cancelled or corrected: each change is counted once, and only the
 * last resolution remains in the sums.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SimulatedMarket } from "../../src/venues/simulated/catalogue.ts"
import { hour, isoTime } from "../../src/core/domain/time.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { noSums } from "../../src/whales/domain/score.ts"
import { test } from "../support/effect.ts"
import { defaultGroups, makeTradingWorld } from "../support/venues/strategies.ts"
import { alike } from "../support/whales/records.ts"
import { storesOf } from "../support/whales/whaleStores.ts"
import { embeddedStore } from "../support/stores.ts"
import { makeOracle } from "../support/whales/whaleOracle.ts"
import {
  allActivity,
  factsOf,
  type ObservedResolutions,
  tickAt,
  tickIntervalMs,
  track,
  trialLayer,
  trialVenue,
} from "../support/whales/whaleTrial.ts"

const world = makeTradingWorld({
  seed: 9,
  markets: 36,
  lifeDays: [1, 2],
  wallets: defaultGroups.slice(0, 4).map((group) => ({ ...group, count: 1, entriesPerDay: 8 })),
})
const start = world.options.origin
const slots = Array.from({ length: 45 }, (_, n) => start + n * tickIntervalMs)

const kinds = ["true", "corrected", "late", "revived", "push", "withdrawn"] as const
const kindOf = ({ slot }: SimulatedMarket) => kinds[slot % kinds.length] ?? "true"
/** Longer than the interval at which ended markets are checked again. */
const correctedAfterMs = 26 * hour

/** The resolution of a market that this venue returns at `at`. */
function resolutionAt(market: SimulatedMarket, truth: Resolution, at: number): Resolution | null {
  const { marketId, resolvedAt, source } = truth
  const ended = { marketId, resolvedAt, source }
  const early = at - market.resolvedAt < correctedAfterMs
  const cancelled = { ...ended, state: "cancelled" } as const
  switch (kindOf(market)) {
    case "true":
      return truth
    case "late":
      return at - market.resolvedAt < 5 * hour ? null : truth
    case "push":
      return { ...ended, state: "paid", payouts: [0.5, 0.5] }
    case "corrected":
      if (!early || truth.state !== "paid") return truth
      return { ...truth, payouts: [truth.payouts[1], truth.payouts[0]] }
    case "revived":
      return early ? cancelled : truth
    case "withdrawn":
      return early ? truth : cancelled
  }
}

const run = Effect.gen(function* () {
  const observed: ObservedResolutions = []
  yield* TestClock.setTime(start - 1)
  const venue = trialVenue(world, observed, (real) => ({
    resolutions: (markets) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const { rows, rejected } = yield* real.resolutions(markets)
        const changed = rows.flatMap((truth) => {
          const market = world.catalogue.byId(truth.marketId)
          return (market && resolutionAt(market, truth, at)) ?? []
        })
        return { rows: changed, rejected }
      }),
  }))
  const trial = yield* Layer.build(
    trialLayer(venue).pipe(Layer.provide(embeddedStore)),
  )
  yield* track(trial, world.wallets.map((wallet) => ({ wallet, source: "volume" })))
  const store = storesOf(trial)
  const seen = yield* Effect.forEach(slots, (slot) =>
    Effect.gen(function* () {
      const report = yield* tickAt(trial, slot)
      return { slot, report, counted: yield* store.counted }
    }))
  const again = yield* tickAt(trial, slots.at(-1) ?? start)
  const activity = yield* allActivity(trial, world.wallets, slots.at(-1) ?? start)
  const facts = yield* factsOf(trial, [...new Set(activity.map(({ marketId }) => marketId))])
  const readAt = (at: number) => slots.find((slot) => slot >= at) ?? Infinity
  const wallets = yield* store.tracked
  const oracle = makeOracle({ activity, readAt, facts, wallets, slots, observed })
  return { observed, seen, again, oracle }
})

const done = Effect.runSync(
  Effect.cached(run.pipe(Effect.scoped, Effect.provide(TestClock.layer()))),
)

const payoutOf = ({ resolution }: ObservedResolutions[number]) =>
  resolution.state === "paid" ? resolution.payouts.join() : resolution.state

test("the run contains every kind of resolution, and every kind of correction", () =>
  Effect.gen(function* () {
    const { observed } = yield* done
    const changes = new Map<string, number>()
    for (const rows of Map.groupBy(observed, ({ resolution }) => resolution.marketId).values()) {
      const market = world.catalogue.byId(rows[0]?.resolution.marketId ?? "")
      const kind = market === undefined ? "true" : kindOf(market)
      if (new Set(rows.map(payoutOf)).size > 1) changes.set(kind, 1 + (changes.get(kind) ?? 0))
    }
    for (const kind of ["corrected", "revived", "withdrawn"]) ok(changes.has(kind), kind)
    ok(observed.some((row) => payoutOf(row) === "0.5,0.5"))
  }))

test("tick() stores the sums of the last resolution of each market", () =>
  Effect.gen(function* () {
    const { seen, oracle } = yield* done
    for (const { slot, counted } of seen) {
      const expected = oracle.sumsAt(slot)
      for (const wallet of new Set([...counted.keys(), ...expected.keys()])) {
        const sums = counted.get(wallet)?.sums ?? noSums
        ok(alike(sums, expected.get(wallet) ?? noSums), `${wallet} at ${isoTime(slot)}`)
      }
    }
  }))

test("tick() counts each new or changed resolution once", () =>
  Effect.gen(function* () {
    const { observed, seen, again } = yield* done
    let changes = 0
    for (const rows of Map.groupBy(observed, ({ resolution }) => resolution.marketId).values()) {
      changes += rows.filter((row, n) => n === 0 || payoutOf(row) !== payoutOf(rows[n - 1] ?? row))
        .length
    }
    equal(seen.reduce((sum, { report }) => sum + report.resolved, 0), changes)
    equal([again.resolved, again.counted, again.recomputed], [0, 0, 0])
  }))
