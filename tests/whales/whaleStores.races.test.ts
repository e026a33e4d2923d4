/**
 * Concurrent work on the whale stores, partly interrupted: the final state equals that of the same work
 * done one after another.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Arbitrary, Deferred, Effect, Fiber, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { NumberedActivityEvent } from "../../src/markets/domain/activity.ts"
import { activityEventKey } from "../support/whales/activityEvents.ts"
import { noSums } from "../../src/whales/domain/score.ts"
import type { StalePosition } from "../../src/whales/EntryStore.ts"
import { liveTest } from "../support/effect.ts"
import { checkProperty, stores } from "../support/stores.ts"
import {
  postgresWhales,
  type WhalePorts,
  type WhaleStores,
  whaleStores,
} from "../support/whales/whaleStores.ts"
import {
  activityEventOf,
  entryOf,
  factsOf,
  far,
  marketOf,
  resolutionOf,
  start,
  walletOf,
} from "./whaleStores.laws.ts"

const wallets = [0, 1, 2, 3]
const markets = [0, 1, 2, 3, 4, 5]
const workers = 8
const manyMax = 1_000
/** A kind of end that no task saves. */
const cancelled = 4
/** The most batches for an empty queue. */
const batchesMax = 200

type Store = WhaleStores

const int = (minimum: number, maximum: number) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** The target of a task, in numbers small enough to collide. */
const Place = Schema.Struct({ wallet: int(0, 3), market: int(0, 5), n: int(0, 15) })
const Task = Schema.Struct({
  ...Place.fields,
  what: Schema.Literals([
    "read",
    "read",
    "recompute",
    "recompute",
    "resolve",
    "count",
    "count",
    "track",
    "publish",
  ]),
  /** Fiber turns after which it is interrupted; 0 for never. */
  turns: Schema.Literals([0, 0, 0, 1, 10, 100, 1_000]),
})
type Task = typeof Task.Type
type Place = typeof Place.Type

const shifts = Arbitrary.array(
  Arbitrary.array(Arbitrary.schema(Task), { minLength: 10, maxLength: 10 }),
  { minLength: workers, maxLength: workers },
)

/** A page of activity in three markets, which other tasks may have read too. */
const page = ({ wallet, market, n }: Task): ReadonlyArray<NumberedActivityEvent> =>
  [0, 1, 2].flatMap((m) =>
    [0, 1].map((a) => activityEventOf(wallet, (market + m) % 6, (n + a) % 16))
  )

/** Entries that depend on the activity they were computed from. */
const computed = ({ wallet, market, version, activity }: StalePosition) => ({
  wallet,
  marketId: market.id,
  version,
  entries: [{ ...entryOf(0), fills: activity.length }],
  boughtBoth: activity.length % 2 === 0,
  farmed: false,
  due: activity.length % 3 === 0,
})

/** A result that depends on the entries of a position and on its market's resolution. */
const resultOf = (fills: number, payout: number) => fills * 100 + payout

const recompute = Effect.fnUntraced(function* (store: Store, limit: number) {
  const stale = yield* store.stale(limit)
  yield* store.saveEntries(stale.map(computed))
  return stale.length
})

const count = Effect.fnUntraced(function* (store: Store, limit: number) {
  const uncounted = yield* store.uncounted(limit, far)
  for (const { wallet, version } of uncounted) {
    const positions = yield* store.positions(wallet)
    const ended = positions.filter(({ endedAt }) => endedAt !== null)
    const results = ended.map(({ entries, payouts }) =>
      resultOf(entries[0]?.fills ?? 0, payouts?.[0] ?? NaN)
    )
    const record = {
      sums: { ...noSums, cancelled: sum(results) },
      evidence: { follow: 1, fade: 1 },
    }
    const newlyCounted = ended.map(({ marketId }) => marketId)
    yield* store.saveCounted({ wallet, version, record, newlyCounted, nextAt: null }, start)
  }
  return uncounted.length
})

const publish = Effect.fnUntraced(function* (store: Store) {
  const due = yield* store.due(3)
  yield* store.saveEntries(due.map(({ wallet, market, version, boughtBoth, farmed, entries }) => ({
    wallet,
    marketId: market.id,
    version,
    boughtBoth,
    farmed,
    entries,
    due: false,
  })))
})

const work = (store: Store, task: Task): Effect.Effect<unknown> => {
  switch (task.what) {
    case "read":
      return store.saveRead({
        wallet: walletOf(task.wallet),
        activity: page(task),
        readFrom: start,
        readTo: start + task.n,
        history: "whole",
      })
    case "recompute":
      return recompute(store, 4)
    case "resolve":
      return store.saveResolutions(
        [0, 1, 2].map((m) => resolutionOf((task.market + m) % 6, (task.n + m) % 4)),
        [marketOf(task.market)],
        start,
      )
    case "count":
      return count(store, 2)
    case "publish":
      return publish(store)
    case "track":
      return Effect.andThen(
        store.track([{ wallet: walletOf(task.wallet), name: "Renamed", source: "volume" }], start),
        store.saveFacts([...markets].reverse().map((market) => factsOf(market)), [], start),
      )
  }
}

/** Runs a task, and interrupts it after its number of turns. */
const turnsOf = Effect.fnUntraced(function* (store: Store, task: Task) {
  if (task.turns === 0) return void (yield* work(store, task))
  const fiber = yield* Effect.forkChild(work(store, task))
  for (let turn = 0; turn < task.turns; turn++) yield* Effect.yieldNow
  yield* Fiber.interrupt(fiber)
})

const untilNone = Effect.fnUntraced(function* (batch: Effect.Effect<number>) {
  for (let n = 0; n < batchesMax; n++) if ((yield* batch) === 0) return
})

/** Finishes interrupted reads, then all remaining work. */
const finish = Effect.fnUntraced(function* (store: Store, tasks: ReadonlyArray<Task>) {
  for (const task of tasks) if (task.what === "read") yield* work(store, task)
  yield* untilNone(recompute(store, manyMax))
  yield* untilNone(count(store, manyMax))
})

const payouts = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ market: string; payout: number }>`
    SELECT market, payout_first AS payout FROM whale_market WHERE state = 'paid'`
  return new Map(rows.map(({ market, payout }) => [market, payout]))
})

/** The number of events of a wallet in a market that the tasks read. */
const activityCountIn = (tasks: ReadonlyArray<Task>, wallet: string, marketId: string) =>
  new Set(
    tasks.filter(({ what }) => what === "read").flatMap(page)
      .filter((event) => event.wallet === wallet && event.marketId === marketId).map(
        activityEventKey,
      ),
  ).size

const allPlaces = wallets.flatMap((wallet) =>
  markets.map((market) => ({ wallet: walletOf(wallet), marketId: marketOf(market) }))
)
const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, n) => total + n, 0)

const check = Effect.fnUntraced(function* (store: Store, tasks: ReadonlyArray<Task>) {
  const paid = yield* payouts
  const positions = allPlaces.map((place) => ({
    ...place,
    activity: activityCountIn(tasks, place.wallet, place.marketId),
  })).filter(({ activity }) => activity > 0)

  for (const { wallet, activityCount, markets, bothSides } of yield* store.tracked) {
    const own = positions.filter((position) => position.wallet === wallet)
    equal([activityCount, markets, bothSides], [
      sum(own.map(({ activity }) => activity)),
      own.length,
      own.filter(({ activity }) => activity % 2 === 0).length,
    ])
  }
  equal(
    sum([...(yield* store.openEntries).values()]),
    positions.filter(({ marketId }) => !paid.has(marketId)).length,
  )

  const totals = Map.groupBy(
    positions.filter(({ marketId }) => paid.has(marketId)),
    ({ wallet }) => wallet,
  )
  const counted = [...yield* store.counted].filter(([, { sums }]) => sums.cancelled > 0)
  equal(counted.map(([wallet]) => wallet), [...totals.keys()].sort())
  for (const [wallet, { sums }] of counted) {
    const own = totals.get(wallet) ?? []
    const total = sum(own.map((one) => resultOf(one.activity, paid.get(one.marketId) ?? 0)))
    equal(Math.abs(sums.cancelled - total) < 1e-6, true)
  }
  // A changed resolution of every market makes every wallet uncounted, and so readable.
  yield* store.saveResolutions(markets.map((market) => resolutionOf(market, cancelled)), [], start)
  const found = yield* Effect.forEach(
    yield* store.uncounted(manyMax, far),
    ({ wallet }) =>
      Effect.map(store.positions(wallet), (all) =>
        all.map(({ marketId, entries, isCounted }) => ({
          wallet,
          marketId,
          fills: entries[0]?.fills,
          isCounted,
        }))),
  )
  const byPlace = (a: { wallet: string; marketId: string }, b: typeof a) =>
    a.wallet + a.marketId < b.wallet + b.marketId ? -1 : 1
  equal(
    found.flat().sort(byPlace),
    positions.map(({ wallet, marketId, activity }) => ({
      wallet,
      marketId,
      fills: activity,
      isCounted: paid.has(marketId),
    })).sort(byPlace),
  )
})

/** The tasks before the two that overlap, so that each has something to do. */
const before = ["read", "read", "recompute", "resolve", "count", "read", "resolve"] as const
const overlaps = ["read", "recompute", "resolve", "count", "track"] as const

const places = Arbitrary.array(Arbitrary.schema(Place), {
  minLength: before.length + 2,
  maxLength: before.length + 2,
})

/** Polls for the second task to wait. */
const pollsMax = 40

/** Starts `second` before `first` is committed, and commits when `second` has finished or waits. */
const overlapping = Effect.fnUntraced(
  function* (first: Effect.Effect<unknown>, second: Effect.Effect<unknown>) {
    const sql = yield* SqlClient
    const started = yield* Deferred.make<void>()
    const other = yield* Effect.forkChild(Effect.andThen(Deferred.await(started), second))
    yield* sql.withTransaction(Effect.gen(function* () {
      yield* first
      yield* Deferred.succeed(started, undefined)
      for (let n = 0; n < pollsMax && other.pollUnsafe() === undefined; n++) {
        const waiting = yield* sql`
          SELECT FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
        if (waiting.length > 0) break
      }
    }))
    yield* Fiber.join(other)
  },
)

const allWallets = wallets.map((n) => ({
  wallet: walletOf(n),
  name: "Wallet",
  source: "profit" as const,
}))

const twoOverlap = (kinds: ReadonlyArray<Task["what"]>) => (places: ReadonlyArray<Place>) =>
  Effect.gen(function* () {
    const tasks = places.flatMap((place, n): ReadonlyArray<Task> => {
      const what = [...before, ...kinds][n]
      return what === undefined ? [] : [{ ...place, what, turns: 0 }]
    })
    const [first, second] = tasks.slice(before.length)
    if (first === undefined || second === undefined) return
    const store = yield* whaleStores
    yield* store.track(allWallets, start)
    const known = markets.filter((market) => market !== first.market)
    yield* store.saveFacts(known.map((market) => factsOf(market)), [], start)
    for (const task of tasks.slice(0, before.length)) yield* work(store, task)
    yield* overlapping(work(store, first), work(store, second))
    yield* store.saveFacts(markets.map((market) => factsOf(market)), [], start)
    yield* finish(store, [])
    yield* check(store, tasks)
  })

const manyAtOnce = (shifts: ReadonlyArray<ReadonlyArray<Task>>) =>
  Effect.gen(function* () {
    const store = yield* whaleStores
    yield* store.track(allWallets, start)
    yield* Effect.forEach(
      shifts,
      (tasks) => Effect.forEach(tasks, (task) => turnsOf(store, task), { discard: true }),
      { concurrency: workers, discard: true },
    )
    yield* store.saveFacts(markets.map((market) => factsOf(market)), [], start)
    yield* finish(store, shifts.flat())
    yield* check(store, shifts.flat())
  })

for (const { name, layer: served } of stores) {
  const on = (law: string, body: Effect.Effect<void, never, WhalePorts | SqlClient>) =>
    liveTest(
      `The whale stores on the ${name} store: ${law}`,
      () => body.pipe(Effect.provide(postgresWhales), Effect.provide(served)),
    )

  on(
    "eight concurrent workers lose no mark and count nothing twice, even when interrupted",
    checkProperty(shifts, manyAtOnce, { runs: 5 }),
  )
  // The embedded store runs nothing while a transaction is open.
  if (name === "embedded") continue
  for (const first of overlaps) {
    on(
      `tasks that overlap a ${first} and the ${first} itself keep all their effects`,
      Effect.forEach(
        overlaps,
        (second) => checkProperty(places, twoOverlap([first, second]), { runs: 4 }),
        { discard: true },
      ),
    )
  }
}
