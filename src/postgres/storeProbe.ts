/**
 * Proves that PostgreSQL accepts a write: a read-only server, a full disk and a server that does not
 * commit all fail it.
 *
 * An update of a row alone proves little: on a full disk PostgreSQL can still reuse the space of a
 * dead row. So the probe also sorts more than fits into memory, for which PostgreSQL must write a
 * new file.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { StoreProbe, StoreRefusesWrites, type TableSize } from "../core/StoreProbe.ts"

/** The row of `job` that the probe writes. No job has this name. */
const probeRow = "readiness probe"
/** More than `work_mem` holds, so that the sort needs a temporary file. */
const sortedRows = 500
const sortedRowBytes = 200

export const layer: Layer.Layer<StoreProbe, never, SqlClient> = Layer.effect(
  StoreProbe,
  Effect.map(
    SqlClient,
    (sql) => StoreProbe.of({ write: write(sql), now: now(sql), tableSizes: tableSizes(sql) }),
  ),
)

const write = (sql: SqlClient) =>
  sql.withTransaction(Effect.gen(function* () {
    yield* sql`SELECT set_config('work_mem', '64kB', true)`
    yield* sql`
      SELECT count(*) FROM (
        SELECT md5(n::text) || repeat('x', ${sortedRowBytes}) AS text
        FROM generate_series(1, ${sortedRows}::int) n ORDER BY text OFFSET 1
      ) sorted`
    // Last, so that replicas hold the lock of the row only for the commit.
    yield* sql`
      INSERT INTO job AS probe (job, fence) VALUES (${probeRow}, 1)
      ON CONFLICT (job) DO UPDATE SET fence = probe.fence + 1`
  })).pipe(
    Effect.mapError((error: SqlError) => new StoreRefusesWrites({ reason: reasonOf(error) })),
    Effect.catchDefect(() => new StoreRefusesWrites({ reason: "the store failed" })),
  )

const now = (sql: SqlClient) =>
  sql<{ at: Date }>`SELECT clock_timestamp() AS at`.pipe(
    Effect.map(([row]) => row?.at.getTime() ?? NaN),
    Effect.orDie,
  )

const tableSizes = (sql: SqlClient) =>
  Effect.orDie(sql<TableSize>`
    SELECT class.relname AS table, coalesce(stat.n_live_tup, 0)::float8 AS rows,
      pg_total_relation_size(class.oid)::float8 AS bytes
    FROM pg_class class LEFT JOIN pg_stat_user_tables stat ON stat.relid = class.oid
    WHERE class.relkind IN ('r', 'm') AND class.relnamespace = current_schema()::regnamespace
    ORDER BY class.relname`)

const readOnlyState = "25006"

const reasons: Readonly<Record<string, string>> = {
  [readOnlyState]: "the store is read-only",
  "53100": "the disk of the store is full",
  "53400": "the store has no room for temporary files",
}

/** A known reason, or the SQLSTATE. A message of the database may contain values. */
function reasonOf(error: SqlError): string {
  const code = sqlStateOf(error)
  if (code === null) return `the store does not answer (${error.reason._tag})`
  return reasons[code] ?? `the store refuses writes (SQLSTATE ${code})`
}

/** Whether PostgreSQL refused a statement because it accepts reads only. */
export const isReadOnly = (error: unknown): boolean =>
  isSqlError(error) && sqlStateOf(error) === readOnlyState

/** The SQLSTATE of an error; null when PostgreSQL did not answer. */
function sqlStateOf({ reason: { cause } }: SqlError): string | null {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : null
  return typeof code === "string" ? code : null
}
