/**
 * A whale process that is killed at every call has the same results as one that is not killed.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { WalletHistory } from "../../src/whales/WalletHistory.ts"
import { Whales } from "../../src/whales/Whales.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { test } from "../support/effect.ts"
import { defaultGroups, makeTradingWorld } from "../support/venues/strategies.ts"
import { sized } from "../support/size.ts"
import { makeKiller } from "../support/killer.ts"
import { storesOf, whalesContext } from "../support/whales/whaleStores.ts"
import { embeddedStore } from "../support/stores.ts"
import {
  itemsOf,
  listAt,
  stakeMinUsd,
  tick,
  tickIntervalMs,
  track,
  type Trial,
  trialLayer,
  trialVenue,
} from "../support/whales/whaleTrial.ts"

const bettor = defaultGroups.find(({ strategy }) => strategy === "bettor")
const world = makeTradingWorld({
  seed: 8,
  markets: 30,
  lifeDays: [1, 3],
  wallets: bettor === undefined
    ? []
    : [{ ...bettor, count: 2, entriesPerDay: 6, medianStakeUsd: 3_000 }],
})
const start = world.options.origin

const ticks = sized({ short: 9, full: 20 })
/** More than the calls of a tick. */
const callsMax = 500

/** Runs ticks; if `deadly`, each is killed before its first call, then its second, until it survives. */
const run = Effect.fnUntraced(function* (deadly: boolean) {
  yield* TestClock.setTime(start - 1)
  const trial: Trial = yield* Layer.build(
    trialLayer(trialVenue(world, [])).pipe(Layer.provide(embeddedStore)),
  )
  yield* track(trial, world.wallets.map((wallet) => ({ wallet, source: "volume" })))
  const killer = makeKiller()
  const venue = Context.get(trial, VenueClient)
  const ports = trial.pipe(
    Context.add(VenueClient, {
      ...killer.watched(venue),
      wallets: venue.wallets && killer.watched(venue.wallets),
    }),
    Context.merge(whalesContext(killer.watched(storesOf(trial)))),
    Context.add(FeedStore, killer.watched(Context.get(trial, FeedStore))),
  )
  /** A new process without any state in memory. */
  const process = (slot: number) =>
    Effect.flatMap(Whales, ({ tick }) => tick(slot)).pipe(
      Effect.provide(Layer.fresh(Whales.layer({ tick, stakeMinUsd }))),
      Effect.provide(Layer.fresh(Layer.merge(WalletHistory.layer, Calibration.layer))),
      Effect.provide(ports),
    )
  let died = 0
  for (let n = 0; n < ticks; n++) {
    const slot = start + n * tickIntervalMs
    yield* listAt(trial, slot)
    for (let call = 1; deadly && call < callsMax; call++) {
      if (!(yield* killer.killed(call, process(slot)))) break
      died += 1
    }
    equal((yield* process(slot)).failed, [])
  }
  const store = storesOf(trial)
  return {
    died,
    // Without their places in the feed's chain, which have random salts.
    items: (yield* itemsOf(trial)).map(({ feedIndex: _, chain: __, ...item }) => item).sort(byText),
    open: [...yield* store.openEntries].sort(byText),
    rows: [...yield* store.calibrated].sort(byText),
    records: [...yield* store.counted].sort(byText),
  }
})

const byText = (a: unknown, b: unknown) => JSON.stringify(a) < JSON.stringify(b) ? -1 : 1

/** Removes rounding errors from all numbers. */
const rounded = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === "number" && !Number.isInteger(part) ? Number(part.toPrecision(9)) : part),
  )

test("tick() has the same results when it is killed at every call", () =>
  Effect.gen(function* () {
    const { died: none, ...quiet } = yield* Effect.scoped(run(false))
    const { died, ...killed } = yield* Effect.scoped(run(true))
    equal(none, 0)
    ok(died >= 15 * ticks, `only ${died} processes died`)
    ok(quiet.items.length >= 3, `only ${quiet.items.length} items`)
    equal(rounded(killed), rounded(quiet))
  }))
