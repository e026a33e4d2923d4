/**
 * A whale tick with a failing stage: the other stages run, and the next tick catches up.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Effect, Fiber, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { VenueClient, VenueUnavailable } from "../../src/markets/VenueClient.ts"
import type { TrackedWallet } from "../../src/whales/domain/tracking.ts"
import { WalletHistory } from "../../src/whales/WalletHistory.ts"
import { Whales } from "../../src/whales/Whales.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { Calibration } from "../../src/whales/Calibration.ts"
import { test } from "../support/effect.ts"
import { defaultGroups, makeTradingWorld } from "../support/venues/strategies.ts"
import { storesOf, whalesContext, type WhaleStores } from "../support/whales/whaleStores.ts"
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

const world = makeTradingWorld({
  // No entry becomes too old to publish while the stages fail.
  seed: 331,
  markets: 30,
  lifeDays: [1, 3],
  wallets: defaultGroups.slice(0, 3).map((group) => ({
    ...group,
    count: 1,
    entriesPerDay: 12,
    medianStakeUsd: 3_000,
  })),
})
const start = world.options.origin
const down = new VenueUnavailable({ operation: "test", reason: "down" })

const trialOf = Effect.gen(function* () {
  yield* TestClock.setTime(start - 1)
  const trial: Trial = yield* Layer.build(
    trialLayer(trialVenue(world, [])).pipe(Layer.provide(embeddedStore)),
  )
  yield* track(trial, world.wallets.map((wallet) => ({ wallet, source: "volume" })))
  return trial
})

/** Runs the `n`-th tick with some ports replaced. */
const tickThrough = Effect.fnUntraced(function* (
  trial: Trial,
  n: number,
  broken: {
    readonly venue?: Partial<VenueClient["Service"]>
    readonly whales?: Partial<WhaleStores>
    readonly feed?: Partial<FeedStore["Service"]>
  } = {},
) {
  yield* listAt(trial, start + n * tickIntervalMs)
  const ports = trial.pipe(
    Context.add(VenueClient, { ...Context.get(trial, VenueClient), ...broken.venue }),
    Context.merge(whalesContext({ ...storesOf(trial), ...broken.whales })),
    Context.add(FeedStore, { ...Context.get(trial, FeedStore), ...broken.feed }),
  )
  return yield* Effect.flatMap(Whales, ({ tick }) => tick(start + n * tickIntervalMs)).pipe(
    Effect.provide(Layer.fresh(Whales.layer({ tick, stakeMinUsd }))),
    Effect.provide(Layer.fresh(Layer.merge(WalletHistory.layer, Calibration.layer))),
    Effect.provide(ports),
  )
})

test("tick() reports the stage that failed, runs the others, and catches up later", () =>
  Effect.gen(function* () {
    const trial = yield* trialOf
    const { wallets } = Context.get(trial, VenueClient)
    const bug = Effect.die("a bug")
    const cases = [
      ["facts", { venue: { facts: () => Effect.fail(down) } }],
      ["entries", { whales: { stale: () => bug } }],
      ["reading", { venue: { wallets: wallets && { ...wallets, activity: () => bug } } }],
      ["items", { feed: { append: () => bug } }],
      ["resolutions", { venue: { resolutions: () => Effect.fail(down) } }],
      ["counting", { whales: { uncounted: () => bug } }],
      ["judging", { whales: { counted: bug } }],
    ] as const
    for (const [n, [stage, broken]] of cases.entries()) {
      const report = yield* tickThrough(trial, n, broken)
      equal(report.failed, [stage])
      equal(report.labels === null, stage === "judging")
    }
    const twin = yield* trialOf
    for (const n of cases.keys()) equal((yield* tickThrough(twin, n)).failed, [])

    yield* tickThrough(trial, cases.length)
    yield* tickThrough(twin, cases.length)
    const items = yield* itemsOf(trial)
    const expected = yield* itemsOf(twin)
    ok(expected.length >= 5, `only ${expected.length} items`)
    const keysOf = (all: typeof items) =>
      all.map(({ data }) => `${data.market.slug} ${data.wallet} ${data.firstFillAt}`).sort()
    equal(keysOf(items), keysOf(expected))
    const rows = (of: Trial) =>
      Effect.map(
        storesOf(of).calibrated,
        (whales) =>
          whales.map(({ row }) => [row.wallet, row.label, row.resolved, row.openEntries]).sort(),
      )
    equal(yield* rows(trial), yield* rows(twin))
  }))

test("tick() reads the other wallets when some never answer", () =>
  Effect.gen(function* () {
    const trial = yield* trialOf
    const wallets = Array.from({ length: 20 }, (_, n) => `0x${`${n}`.padStart(40, "0")}`)
    const hanging = new Set(wallets.slice(0, 9))
    yield* Context.get(trial, WalletStore).track(
      wallets.map((wallet) => ({ wallet, name: wallet, source: "volume" as const })),
      start,
    )
    const read = new Set<string>()
    const unanswered = yield* Queue.unbounded<TrackedWallet>()
    const history = Layer.mock(WalletHistory, {
      readForward: (wallet) =>
        hanging.has(wallet.wallet)
          ? Effect.andThen(Queue.offer(unanswered, wallet), Effect.never)
          : Effect.sync(() => {
            read.add(wallet.wallet)
            return { wallet, added: 0, rejected: {} }
          }),
    })
    const { tick: tickOnce } = yield* Effect.provide(
      Whales,
      Layer.fresh(Whales.layer({ tick, stakeMinUsd })).pipe(
        Layer.provide([history, Layer.fresh(Calibration.layer)]),
        Layer.provide(Layer.succeedContext(trial)),
      ),
    )
    for (let n = 0; n < 3; n++) {
      const slot = start + n * tickIntervalMs
      yield* TestClock.setTime(slot)
      const ticking = yield* Effect.forkChild(tickOnce(slot))
      // No other wallet is read then: four are read at once.
      yield* Queue.takeN(unanswered, 4)
      yield* TestClock.adjust("5 minutes")
      equal((yield* Fiber.join(ticking)).failed, ["reading"])
    }
    const known = new Set(world.wallets.map(({ address }) => address))
    equal([...read].filter((wallet) => !known.has(wallet)).sort(), wallets.slice(9))
  }))
