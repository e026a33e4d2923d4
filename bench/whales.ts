/**
 * Measures the cost of 1,000 newly resolved markets with millions of stored entries, and of the other
 * queries of the whale stores at that size.
 *
 *   deno task bench:whalestore [entries=5000000] [wallets=5000] [passes=7]
 *
 * Fills a database of its own (`needs.ts`) in bulk. A pass is all work of a tick after a resolution, by
 * production code: the resolutions are saved, the records of as many of their wallets as one tick counts
 * are computed, all wallets judged, and the changed rows saved. With 900,000 entries of 50 wallets each
 * has 10,800 positions, as after a year.
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import process from "node:process"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { fairScheduler } from "../src/app/fairScheduler.ts"
import type { Resolution } from "../src/markets/domain/resolution.ts"
import { Calibration } from "../src/whales/Calibration.ts"
import { postgresStore } from "../tests/support/stores.ts"
import {
  postgresWhales,
  whalesContext,
  type WhaleStores,
  whaleStores,
} from "../tests/support/whales/whaleStores.ts"
import { benchArguments, benchDatabase, count } from "./needs.ts"
import { fill, marketOf, openMarkets, type Size } from "./whaleTables.ts"

const { entries, wallets, passes } = await benchArguments("whalestore", {
  entries: count("entries", 5_000_000),
  wallets: count("wallets", 5_000),
  passes: count("passes", 7),
})
const size: Size = { entries, wallets }
const marketsPerPass = 1_000
const queryRounds = 7

// deno-lint-ignore no-console
const print = (line: string) => console.log(line)

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Milliseconds by name, one figure for each round. */
class Clocks {
  readonly rounds = new Map<string, Array<number>>()
  readonly calls = new Map<string, number>()
  round = 0

  readonly on = <A, E, R>(name: string, work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.tap(work, () => Effect.sync(() => this.add(name, performance.now() - began)))
    })

  add(name: string, ms: number): void {
    const times = this.rounds.get(name) ?? []
    times[this.round] = (times[this.round] ?? 0) + ms
    this.rounds.set(name, times)
    this.calls.set(name, (this.calls.get(name) ?? 0) + 1)
  }

  table(): void {
    for (const [name, times] of this.rounds) {
      const calls = ((this.calls.get(name) ?? 0) / times.length).toFixed(0)
      print(
        `  ${name.padEnd(32)} ${median(times).toFixed(1).padStart(8)} ms in ${calls.padStart(3)} ` +
          `calls (first ${times[0]?.toFixed(0)}, most ${Math.max(...times).toFixed(0)})`,
      )
    }
  }
}

type Store = WhaleStores

/** The same stores, with timed methods. */
const timed = (store: Store, clocks: Clocks): Store => ({
  ...store,
  saveResolutions: (...args) => clocks.on("saveResolutions", store.saveResolutions(...args)),
  uncounted: (...args) => clocks.on("uncounted", store.uncounted(...args)),
  positions: (...args) => clocks.on("positions", store.positions(...args)),
  saveCounted: (...args) => clocks.on("saveCounted", store.saveCounted(...args)),
  counted: clocks.on("counted", store.counted),
  calibrated: clocks.on("calibrated", store.calibrated),
  openEntries: clocks.on("openEntries", store.openEntries),
  tracked: clocks.on("tracked", store.tracked),
  saveCalibrated: (...args) => clocks.on("saveCalibrated", store.saveCalibrated(...args)),
})

const resolved = (n: number, at: number): Resolution => ({
  marketId: marketOf(n),
  resolvedAt: at,
  state: "paid",
  payouts: n % 2 === 0 ? [1, 0] : [0, 1],
})

const far = Date.UTC(2030, 0, 1)

/** The CPU time of this thread in ms (Linux). */
const threadMs = () =>
  Number(Deno.readTextFileSync(`/proc/self/task/${Deno.pid}/schedstat`).split(" ")[0]) / 1e6

/** Of each turn of the event loop, as a timer sees it: its CPU time in ms, and the memory in MB. */
const turns = { ms: [0], mb: [0] }

const calibrationOver = (store: Store) =>
  Effect.provide(
    Effect.scoped(Layer.build(Layer.fresh(Calibration.layer))),
    whalesContext(store),
  ).pipe(Effect.map(Context.get(Calibration)))

const pass = Effect.fnUntraced(function* (store: Store, first: number) {
  const ended = Array.from({ length: marketsPerPass }, (_, n) => resolved(first + n, far))
  const tally = { counted: 0 }
  yield* store.saveResolutions(ended, ended.map(({ marketId }) => marketId), far)
  const calibration = yield* calibrationOver(store)
  yield* calibration.count(far, tally)
  yield* calibration.judge
  return tally.counted
})

const runQueries = Effect.fnUntraced(function* (clocks: Clocks) {
  const store = yield* whaleStores
  const unresolved = store.unresolved({
    limit: 1_000,
    checkedBefore: far,
    ending: { from: 0, to: 1, checkedBefore: 0 },
    endedAfter: far - 1,
    recheckedBefore: far,
  })
  const some = Array.from({ length: 500 }, (_, n) => marketOf(n))
  for (clocks.round = 0; clocks.round < queryRounds; clocks.round++) {
    yield* clocks.on("stale(500)", store.stale(500))
    yield* clocks.on("due(500)", store.due(500))
    yield* clocks.on("unresolved(1000)", unresolved)
    yield* clocks.on("unknownMarkets(500)", store.unknownMarkets(500, far))
    yield* clocks.on("tracked", store.tracked)
    yield* clocks.on("openEntries", store.openEntries)
    yield* clocks.on("counted", store.counted)
    yield* clocks.on("calibrated", store.calibrated)
    yield* clocks.on("calibrationVersion", store.calibrationVersion)
    yield* clocks.on("500 unresolved markets", store.saveResolutions([], some, far + clocks.round))
  }
})

const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ name: string; rows: number; heap: string; indexes: string }>`
    SELECT relname AS name, greatest(reltuples, 0)::float8 AS rows,
      pg_size_pretty(pg_table_size(oid)) AS heap, pg_size_pretty(pg_indexes_size(oid)) AS indexes
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      AND relname LIKE 'whale%' AND reltuples > 0 ORDER BY pg_total_relation_size(oid) DESC`
  for (const { name, rows: stored, heap, indexes } of rows) {
    const count = Math.round(stored).toLocaleString("en").padStart(12)
    print(`  ${name.padEnd(20)} ${count} rows  ${heap.padStart(8)}  indexes ${indexes.padStart(8)}`)
  }
})

const bench = Effect.gen(function* () {
  const began = performance.now()
  yield* fill(size)
  const seconds = ((performance.now() - began) / 1_000).toFixed(0)
  print(`${entries.toLocaleString("en")} entries of ${wallets} wallets, filled in ${seconds} s`)
  yield* sizes
  const clocks = new Clocks()
  const store = timed(yield* whaleStores, clocks)
  // Writes the rows of wallets that will not change.
  yield* (yield* calibrationOver(yield* whaleStores)).judge
  let before = threadMs()
  const timer = setInterval(() => {
    turns.ms.push(threadMs() - before)
    turns.mb.push(Deno.memoryUsage().rss / 1e6)
    before = threadMs()
  }, 2)
  const busy = process.cpuUsage()
  for (clocks.round = 0; clocks.round < passes; clocks.round++) {
    const first = openMarkets(size) + clocks.round * marketsPerPass
    const counted = yield* clocks.on("the whole pass", pass(store, first))
    if (clocks.round === 0) {
      print(`${marketsPerPass} markets resolved, ${counted} wallets counted`)
    }
  }
  const { user, system } = process.cpuUsage(busy)
  clocks.table()
  clearInterval(timer)
  print(`  of a pass, busy in this process ${((user + system) / 1_000 / passes).toFixed(0)} ms`)
  const [turn, peak] = [turns.ms, turns.mb].map((all) => Math.max(...all).toFixed(0))
  print(`  longest turn ${turn} ms, peak ${peak} MB`)
  print("queries")
  const queries = new Clocks()
  yield* runQueries(queries)
  queries.table()
})

await Effect.runPromise(
  Effect.scoped(
    Effect.flatMap(
      benchDatabase,
      (url) => Effect.provide(bench, Layer.provideMerge(postgresWhales, postgresStore(url))),
    ),
  ),
  { scheduler: fairScheduler },
)
