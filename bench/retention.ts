/**
 * The size of stored payments, and how fast old ones are deleted.
 *
 *     createdb bench
 *     DATABASE_URL=postgres://postgres@127.0.0.1/bench deno run -A bench/retention.ts
 *
 * Sells PAYMENTS answers of 5 kB through the store, as a compute-first sale does, and reads the size
 * of the tables with their indexes, each time after a VACUUM FULL: live rows only.
 *
 * @module
 */
import "../src/core/fiberContext.ts"
import { Console, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer as paymentStore } from "../src/payments/postgres/paymentStore.ts"
import { layer as retentionStore } from "../src/payments/postgres/retentionStore.ts"
import { RetentionStore } from "../src/payments/Retention.ts"
import { layerPostgres } from "../src/postgres/client.ts"
import { migrate, migrationFiles } from "../src/postgres/migrate.ts"
import { freshSchema } from "../tests/support/stores.ts"
import { sell } from "./sales.ts"

const payments = Number(Deno.env.get("PAYMENTS") ?? 20_000)
const concurrency = 200
const databaseUrl = Deno.env.get("DATABASE_URL") ?? "postgres://postgres@127.0.0.1/bench"
const sizes = Effect.fnUntraced(function* (title: string, whole: boolean) {
  const sql = yield* SqlClient
  const tables = ["payment", "payment_event"]
  if (whole) { for (const table of tables) yield* sql.unsafe(`VACUUM FULL ${table}`).unprepared }
  const parts = yield* Effect.forEach(tables, (table) =>
    Effect.map(
      sql<{ heap: bigint; indexes: bigint; total: bigint }>`
        SELECT pg_relation_size(${table}::regclass) AS heap, pg_indexes_size(${table}::regclass) AS indexes,
          pg_total_relation_size(${table}::regclass) AS total`,
      ([row]) => {
        const per = (bytes: bigint | undefined) => Math.round(Number(bytes ?? 0) / payments)
        return `${table} ${per(row?.total)} (rows ${per(row?.heap)}, indexes ${per(row?.indexes)})`
      },
    ))
  yield* Console.log(`${title}, bytes per payment: ${parts.join("; ")}`)
})

/** Rows a second of an effect that deletes in batches until it returns 0. */
const rate = Effect.fnUntraced(function* <E, R>(title: string, run: Effect.Effect<number, E, R>) {
  const start = performance.now()
  const rows = yield* run
  const seconds = (performance.now() - start) / 1_000
  yield* Console.log(
    `${title}: ${rows} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)}/s`,
  )
})

const program = Effect.gen(function* () {
  const sql = yield* SqlClient
  const store = yield* RetentionStore
  yield* Effect.flatMap(migrationFiles, migrate)
  yield* Effect.forEach(Array.from({ length: payments }, (_, n) => n), sell, {
    concurrency,
    discard: true,
  })
  yield* sizes("as written", false)
  yield* sizes("with bodies", true)
  const past = (change: string) =>
    sql.withTransaction(
      Effect.andThen(
        sql`SET LOCAL session_replication_role = replica`,
        sql.unsafe(change).unprepared,
      ),
    )
  yield* past("UPDATE payment SET sent_at = sent_at - interval '24 hours'")
  yield* rate(
    "bodies deleted",
    Effect.gen(function* () {
      for (let total = 0;;) {
        const deleted = yield* store.deleteBodies(1_000)
        total += deleted
        if (deleted === 0) return total
      }
    }),
  )
  yield* sizes("without bodies", true)
  yield* past(`UPDATE payment SET sent_at = sent_at - interval '14 months', valid_before = 1`)
  yield* past("UPDATE payment_event SET at = at - interval '14 months'")
  yield* sql.unsafe("VACUUM ANALYZE").unprepared
  yield* rate(
    "payments deleted",
    Effect.gen(function* () {
      for (let total = 0, after = 0n;;) {
        const { deleted, throughEvent } = yield* store.deletePayments(after, 2_000)
        total += deleted
        if (throughEvent === null) return total
        after = throughEvent
      }
    }),
  )
  yield* sizes("after deletion", false)
})

await Effect.runPromise(Effect.scoped(Effect.gen(function* () {
  const url = yield* freshSchema(databaseUrl)
  yield* Console.log(`${new URL(Redacted.value(url)).host}, ${payments} payments`)
  yield* program.pipe(
    Effect.provide(
      Layer.mergeAll(paymentStore, retentionStore).pipe(
        Layer.provideMerge(layerPostgres({ url, maxConnections: 10 })),
      ),
    ),
  )
})))
