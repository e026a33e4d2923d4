/**
 * The cost of the whale pages, warm: /v1/track-record, and /v1/whales with payments.
 *
 *     deno task bench:whalepages [wallets, 5000]
 *
 * The service is a process over that many calibrated wallets in PostgreSQL, without request limits.
 * Facilitator and chain are in process, signatures are checked, and each sale stores its answer.
 * "While counted": a fifth of the calibrations change every second, so both pages are read again at
 * their highest rate. Client, service and PostgreSQL share the machine. Needs a PostgreSQL (`needs.ts`).
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { createHash } from "node:crypto"
import { Console, Context, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layerPostgres } from "../src/postgres/client.ts"
import { migrate, migrationFiles } from "../src/postgres/migrate.ts"
import { layer as scoreStore } from "../src/track-record/postgres/scoreStore.ts"
import { products } from "../src/catalog/domain/product.ts"
import type { CalibratedWhale, WhaleRow } from "../src/whales/domain/whale.ts"
import { Calibration } from "../src/whales/Calibration.ts"
import { Freshness } from "../src/core/Freshness.ts"
import { TrackRecord } from "../src/track-record/TrackRecord.ts"
import { postgresWhales, storesOf, whaleStores } from "../tests/support/whales/whaleStores.ts"
import { type KnownWallet, storeOf, sumsOfKnown } from "../tests/support/whales/whales.ts"
import { benchArguments, benchDatabase, count } from "./needs.ts"
import { type Load, sendAll } from "./peers/socket.ts"
import { paidRequests, requestOf, startServer } from "./peers/server.ts"

const { wallets } = await benchArguments("whalepages", { wallets: count("wallets", 5_000) })
const port = 29_921
const pollsMax = 10_000
const sales = Number(Deno.env.get("SALES") ?? 200)
const warmUp = 20
/** Different wallets; the others repeat them under other names. */
const distinct = 40
const entriesEach = 200

/** Wallets whose entries fill all six bands. */
const knownWallets: ReadonlyArray<KnownWallet> = Array.from({ length: distinct }, (_, n) => ({
  wallet: address(n),
  history: "whole",
  label: "neutral",
  computedAt: Date.now(),
  entries: Array.from({ length: entriesEach }, (_, i) => {
    const price = 0.03 + 0.94 * ((i * 37 + n * 11) % entriesEach) / entriesEach
    return {
      price,
      stakeUsd: 100 + (i * 71 + n * 13) % 5_000,
      won: (i * 17 + n) % 100 < price * 100,
    }
  }),
}))

/** An address with as many different digits as a real one. */
function address(n: number): string {
  const digest = createHash("sha256").update(`${n}`).digest("hex")
  return `0x${digest.slice(0, 40)}`
}

/** Stores the wallets through the port; what needs a long history is set by SQL. */
const fill = Effect.gen(function* () {
  const store = yield* whaleStores
  const sql = yield* SqlClient
  const all = Array.from({ length: wallets }, (_, n) => n)
  const found = all.map((n) => ({
    ...{ wallet: address(n), name: `Wallet number ${n}` },
    source: "volume" as const,
  }))
  yield* store.track(found, Date.now())
  const sums = knownWallets.map(({ entries }) => sumsOfKnown(entries))
  yield* sql`INSERT INTO whale_record (wallet_id) SELECT wallet_id FROM whale_wallet`
  for (const n of all) {
    const of = sums[n % distinct]
    if (of === undefined) continue
    const record = { sums: of, evidence: { follow: 1, fade: 1 } }
    const counted = { wallet: address(n), version: 1, record, newlyCounted: [], nextAt: null }
    yield* store.saveCounted(counted, Date.now())
  }
  yield* sql`UPDATE whale_wallet SET history = 'whole'`
  yield* store.saveCalibrated(rowsAt(Date.now()), [])
  yield* sql`VACUUM ANALYZE`
})

const templates = storeOf(knownWallets).whales

function rowsAt(computedAt: number): ReadonlyArray<CalibratedWhale> {
  return Array.from({ length: wallets }, (_, n) => n).flatMap((n) => {
    const row = templates[n % distinct]?.row
    return row === undefined ? [] : [{
      computedAt,
      row: {
        ...varied(row, n),
        ...{ wallet: address(n), pseudonym: `Wallet number ${n}`, stakeUsd: row.stakeUsd + n },
      },
    }]
  })
}

/** Different figures for each wallet: equal rows would compress too well. */
function varied(row: WhaleRow, n: number): WhaleRow {
  let i = 0
  const vary = (rate: number) => rate * (1 - ((n * 7_919 + (i++) * 104_729) % 1_000) / 50_000)
  const band = (of: WhaleRow["oddsBands"][number]) => ({
    ...of,
    entries: of.entries + (n + of.entries) % 17,
    meanEntryPrice: vary(of.meanEntryPrice),
    winRate: vary(of.winRate),
    winRateLow: vary(of.winRateLow),
    winRateHigh: vary(of.winRateHigh),
    followRoi: vary(of.followRoi),
    fadeRoi: vary(of.fadeRoi ?? 0),
  })
  return {
    ...row,
    resolved: row.resolved + n % 211,
    winRate: vary(row.winRate),
    fadeRoi: vary(row.fadeRoi ?? 0),
    mirrorRoi: vary(row.mirrorRoi),
    meanEntryPrice: vary(row.meanEntryPrice),
    edge: vary(row.edge),
    edgeLow: vary(row.edgeLow),
    edgeHigh: vary(row.edgeHigh),
    oddsBands: row.oddsBands.map(band),
  }
}

const at = (sorted: ReadonlyArray<number>, share: number) =>
  Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN).toFixed(2))

/** Sends the load and returns the times of the answers. */
const measured = Effect.fnUntraced(function* (what: string, load: Omit<Load, "port">) {
  const began = performance.now()
  const taken = yield* Effect.promise(() => sendAll({ port, ...load }))
  const seconds = (performance.now() - began) / 1_000
  const sorted = taken.toSorted((a, b) => a - b)
  return {
    what,
    "at a time": load.connections,
    answers: taken.length,
    "a second": Math.round(taken.length / seconds),
    "p50 ms": at(sorted, 0.5),
    "p99 ms": at(sorted, 0.99),
    "max ms": at(sorted, 1),
  }
})

const poll = (connections: number, what = "GET /v1/track-record", ...headers: Array<string>) =>
  measured(what, {
    requests: Array<string>(connections === 1 ? pollsMax / 5 : pollsMax).fill(
      requestOf("/v1/track-record", ...headers),
    ),
    connections,
    status: headers.length > 0 ? 304 : 200,
  })

const buy = Effect.fnUntraced(function* (
  connections: number,
  what = "GET /v1/whales, paid",
  ...headers: ReadonlyArray<string>
) {
  const requests = yield* paidRequests(products.whales, sales, ...headers)
  return yield* measured(what, { requests, connections, status: 200 })
})

/** The time of one uncached reading, from the first query to the value. */
const readings = Effect.gen(function* () {
  const fresh = Layer.mergeAll(TrackRecord.layer, Calibration.layer).pipe(
    Layer.provide(Layer.mock(Freshness, { asOf: () => Effect.succeed(null) })),
  )
  const services = yield* Layer.build(fresh)
  const timed = (reading: Effect.Effect<unknown, unknown>) =>
    Effect.gen(function* () {
      const began = performance.now()
      yield* Effect.orDie(reading)
      return Math.round(performance.now() - began)
    })
  const scorecard = yield* timed(Context.get(services, TrackRecord).scorecard)
  const table = yield* timed(Context.get(services, Calibration).table)
  return `uncached: scorecard ${scorecard} ms, table ${table} ms`
})

const program = Effect.gen(function* () {
  const url = yield* benchDatabase
  const client = layerPostgres({ url: Redacted.make(url), maxConnections: 4 })
  const stores = yield* Layer.build(
    Layer.provideMerge(Layer.merge(postgresWhales, scoreStore), client),
  )
  const inStore = Effect.provide(stores)
  yield* Effect.flatMap(migrationFiles, migrate).pipe(Effect.andThen(fill), inStore)
  const store = storesOf(stores)
  const sql = Context.get(stores, SqlClient)
  yield* Effect.acquireRelease(
    Effect.promise(() =>
      startServer("payingService.ts", port, { DATABASE_URL: url }, { path: "/v1/track-record" })
    ),
    ({ process }) =>
      Effect.promise(() => {
        process.kill("SIGTERM")
        return process.status
      }),
  )
  const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/v1/track-record`))
  const card = (yield* Effect.promise(() => answer.arrayBuffer())).byteLength
  yield* Effect.flatMap(
    paidRequests(products.whales, warmUp),
    (requests) => measured("warm-up", { requests, connections: 4, status: 200 }),
  )
  yield* poll(32)
  const rows = [
    yield* poll(1),
    yield* poll(32),
    yield* poll(32, "the same with its tag, 304", `if-none-match: ${answer.headers.get("etag")}`),
    yield* buy(1),
    yield* buy(8),
    yield* buy(64),
    yield* buy(8, "GET /v1/whales, paid, in gzip", "accept-encoding: gzip"),
  ]
  const some = rowsAt(0).filter((_, n) => n % 5 === 0)
  const counting = yield* Effect.suspend(() =>
    store.saveCalibrated(some.map(({ row }) => ({ computedAt: Date.now(), row })), [])
  ).pipe(Effect.repeat(Schedule.spaced("1 second")), Effect.forkScoped)
  rows.push(yield* poll(32, "GET /v1/track-record, while counted"))
  rows.push(yield* buy(8, "GET /v1/whales, paid, while counted"))
  yield* Fiber.interrupt(counting)
  const [stored] = yield* sql<{ sent: number; stored: number }>`
    SELECT avg(length(body))::float8 AS sent, avg(pg_column_size(body))::float8 AS stored
    FROM payment_answer`
  yield* Effect.sync(() => {
    // deno-lint-ignore no-console
    console.table(rows)
  })
  yield* Console.log(
    `${wallets} wallets; a scorecard is ${card} bytes, a table ${Math.round(stored?.sent ?? 0)}, ` +
      `stored for all its payments as ${Math.round(stored?.stored ?? 0)}`,
  )
  yield* Console.log(yield* inStore(readings))
})

await Effect.runPromise(Effect.scoped(program))
