/**
 * What 1,000 newly resolved markets cost with millions of entries in store, and what the store's
 * other questions cost at that size.
 *
 *   DATABASE_URL=postgres://... deno task bench:whalestore [entries=5000000] [wallets=5000] [passes=7]
 *
 * Works in a schema of its own, filled by the server in bulk (a hundredth of the entries in open
 * markets at least), dropped at the end. A pass is everything that follows a resolution: saveResolutions,
 * uncounted, sums, the counting itself, saveCounted, judged, labels, saveCalibrated.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer } from "../src/adapters/postgres/whales.ts"
import { judgementOf, labels, ratesOf, ruleVersion } from "../src/domain/calibration.ts"
import type { Resolution } from "../src/domain/resolution.ts"
import { marketScore, noSums, recount, type WalletSums } from "../src/domain/score.ts"
import type { CalibratedWhale } from "../src/domain/whale.ts"
import { type UncountedEvent, WhaleStore } from "../src/services/WhaleStore.ts"
import { postgresStore } from "../tests/support/stores.ts"
import { fill, marketOf, openMarkets, type Size } from "./whaleTables.ts"

const [entries = 5_000_000, wallets = 5_000, passes = 7] = Deno.args.map(Number)
const size: Size = { entries, wallets }
const marketsPerPass = 1_000
/** Marks a pass works off at once; more than it makes. */
const positionsMax = 10_000
const questions = 7

// deno-lint-ignore no-console
const print = (line: string) => console.log(line)

const median = (values: ReadonlyArray<number>) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

/** Milliseconds by the name of what took them. */
class Clocks {
  readonly times = new Map<string, Array<number>>()

  readonly on = <A, E, R>(name: string, work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.tap(work, () =>
        Effect.sync(() => {
          this.times.set(name, [...this.times.get(name) ?? [], performance.now() - began])
        }))
    })

  table(): void {
    for (const [name, times] of this.times) {
      const first = `${times[0]?.toFixed(0)}`.padStart(7)
      print(
        `  ${name.padEnd(40)} ${median(times).toFixed(1).padStart(8)} ms  (first ${first}, most ` +
          `${Math.max(...times).toFixed(0)})`,
      )
    }
  }
}

const resolved = (n: number, at: number): Resolution => ({
  marketId: marketOf(n),
  resolvedAt: at,
  source: "oracle",
  state: "paid",
  payouts: n % 2 === 0 ? [1, 0] : [0, 1],
})

/** The counting of one batch, as pure as it comes. */
function counted(events: ReadonlyArray<UncountedEvent>, held: Map<string, WalletSums>) {
  return events.flatMap(({ wallet, positions }) => {
    const after = positions.map(({ entries, resolution, feeRate }) =>
      marketScore(entries, resolution?.state === "paid" ? resolution.payouts : null, feeRate)
    )
    const before = positions.flatMap(({ counted }) => counted === null ? [] : [counted])
    held.set(wallet, recount(held.get(wallet) ?? noSums, before, after))
    return positions.flatMap(({ marketId, version, changed }, n) =>
      changed ? [{ wallet, marketId, version, score: after[n] ?? null }] : []
    )
  })
}

const pass = Effect.fnUntraced(function* (clocks: Clocks, first: number, at: number) {
  const store = yield* WhaleStore
  const ended = Array.from({ length: marketsPerPass }, (_, n) => resolved(first + n, at))
  const asked = ended.map(({ marketId }) => marketId)
  yield* clocks.on("saveResolutions", store.saveResolutions(ended, asked, at))
  const events = yield* clocks.on("uncounted", store.uncounted(positionsMax))
  const names = [...new Set(events.map(({ wallet }) => wallet))]
  const held = yield* clocks.on("sums", store.sums(names))
  const sums = new Map(
    [...held].map(([wallet, { sums }]) => [wallet, sums ?? noSums]),
  )
  const positions = yield* clocks.on("counting", Effect.sync(() => counted(events, sums)))
  const moved = yield* clocks.on(
    "judging",
    Effect.sync(() =>
      [...sums].map(([wallet, sums]) => ({
        wallet,
        sums,
        version: held.get(wallet)?.version ?? 0,
        judgement: judgementOf(sums),
      }))
    ),
  )
  const sound = yield* clocks.on("saveCounted", store.saveCounted(positions, moved))
  if (!sound) throw new Error("somebody else counts")
  const judged = yield* clocks.on("judged", store.judged)
  const rows = yield* clocks.on(
    "labels and rows",
    Effect.sync(() => rowsOf(sums, labelled(judged), at)),
  )
  yield* clocks.on("saveCalibrated", store.saveCalibrated(rows, []))
  return { positions: positions.length, wallets: names.length }
})

const labelled = (judged: ReadonlyArray<{ wallet: string; judgement: Judged }>) =>
  labels(
    new Map(
      judged.flatMap(({ wallet, judgement }) => judgement === null ? [] : [[wallet, judgement]]),
    ),
  )
type Judged = ReturnType<typeof judgementOf>

function rowsOf(
  sums: ReadonlyMap<string, WalletSums>,
  labels: ReadonlyMap<string, CalibratedWhale["row"]["label"]>,
  at: number,
): ReadonlyArray<CalibratedWhale> {
  return [...sums].flatMap(([wallet, sums]) => {
    const rates = ratesOf(sums)
    if (rates === null) return []
    const { followRoi, cancelled: _, ...rest } = rates
    return [{
      computedAt: at,
      row: {
        pseudonym: "Somebody",
        wallet,
        label: labels.get(wallet) ?? "neutral",
        source: "volume",
        marketMaker: false,
        openEntries: 7,
        mirrorRoi: followRoi,
        ...rest,
      },
    }]
  })
}

const far = Date.UTC(2030, 0, 1)

const ask = Effect.fnUntraced(function* (clocks: Clocks) {
  const store = yield* WhaleStore
  const unresolved = store.unresolved({
    limit: 1_000,
    askedBefore: far,
    ending: { from: 0, to: 1, askedBefore: 0 },
    endedAfter: far - 1,
    askedAgainBefore: far,
  })
  const some = Array.from({ length: 500 }, (_, n) => marketOf(n))
  for (let n = 0; n < questions; n++) {
    yield* clocks.on("stale(500), of 100,000", store.stale(500))
    yield* clocks.on("due(500), of 2,000", store.due(500))
    yield* clocks.on("unresolved(1000)", unresolved)
    yield* clocks.on("unknownMarkets(500)", store.unknownMarkets(500, far))
    yield* clocks.on("tracked", store.tracked)
    yield* clocks.on("openEntries", store.openEntries)
    yield* clocks.on("judged", store.judged)
    yield* clocks.on("totals", store.totals)
    yield* clocks.on("calibrated", store.calibrated)
    yield* clocks.on("calibrationVersion", store.calibrationVersion)
    yield* clocks.on("saveResolutions([], 500 asked)", store.saveResolutions([], some, far + n))
  }
})

const sizes = Effect.gen(function* () {
  const sql = yield* SqlClient
  const rows = yield* sql<{ name: string; rows: number; heap: string; indexes: string }>`
    SELECT relname AS name, greatest(reltuples, 0)::float8 AS rows,
      pg_size_pretty(pg_table_size(oid)) AS heap, pg_size_pretty(pg_indexes_size(oid)) AS indexes
    FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      AND relname LIKE 'whale%' AND reltuples > 0 ORDER BY pg_total_relation_size(oid) DESC`
  for (const { name, rows: count, heap, indexes } of rows) {
    const rows = Math.round(count).toLocaleString("en").padStart(12)
    print(`  ${name.padEnd(20)} ${rows} rows  ${heap.padStart(8)}  indexes ${indexes.padStart(8)}`)
  }
})

const bench = Effect.gen(function* () {
  const began = performance.now()
  yield* fill(size)
  print(`${entries} entries of ${wallets} wallets, filled in ${seconds(performance.now() - began)}`)
  yield* sizes
  const clocks = new Clocks()
  for (let n = 0; n < passes; n++) {
    const first = openMarkets(size) + n * marketsPerPass
    const done = yield* clocks.on("the whole pass", pass(clocks, first, far - passes + n))
    if (n === 0) print(`a pass: ${done.positions} positions of ${done.wallets} wallets`)
  }
  clocks.table()
  print("questions")
  const asked = new Clocks()
  yield* ask(asked)
  asked.table()
})

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

const url = Deno.env.get("DATABASE_URL")
if (url === undefined) {
  print("Set DATABASE_URL: this is measured on a PostgreSQL server")
  Deno.exit(1)
}
print(`rule ${ruleVersion}`)
await Effect.runPromise(
  bench.pipe(Effect.provide(layer), Effect.provide(postgresStore(url)), Effect.scoped),
)
