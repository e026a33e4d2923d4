/**
 * Brings the schema to the newest of `migrations/*.sql`: forward only, each file once, in order.
 *
 * All pending files run in one transaction, under a lock that lets one migrator in at a time.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { statements } from "./statements.ts"

/** The database and the files do not tell one history; somebody has to look before anything runs. */
export class SchemaDiverged extends Schema.TaggedError<SchemaDiverged>()("SchemaDiverged", {
  message: Schema.String,
}) {}

const table = "schema_migration"
const lockKey = 8402_0001
const lockWaitMax = "60s"
const statementTimeMax = "10min"
const filesMax = 10_000
const directory = new URL("../../../migrations/", import.meta.url)

export interface MigrationFile {
  readonly id: number
  readonly name: string
  readonly sql: string
}

/** The project's migrations, ascending. Needs to read `migrations/`. */
export const migrationFiles: Effect.Effect<ReadonlyArray<MigrationFile>> = Effect.promise(
  async () => {
    const files: Array<MigrationFile> = []
    for await (const entry of Deno.readDir(directory)) {
      const [, id, name] = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(entry.name) ?? []
      if (id === undefined || name === undefined || files.length >= filesMax) continue
      const sql = await Deno.readTextFile(new URL(entry.name, directory))
      files.push({ id: Number(id), name, sql })
    }
    return files.sort((a, b) => a.id - b.id)
  },
)

/**
 * Applies what is pending and returns the names of it. Safe to run any number of times, from any
 * number of processes at once.
 */
export const migrate = (
  files: ReadonlyArray<MigrationFile>,
): Effect.Effect<
  ReadonlyArray<string>,
  SchemaDiverged | Migrator.MigrationError | SqlError,
  SqlClient
> =>
  Effect.flatMap(SqlClient, (sql) =>
    sql.withTransaction(Effect.gen(function* () {
      yield* sql`SELECT set_config('lock_timeout', ${lockWaitMax}, true),
        set_config('statement_timeout', ${statementTimeMax}, true)`
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey})`
      yield* refuseDivergence(sql, files)
      const applied = yield* runMigrator({ table, loader: Migrator.fromRecord(record(files)) })
      return applied.map(([, name]) => name)
    })))

const runMigrator = Migrator.make({})

const record = (files: ReadonlyArray<MigrationFile>) =>
  Object.fromEntries(files.map((file) => [
    `${file.id}_${file.name}`,
    Effect.flatMap(SqlClient, (sql) =>
      Effect.forEach(statements(file.sql), (statement) =>
        sql.unsafe(statement).unprepared, {
        discard: true,
      })),
  ]))

/** Effect's migrator passes over an id below the newest applied one in silence: here it is refused. */
const refuseDivergence = Effect.fnUntraced(
  function* (sql: SqlClient, files: ReadonlyArray<MigrationFile>) {
    const [found] = yield* sql<
      { found: boolean }
    >`SELECT to_regclass(${table}) IS NOT NULL AS found`
    if (found?.found !== true) return
    const rows = yield* sql<{ migration_id: number; name: string }>`
      SELECT migration_id, name FROM ${sql(table)} ORDER BY migration_id`
    const applied = new Map(rows.map((row) => [row.migration_id, row.name]))
    const newest = rows.at(-1)?.migration_id ?? 0
    for (const { id, name } of files) {
      const before = applied.get(id)
      if (before === undefined && id <= newest) {
        return yield* new SchemaDiverged({
          message: `Cannot migrate: ${id}_${name} comes before ${newest}, which is applied; ` +
            "give it a higher number",
        })
      }
      if (before !== undefined && before !== name) {
        return yield* new SchemaDiverged({
          message: `Cannot migrate: ${id} was applied as ${before}, and is now called ${name}`,
        })
      }
    }
  },
)
