/**
 * The probe of the store passes on a store that accepts writes, and says why one does not.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { StoreProbe } from "../../src/core/StoreProbe.ts"
import { layerPostgres } from "../../src/postgres/client.ts"
import { layer as storeProbe } from "../../src/postgres/storeProbe.ts"
import { liveTest } from "../support/effect.ts"
import { onEveryStore } from "../support/stores.ts"

const reasonOf = Effect.flatMap(
  StoreProbe,
  ({ write }) => Effect.match(write, { onSuccess: () => null, onFailure: ({ reason }) => reason }),
)

onEveryStore("the probe of the store", (law) => {
  law(
    "passes any number of times, and writes one row",
    Effect.gen(function* () {
      for (let n = 0; n < 3; n++) equal(yield* reasonOf, null)
      const sql = yield* SqlClient
      equal(yield* sql`SELECT fence FROM job`, [{ fence: 3n }])
    }).pipe(Effect.provide(storeProbe)),
  )
  law(
    "tableSizes has every table, and follows what is inserted",
    Effect.gen(function* () {
      const { tableSizes } = yield* StoreProbe
      const sql = yield* SqlClient
      const tables = yield* sql<{ name: string }>`
        SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`
      // The database counts rows when a transaction ends, but at most once a second unless it is forced.
      const flush = sql`SELECT pg_stat_force_next_flush()`
      yield* flush
      const before = yield* tableSizes
      equal(before.map(({ table }) => table), tables.map(({ name }) => name))
      yield* sql.withTransaction(Effect.andThen(
        sql`INSERT INTO job (job, fence) SELECT 'job ' || n, 1 FROM generate_series(1, 5000) n`,
        flush,
      ))
      const sizeOf = (sizes: typeof before) => sizes.find(({ table }) => table === "job")
      const [old, grown] = [sizeOf(before), sizeOf(yield* tableSizes)]
      ok(grown !== undefined && old !== undefined && grown.bytes > old.bytes + 100_000)
      equal(grown.rows - old.rows, 5_000)
    }).pipe(Effect.provide(storeProbe)),
  )
  law(
    "fails on a store that is read-only, and on one without a table",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const probeAfter = (statement: Effect.Effect<unknown, unknown>) =>
        sql.withTransaction(Effect.andThen(statement, reasonOf))
      equal(yield* probeAfter(sql`SET LOCAL transaction_read_only = on`), "the store is read-only")
      match(
        `${yield* probeAfter(sql`SET LOCAL search_path = pg_temp`)}`,
        /^the store refuses writes \(SQLSTATE 42P01\)$/,
      )
    }).pipe(Effect.provide(storeProbe)),
  )
})

liveTest(
  "the probe fails on a server that cannot be reached, without its address",
  () =>
    Effect.gen(function* () {
      const url = Redacted.make("postgres://me:hunter2@127.0.0.1:1/none")
      const closed = layerPostgres({ url })
      const failed = yield* Effect.exit(
        reasonOf.pipe(Effect.provide(Layer.provide(storeProbe, closed))),
      )
      equal(JSON.stringify(failed).includes("hunter2"), false)
    }),
)
