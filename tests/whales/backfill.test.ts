/**
 * Reading the histories of many wallets: some fail, some are long, and none waits for another.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Context, Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { hour } from "../../src/core/domain/time.ts"
import type { WalletSource } from "../../src/markets/VenueClient.ts"
import { WalletHistory } from "../../src/whales/WalletHistory.ts"
import type { WalletStore } from "../../src/whales/WalletStore.ts"
import { Random } from "../support/random.ts"
import {
  activityOf,
  down,
  memoryWallets,
  type VenueRow,
  walletVenue,
  wholePages,
} from "../support/whales/activity.ts"
import { activityEvent, start, tokens } from "../support/whales/activityEvents.ts"
import { test } from "../support/effect.ts"
import { truthOf } from "../support/whales/generatedActivity.ts"

const address = (n: number) => `0x${n.toString(16).padStart(40, "0")}`
const count = 30
const wallets = Array.from({ length: count }, (_, n) => address(n))

/** More rows for wallets with higher numbers. */
const rowsFor = (wallet: string): ReadonlyArray<VenueRow> =>
  Array.from({ length: 4 * Number(wallet) }, (_, n) => ({
    event: activityEvent("buy", {
      wallet,
      tokenId: tokens[0],
      price: 0.4,
      at: start - (n >> 1) * 1_000,
      transaction: `${wallet}-${n >> 1}`,
    }),
    isActivity: n % 5 > 0,
    lateMs: 0,
  })).toReversed()

const truth = new Set(wallets.flatMap((wallet) => [...truthOf(rowsFor(wallet))]))
const venue = () =>
  activityOf(rowsFor, new Random(3), { pageRows: wholePages(rowsFor(address(1)), 9) })

const backfillOf = (activity: WalletSource["activity"], store: Layer.Layer<WalletStore>) =>
  Effect.map(
    Layer.build(
      WalletHistory.layer.pipe(Layer.provide([walletVenue({ activity }), store])),
    ),
    (context) => Context.get(context, WalletHistory),
  )

/** Hides the warnings of intended failures. */
const quietly = Effect.provideService(References.MinimumLogLevel, "Error")

test("readHistories() reads every history, in as many runs as it takes", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const memory = memoryWallets(wallets)
    const slow: WalletSource["activity"] = (...args) => Effect.delay(venue()(...args), 300)
    const { readHistories: run } = yield* backfillOf(slow, memory.layer)
    const totals = { whole: 0, failed: 0, activityAdded: 0, rows: 0 }
    let left = count
    for (let runs = 1; left > 0; runs++) {
      ok(runs <= 100, "no run ends")
      const fiber = yield* Effect.forkScoped(run((yield* Clock.currentTimeMillis) + 10_000))
      yield* TestClock.adjust("11 seconds")
      const report = yield* Fiber.join(fiber)
      equal(report.wallets, left)
      left -= report.whole
      totals.whole += report.whole
      totals.failed += report.failed
      totals.activityAdded += report.activityAdded
      totals.rows += report.rejected["other_type"] ?? 0
      ok(runs > 1 || left > 0, "the first run had too much time")
    }
    equal(new Set(memory.activity.keys()), truth)
    equal([totals.whole, totals.failed, totals.activityAdded], [count, 0, truth.size])
    ok(totals.rows > 0)
    equal((yield* run(Infinity)).wallets, 0, "nothing is left to read")
  }))

test("readHistories() reads the other wallets when some fail, and continues with those at the next run", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const memory = memoryWallets(wallets)
    let isFailing = true
    const activity: WalletSource["activity"] = (wallet, ...rest) => {
      const n = Number(wallet)
      if (isFailing && n % 7 === 0) return Effect.fail(down)
      return isFailing && n % 11 === 0 ? Effect.die("a fault") : venue()(wallet, ...rest)
    }
    const { readHistories: run } = yield* backfillOf(activity, memory.layer)
    const failing = wallets.filter((wallet) =>
      Number(wallet) % 7 === 0 || Number(wallet) % 11 === 0
    )
    const first = yield* quietly(run(Infinity))
    equal([first.whole, first.failed], [count - failing.length, failing.length])
    for (const wallet of failing) equal(memory.wallets.get(wallet)?.history, "reading")
    isFailing = false
    const second = yield* run(Infinity)
    equal([second.wallets, second.whole, second.failed], [failing.length, failing.length, 0])
    equal(new Set(memory.activity.keys()), truth)
  }))

test("readHistories() reads at most four wallets at once", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    let flying = 0
    let most = 0
    const activity: WalletSource["activity"] = (...args) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void (most = Math.max(most, ++flying))),
        () => Effect.delay(venue()(...args), 100),
        () => Effect.sync(() => void flying--),
      )
    const { readHistories: run } = yield* backfillOf(activity, memoryWallets(wallets).layer)
    const fiber = yield* Effect.forkScoped(run(Infinity))
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
    equal(most, 4)
  }))
