/**
 * Markets that end late, as a push, cancelled, or otherwise than was said first: each word counts
 * once, and only the last one counts.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { SimulatedMarket } from "../../src/venues/simulated/catalogue.ts"
import { defaultGroups } from "../../src/venues/simulated/wallets.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import { hour } from "../../src/core/domain/time.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { test } from "../support/effect.ts"
import { memoryWhalesLayer, storesOf } from "../support/whales/whaleStores.ts"
import { embeddedStore } from "../support/stores.ts"
import { makeOracle } from "../support/whales/whaleOracle.ts"
import {
  actsOf,
  factsOf,
  type Heard,
  tickAt,
  tickIntervalMs,
  track,
  trialLayer,
  trialVenue,
} from "../support/whales/whaleTrial.ts"

const world = makeWorld({
  seed: 9,
  markets: 36,
  lifeDays: [1, 2],
  wallets: defaultGroups.slice(0, 4).map((group) => ({ ...group, count: 1, entriesPerDay: 8 })),
})
const start = world.options.origin
const slots = Array.from({ length: 45 }, (_, n) => start + n * tickIntervalMs)

const words = ["true", "corrected", "late", "revived", "push", "withdrawn"] as const
const wordOn = ({ slot }: SimulatedMarket) => words[slot % words.length] ?? "true"
/** Longer than it takes until a market that has ended is asked again. */
const secondThoughts = 26 * hour

/** What this venue says at `at` of how a market ended. */
function wordOf(market: SimulatedMarket, truth: Resolution, at: number): Resolution | null {
  const { marketId, resolvedAt, source } = truth
  const ended = { marketId, resolvedAt, source }
  const early = at - market.resolvedAt < secondThoughts
  const cancelled = { ...ended, state: "cancelled" } as const
  switch (wordOn(market)) {
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
  const heard: Heard = []
  yield* TestClock.setTime(start - 1)
  const venue = trialVenue(world, heard, (real) => ({
    resolutions: (markets) =>
      Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        const { rows, rejected } = yield* real.resolutions(markets)
        const told = rows.flatMap((truth) => {
          const market = world.catalogue.byId(truth.marketId)
          return (market && wordOf(market, truth, at)) ?? []
        })
        return { rows: told, rejected }
      }),
  }))
  const trial = yield* Layer.build(
    trialLayer(venue, memoryWhalesLayer).pipe(Layer.provide(embeddedStore)),
  )
  yield* track(trial, world.wallets.map((wallet) => ({ wallet, source: "volume" })))
  const store = storesOf(trial)
  const addresses = world.wallets.map(({ address }) => address)
  const seen = yield* Effect.forEach(slots, (slot) =>
    Effect.gen(function* () {
      const report = yield* tickAt(trial, slot)
      const sums = new Map([...yield* store.sums(addresses)].flatMap(([wallet, { sums }]) =>
        sums === null ? [] : [[wallet, sums] as const]
      ))
      return { slot, report, sums }
    }))
  const again = yield* tickAt(trial, slots.at(-1) ?? start)
  const activity = yield* actsOf(trial, world.wallets, slots.at(-1) ?? start)
  const facts = yield* factsOf(trial, [...new Set(activity.map(({ marketId }) => marketId))])
  const readAt = (at: number) => slots.find((slot) => slot >= at) ?? Infinity
  const oracle = makeOracle({ activity, readAt, facts, wallets: yield* store.tracked, heard })
  return { heard, seen, again, oracle }
})

const done = Effect.runSync(
  Effect.cached(run.pipe(Effect.scoped, Effect.provide(TestClock.layer()))),
)

const spoken = ({ resolution }: Heard[number]) =>
  resolution.state === "paid" ? resolution.payouts.join() : resolution.state

test("every kind of word is among what was heard, and each second thought was", () =>
  Effect.gen(function* () {
    const { heard } = yield* done
    const changes = new Map<string, number>()
    for (const said of Map.groupBy(heard, ({ resolution }) => resolution.marketId).values()) {
      const market = world.catalogue.byId(said[0]?.resolution.marketId ?? "")
      const word = market === undefined ? "true" : wordOn(market)
      if (new Set(said.map(spoken)).size > 1) changes.set(word, 1 + (changes.get(word) ?? 0))
    }
    for (const word of ["corrected", "revived", "withdrawn"]) ok(changes.has(word), word)
    ok(heard.some((said) => spoken(said) === "0.5,0.5"))
  }))

test("tick() holds the sums of the last word on each market", () =>
  Effect.gen(function* () {
    const { seen, oracle } = yield* done
    for (const { slot, sums } of seen.filter((_, n) => n % 4 === 0)) {
      equal(rounded(sums), rounded(oracle.sumsAt(slot)))
    }
  }))

test("tick() takes each word for news once", () =>
  Effect.gen(function* () {
    const { heard, seen, again } = yield* done
    let news = 0
    for (const said of Map.groupBy(heard, ({ resolution }) => resolution.marketId).values()) {
      news += said.filter((word, n) => n === 0 || spoken(word) !== spoken(said[n - 1] ?? word))
        .length
    }
    equal(seen.reduce((sum, { report }) => sum + report.resolved, 0), news)
    equal([again.resolved, again.counted, again.recomputed], [0, 0, 0])
  }))

/** As JSON, numbers that differ by crumbs of rounding alone alike. */
function rounded(sums: ReadonlyMap<string, unknown>): unknown {
  const sorted = [...sums].sort(([a], [b]) => a < b ? -1 : 1)
  return JSON.parse(
    JSON.stringify(sorted, (_, part) => typeof part === "number" ? Number(part.toFixed(6)) : part),
  )
}
