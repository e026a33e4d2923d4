/**
 * Reading the histories of many wallets: some fail, some are long, and none waits for another.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Duration, Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { backfillSummary, progressBar, progressLine } from "../../src/app/console.ts"
import * as walletStore from "../../src/whales/postgres/walletStore.ts"
import { hour } from "../../src/core/domain/time.ts"
import {
  Backfill,
  type BackfillProgress,
  type ProgressListener,
} from "../../src/whales/Backfill.ts"
import type { WalletSource } from "../../src/markets/VenueClient.ts"
import { WalletHistory } from "../../src/whales/WalletHistory.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { Random } from "../support/random.ts"
import {
  activityOf,
  down,
  memoryWallets,
  type VenueRow,
  walletVenue,
} from "../support/whales/activity.ts"
import { activityEvent, start, tokens } from "../support/whales/activityEvents.ts"
import { test } from "../support/effect.ts"
import { generatedActivity, rowsOf, truthOf } from "../support/whales/generatedActivity.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"

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
  activityOf(rowsFor, new Random(3), { pageRows: (random) => 2 + random.below(9) })

const backfillOf = (activity: WalletSource["activity"], store: Layer.Layer<WalletStore>) =>
  Effect.map(
    Layer.build(
      Backfill.layer.pipe(
        Layer.provide(WalletHistory.layer),
        Layer.provide([walletVenue({ activity }), store]),
      ),
    ),
    (context) => Context.get(context, Backfill),
  )

/** Hides the warnings of intended failures. */
const quietly = Effect.provideService(References.MinimumLogLevel, "Error")

const listening = () => {
  const seen: Array<BackfillProgress> = []
  const listener: ProgressListener = {
    every: Duration.seconds(1),
    onProgress: (progress) => Effect.sync(() => void seen.push(progress)),
  }
  return { seen, listener }
}

test("run() reads every history, and reports progress in counts that only grow", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const memory = memoryWallets(wallets)
    const slow: WalletSource["activity"] = (...args) => Effect.delay(venue()(...args), 300)
    const { run } = yield* backfillOf(slow, memory.layer)
    const { seen, listener } = listening()
    const fiber = yield* Effect.forkScoped(run(listener))
    yield* TestClock.adjust("1 hour")
    const report = yield* Fiber.join(fiber)
    equal(new Set(memory.activity.keys()), truth)
    equal([report.whole, report.failed, report.activityAdded], [count, 0, truth.size])
    ok((report.rejected["other_type"] ?? 0) > 0)
    ok(seen.length > 10, "progress once a second")
    for (const [n, now] of seen.entries()) {
      const before = seen[n - 1] ?? now
      for (const key of ["whole", "truncated", "failed", "activityAdded", "pages", "at"] as const) {
        ok(now[key] >= before[key], `${key} shrank`)
      }
    }
    equal((yield* run(listener)).wallets, 0, "nothing is left to read")
  }))

test("run() reads the other wallets when some fail, and continues with those at the next run", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const memory = memoryWallets(wallets)
    let isFailing = true
    const activity: WalletSource["activity"] = (wallet, ...rest) => {
      const n = Number(wallet)
      if (isFailing && n % 7 === 0) return Effect.fail(down)
      return isFailing && n % 11 === 0 ? Effect.die("a fault") : venue()(wallet, ...rest)
    }
    const { run } = yield* backfillOf(activity, memory.layer)
    const failing = wallets.filter((wallet) =>
      Number(wallet) % 7 === 0 || Number(wallet) % 11 === 0
    )
    const first = yield* quietly(run(listening().listener))
    equal([first.whole, first.failed], [count - failing.length, failing.length])
    for (const wallet of failing) equal(memory.wallets.get(wallet)?.history, "reading")
    isFailing = false
    const second = yield* run(listening().listener)
    equal([second.wallets, second.whole, second.failed], [failing.length, failing.length, 0])
    equal(new Set(memory.activity.keys()), truth)
  }))

test("run() reads at most four wallets at once", () =>
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
    const { run } = yield* backfillOf(activity, memoryWallets(wallets).layer)
    const fiber = yield* Effect.forkScoped(run(listening().listener))
    yield* TestClock.adjust("1 hour")
    yield* Fiber.join(fiber)
    equal(most, 4)
  }))

test("run() continues where an interrupted run stopped", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const memory = memoryWallets(wallets)
    const slow: WalletSource["activity"] = (...args) => Effect.delay(venue()(...args), 300)
    const { run } = yield* backfillOf(slow, memory.layer)
    let activity = 0
    for (let stops = 0; stops < 20; stops++) {
      const fiber = yield* Effect.forkScoped(run(listening().listener))
      yield* TestClock.adjust(1_100 + 370 * stops)
      yield* Fiber.interrupt(fiber)
      ok(memory.activity.size >= activity)
      activity = memory.activity.size
    }
    const last = yield* Effect.forkScoped(run(listening().listener))
    yield* TestClock.adjust("1 hour")
    equal((yield* Fiber.join(last)).failed, 0)
    equal(new Set(memory.activity.keys()), truth)
  }))

test("run() stores the same when two run concurrently", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start + hour)
    const memory = memoryWallets(wallets)
    memory.hook = () => Effect.yieldNow
    const { run } = yield* backfillOf(venue(), memory.layer)
    yield* Effect.all([run(listening().listener), run(listening().listener)], { concurrency: 2 })
    equal(new Set(memory.activity.keys()), truth)
  }))

onEveryStore("a backfill", (law) => {
  law(
    "stores each activity event once, despite failures before and after saves",
    checkProperty(generatedActivity, (generated) =>
      Effect.scoped(Effect.gen(function* () {
        yield* TestClock.setTime(start + 1_000 * hour)
        const random = new Random(generated.seed)
        const wallet = address(1)
        const rows = rowsOf(generated, wallet).map((row) => ({ ...row, lateMs: 0 }))
        const fails = () => random.chance(0.1)
        const pageRows = (random: Random) => 2 + random.below(generated.pageRowsMax)
        const activity = activityOf(() => rows, random, { pageRows, fails })
        const store = yield* Effect.map(
          Layer.build(walletStore.layer),
          (context) => Context.get(context, WalletStore),
        )
        yield* store.track([{ wallet, name: "One", source: "volume" }], start)
        const shaky = WalletStore.of({
          ...store,
          saveRead: (read) =>
            Effect.suspend(() => {
              if (random.chance(0.1)) return Effect.die("before")
              const saved = store.saveRead(read)
              return random.chance(0.1) ? Effect.andThen(saved, Effect.die("after")) : saved
            }),
        })
        const { run } = yield* backfillOf(activity, Layer.succeed(WalletStore, shaky))
        let left = 1
        for (let runs = 0; left > 0 && runs < 500; runs++) {
          left = (yield* run(listening().listener)).failed
        }
        const [known] = yield* store.tracked
        equal([known?.history, known?.activityCount], ["whole", truthOf(rows).size])
      })).pipe(Effect.provide(TestClock.layer()), quietly), { runs: 40 }),
  )
})

const progress: BackfillProgress = {
  startedAt: start,
  at: start + 90_000,
  wallets: 40,
  whole: 9,
  truncated: 1,
  failed: 0,
  activityAdded: 45_000,
  pages: 100,
  rejected: { other_type: 3, bad_price: 1_200 },
}

Deno.test("progressLine() shows progress, rate and remaining time", () => {
  equal(
    progressLine(progress),
    "backfill  10/40 wallets  45,000 activity events  500 per second  about 5m left",
  )
  const begun = { ...progress, whole: 0, truncated: 0 }
  ok(progressLine(begun).endsWith("time left unknown"))
  ok(progressLine({ ...progress, whole: 37, failed: 2 }).endsWith("2 failed  done"))
})

Deno.test("progressBar() fits the terminal", () => {
  for (const columns of [0, 1, 20, 80, 200]) {
    ok([...progressBar(progress, columns)].length <= Math.max(0, columns - 1))
  }
  ok(progressBar(progress, 200).startsWith("██████░"))
  ok(progressBar({ ...progress, wallets: 0, whole: 0, truncated: 0 }, 80).includes("█".repeat(24)))
})

Deno.test("backfillSummary() shows the result for the wallets, and what to do next", () => {
  const done = backfillSummary({ ...progress, whole: 38, failed: 1 })
  ok(done.includes("38 of 40") && done.includes("45,000 new activity events, in 1m 30s"), done)
  ok(done.includes("bad_price 1,200, other_type 3") && done.includes("Run it again"), done)
  ok(done.includes("truncated 1:") && done.includes("failed    1:"), done)
  const plain = backfillSummary({ ...progress, whole: 40, truncated: 0, rejected: {} })
  equal(plain.split("\n").map((line) => line.trim().split(" ")[0]), ["complete", "events", "Done:"])
  ok(backfillSummary({ ...progress, whole: 39 }).includes("Done:"))
  ok(backfillSummary({ ...progress, wallets: 0 }).includes("nothing to do"))
})
