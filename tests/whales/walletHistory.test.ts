/**
 * Reading the activity of wallets: every event once, despite pages, failures and crashes.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Arbitrary, Clock, Context, Effect, Exit, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { hour, minute, second } from "../../src/core/domain/time.ts"
import type { TrackedWallet } from "../../src/whales/domain/tracking.ts"
import { VenueClient, type WalletSource } from "../../src/markets/VenueClient.ts"
import {
  activityEventsMax,
  forwardPagesMax,
  historyFrom,
  WalletHistory,
} from "../../src/whales/WalletHistory.ts"
import { Random } from "../support/random.ts"
import {
  activityOf,
  type ActivityOptions,
  down,
  lateMsMax,
  type MemoryWallets,
  memoryWallets,
  type VenueRow,
  walletVenue,
  wholePages,
} from "../support/whales/activity.ts"
import { activityEvent, start, tokens, wallet } from "../support/whales/activityEvents.ts"
import { test } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import {
  type GeneratedActivity,
  generatedActivity,
  rowsOf,
  spanOf,
  truthOf,
} from "../support/whales/generatedActivity.ts"

const wholeSecond = (at: number) => Math.floor(at / second) * second

/** More readings than any generated activity needs. */
const readingsMax = 1_000
/** Readings with failures and crashes. */
const faultyReadings = 40

const historyOf = (activity: WalletSource["activity"], memory: MemoryWallets) =>
  Effect.map(
    Layer.build(
      WalletHistory.layer.pipe(Layer.provide([walletVenue({ activity }), memory.layer])),
    ),
    (context) => Context.get(context, WalletHistory),
  )

/** A law over generated activity, with a clock for each run. */
const lawOfActivity = (
  name: string,
  runs: number,
  property: (generated: GeneratedActivity) => Effect.Effect<void, unknown, Scope.Scope>,
) =>
  Deno.test(name, async () => {
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(
        generatedActivity,
        (generated) =>
          Effect.as(Effect.scoped(property(generated)), true).pipe(
            Effect.provide(TestClock.layer()),
          ),
        { runs },
      ),
    )
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) throw new Error(failure)
  })

const stored = (memory: MemoryWallets) => new Set(memory.activity.keys())
const trackedOf = (memory: MemoryWallets): TrackedWallet => {
  const known = memory.wallets.get(wallet)
  ok(known !== undefined)
  return known
}

/** Asserts that everything in the known range is stored, and that the range only grows. */
function checkState(
  memory: MemoryWallets,
  rows: ReadonlyArray<VenueRow>,
  before: TrackedWallet,
) {
  const known = trackedOf(memory)
  const { readFrom, readTo } = known
  if (before.readFrom !== null) ok((readFrom ?? Infinity) <= before.readFrom, "went back")
  if (before.readTo !== null) ok((readTo ?? 0) >= before.readTo, "went back")
  ok(known.activityCount >= before.activityCount && known.activityCount === memory.activity.size)
  if (readFrom === null || readTo === null) return
  const expected = new Map<number, number>()
  for (const { event: { at }, isActivity, lateMs } of rows) {
    const isVisible = isActivity && (lateMs === 0 || at <= readTo - lateMsMax)
    if (isVisible && at >= readFrom && at <= readTo) expected.set(at, (expected.get(at) ?? 0) + 1)
  }
  const bySecond = Map.groupBy(memory.activity.values(), ({ at }) => at)
  for (const [at, count] of expected) {
    ok((bySecond.get(at)?.length ?? 0) >= count, `${new Date(at).toISOString()} is missing`)
  }
}

interface Faults {
  /** Probabilities that a request fails, and that a save crashes before or after it takes effect. */
  readonly failures?: number
  readonly crashes?: number
  readonly answerMs?: number
}

/**
 * Reads generated activity completely, as a service does: backwards and forwards in turn, while time
 * passes, continuing from the stored state after each reading. Faults stop after `faultyReadings`.
 */
const readToEnd = Effect.fnUntraced(
  function* (generated: GeneratedActivity, memory: MemoryWallets, faults: Faults = {}) {
    const { failures = 0, crashes = 0, answerMs = 0 } = faults
    const random = new Random(generated.seed)
    const rows = rowsOf(generated)
    const { begin, end } = spanOf(rows, generated)
    let count = 0
    const occurs = (often: number) => count < faultyReadings && random.chance(often)
    if (crashes > 0) {
      memory.hook = () =>
        Effect.suspend(() => {
          if (!occurs(crashes)) return Effect.void
          return random.chance(0.5) ? Effect.die("crash") : Effect.interrupt
        })
    }
    yield* TestClock.setTime(begin)
    const pageRows = wholePages(rows, generated.pageRowsMax)
    const options = { pageRows, fails: () => occurs(failures), answerMs }
    const history = yield* historyOf(activityOf(() => rows, random, options), memory)
    for (; count < readingsMax; count++) {
      const now = yield* Clock.currentTimeMillis
      const known = trackedOf(memory)
      const newest = (known.readTo ?? 0) >= wholeSecond(end)
      if (known.history !== "reading" && newest) return rows
      const back = known.history === "reading" && (newest || random.chance(0.5))
      yield* Effect.exit(back ? history.readBack(known) : history.readForward(known, now))
      checkState(memory, rows, known)
      const next = Math.min(now + random.pick([0, 60, 600, 3_600]) * second, end)
      if (next > (yield* Clock.currentTimeMillis)) yield* TestClock.setTime(next)
    }
    throw new Error("Cannot read the activity: too many readings")
  },
)

lawOfActivity(
  "reading backwards and forwards stores every event once",
  sized({ short: 100, full: 1_000 }),
  (generated) =>
    Effect.gen(function* () {
      const memory = memoryWallets([wallet])
      const rows = yield* readToEnd(generated, memory, { answerMs: 400 })
      equal(stored(memory), truthOf(rows))
      equal([trackedOf(memory).history, trackedOf(memory).readFrom], ["whole", historyFrom])
    }),
)

lawOfActivity(
  "reading stores the same despite failing requests and crashes",
  sized({ short: 100, full: 1_000 }),
  (generated) =>
    Effect.gen(function* () {
      const memory = memoryWallets([wallet])
      const rows = yield* readToEnd(generated, memory, {
        failures: 0.1,
        crashes: 0.15,
        answerMs: 900,
      })
      equal(stored(memory), truthOf(rows))
      equal(trackedOf(memory).history, "whole")
    }),
)

lawOfActivity(
  "two concurrent readers of one wallet store the same as one",
  sized({ short: 50, full: 300 }),
  (generated) =>
    Effect.gen(function* () {
      const random = new Random(generated.seed)
      const rows = rowsOf(generated).map((row) => ({ ...row, lateMs: 0 }))
      const memory = memoryWallets([wallet])
      memory.hook = () => Effect.yieldNow
      yield* TestClock.setTime(spanOf(rows, generated).end)
      const pageRows = wholePages(rows, generated.pageRowsMax)
      const history = yield* historyOf(activityOf(() => rows, random, { pageRows }), memory)
      const reader = Effect.gen(function* () {
        // Each continues from its own state, not from the store.
        let known = trackedOf(memory)
        while (known.history === "reading") known = (yield* history.readBack(known)).wallet
      })
      yield* Effect.all([reader, reader], { concurrency: 2 })
      equal(stored(memory), truthOf(rows))
      equal(trackedOf(memory).history, "whole")
    }),
)

/** Ten activity events, or so many, of one second. */
const crowdedSecond = (at: number, rows = 10): ReadonlyArray<VenueRow> =>
  Array.from({ length: rows }, (_, n) => ({
    event: activityEvent("buy", {
      tokenId: tokens[0],
      price: 0.5,
      at,
      transaction: `0x${at}-${n % 7}`,
    }),
    isActivity: true,
    lateMs: 0,
  }))

/** Reads the history until it is complete, or the venue fails. */
const readAll = Effect.fnUntraced(function* (
  rows: ReadonlyArray<VenueRow>,
  options: Partial<ActivityOptions>,
) {
  yield* TestClock.setTime(start + hour)
  const memory = memoryWallets([wallet])
  const paged = { pageRows: () => 20, ...options }
  const history = yield* historyOf(activityOf(() => rows, new Random(1), paged), memory)
  for (let count = 0; trackedOf(memory).history === "reading" && count < readingsMax; count++) {
    if (Exit.isFailure(yield* Effect.exit(history.readBack(trackedOf(memory))))) break
  }
  return { memory, history }
})

test("readBack() truncates a wallet when a second has more rows than a page", () =>
  Effect.gen(function* () {
    const older = crowdedSecond(start - second)
    const fits = yield* readAll([...older, ...crowdedSecond(start, 19)], {})
    equal([trackedOf(fits.memory).history, fits.memory.activity.size], ["whole", 29])
    const newer = crowdedSecond(start + minute)
    const over = yield* readAll([...older, ...crowdedSecond(start, 21), ...newer], {})
    equal(trackedOf(over.memory).history, "truncated")
    equal(stored(over.memory), truthOf(newer), "newer activity stays")
    equal(trackedOf(over.memory).readFrom, start + 1)
  }))

test("readBack() truncates a wallet with more than activityEventsMax events", () =>
  Effect.gen(function* () {
    const rows = Array.from(
      { length: activityEventsMax / 1_000 + 20 },
      (_, n) => crowdedSecond(start - n * second, 1_000),
    )
    const pageRows = () => 10_000
    const below = yield* readAll(rows.slice(0, activityEventsMax / 1_000 - 1).flat().toReversed(), {
      pageRows,
    })
    equal(trackedOf(below.memory).history, "whole")
    const over = yield* readAll(rows.flat().toReversed(), { pageRows })
    equal(trackedOf(over.memory).history, "truncated")
    ok(over.memory.activity.size >= activityEventsMax)
  }))

test("readBack() changes nothing while the venue fails, and continues later", () =>
  Effect.gen(function* () {
    const rows = [0, 1, 2].flatMap((n) => crowdedSecond(start + n * second))
    let count = 0
    const { memory, history } = yield* readAll(rows, { fails: () => ++count > 1 })
    const before = trackedOf(memory)
    for (let again = 0; again < 50; again++) {
      equal(yield* Effect.flip(history.readBack(trackedOf(memory))), down)
    }
    equal(trackedOf(memory), before)
    equal(before.history, "reading")
    count = -1_000
    while (trackedOf(memory).history === "reading") yield* history.readBack(trackedOf(memory))
    equal(stored(memory), truthOf(rows))
  }))

/** Reads the history before these rows back, then all of them forwards at `now`. */
const readNew = Effect.fnUntraced(function* (rows: ReadonlyArray<VenueRow>, now: number) {
  yield* TestClock.setTime(start - minute)
  const memory = memoryWallets([wallet])
  let requests = 0
  const source = activityOf(() => rows, new Random(1), { pageRows: () => 40 })
  const counted: WalletSource["activity"] = (...query) =>
    Effect.suspend(() => (requests++, source(...query)))
  const history = yield* historyOf(counted, memory)
  yield* history.readBack(trackedOf(memory))
  equal(trackedOf(memory).history, "whole")
  requests = 0
  yield* TestClock.setTime(now)
  yield* history.readForward(trackedOf(memory), now)
  equal(trackedOf(memory).readTo, now)
  return { memory, requests }
})

const old = crowdedSecond(start - hour)

test("readForward() makes one request without new activity, and reads many pages of it", () =>
  Effect.gen(function* () {
    equal((yield* readNew(old, start)).requests, 1)
    const busy = Array.from({ length: 150 }, (_, n) => crowdedSecond(start + n * minute)).flat()
    const { memory, requests } = yield* readNew([...old, ...busy], start + 200 * minute)
    ok(requests <= forwardPagesMax)
    equal(stored(memory), truthOf([...old, ...busy]))
    equal(trackedOf(memory).history, "whole")
  }))

test("readForward() truncates a wallet with more new activity than its pages", () =>
  Effect.gen(function* () {
    const busy = Array.from({ length: 400 }, (_, n) => crowdedSecond(start + n * minute)).flat()
    const { memory, requests } = yield* readNew([...old, ...busy], start + 401 * minute)
    equal([trackedOf(memory).history, requests], ["truncated", forwardPagesMax])
    const kept = busy.filter(({ event: { at } }) => at > start + 390 * minute)
    ok(truthOf(kept).isSubsetOf(stored(memory)), "the newest are stored")
  }))

test("readForward() continues before a second that cannot be read", () =>
  Effect.gen(function* () {
    const [before, after] = [crowdedSecond(start), crowdedSecond(start + hour)]
    const rows = [...old, ...before, ...crowdedSecond(start + minute, 41), ...after]
    const { memory } = yield* readNew(rows, start + hour + minute)
    equal(trackedOf(memory).history, "truncated")
    equal(stored(memory), truthOf([...old, ...before, ...after]))
  }))

test("readBack() fails for a venue whose trades are anonymous", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(start)
    const memory = memoryWallets([wallet])
    const anonymous = Layer.mock(VenueClient, { wallets: null })
    const context = yield* Layer.build(
      WalletHistory.layer.pipe(Layer.provide([anonymous, memory.layer])),
    )
    const { readBack } = Context.get(context, WalletHistory)
    equal((yield* Effect.flip(readBack(trackedOf(memory))))._tag, "VenueUnavailable")
    equal(trackedOf(memory).readFrom, null)
  }))
