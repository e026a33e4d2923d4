/**
 * Applies `migrations/NNNN_name.sql`: forward only, each file once, in order.
 *
 * All pending files run in one transaction, under a lock that allows one migrator at a time.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import * as Migrator from "effect/sql/Migrator"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { appliedNames, migrationTable } from "./schemaVersion.ts"

/**
 * The applied migrations and the files differ. An operator must resolve this before anything runs.
 */
export class SchemaDiverged extends Schema.TaggedError<SchemaDiverged>()("SchemaDiverged", {
  message: Schema.String,
}) {}

const lockKey = 8402_0001
const lockWaitMax = "60s"
/** Of one file. */
const fileTimeMax = "30min"
const filesMax = 10_000
const directory = new URL("../../migrations/", import.meta.url)

export interface MigrationFile {
  readonly id: number
  readonly name: string
  readonly sql: string
}

/** The project's migrations, ascending. Needs read permission for `migrations/`. */
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

/** Migrations are pending, and this login does not own the schema. */
export class OwnerMigrationRequired
  extends Schema.TaggedError<OwnerMigrationRequired>()("OwnerMigrationRequired", {
    message: Schema.String,
  }) {}

/**
 * Applies pending migrations and returns their names. Safe to run any number of times, and from
 * several processes at once. If nothing is pending it only reads, so a login without rights on the
 * schema may run it too.
 */
export const migrate = (
  files: ReadonlyArray<MigrationFile>,
): Effect.Effect<
  ReadonlyArray<string>,
  SchemaDiverged | OwnerMigrationRequired | Migrator.MigrationError | SqlError,
  SqlClient
> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const known = yield* appliedNames(sql)
    const pending = files.filter(({ id, name }) => known.get(id) !== name)
    if (pending.length === 0) return []
    return yield* sql.withTransaction(Effect.gen(function* () {
      yield* requireSchemaOwner(sql, pending)
      yield* sql`SELECT set_config('lock_timeout', ${lockWaitMax}, true),
        set_config('statement_timeout', ${fileTimeMax}, true)`
      yield* sql`SELECT pg_advisory_xact_lock(${lockKey})`
      yield* checkHistory(yield* appliedNames(sql), files)
      const applied = yield* runMigrator({
        table: migrationTable,
        loader: Migrator.fromRecord(record(files)),
      })
      return applied.map(([, name]) => name)
    }))
  })

const runMigrator = Migrator.make({})

const record = (files: ReadonlyArray<MigrationFile>) =>
  Object.fromEntries(files.map((file) => [
    `${file.id}_${file.name}`,
    runFile(file.sql),
  ]))

/** The wire protocol takes one statement at a time, and a file has up to a hundred. */
const runFile = (text: string) =>
  Effect.flatMap(
    SqlClient,
    (sql) => sql.unsafe(`DO $block$ BEGIN EXECUTE $file$${text}$file$; END $block$`).unprepared,
  )

/** The roles that logins are members of: `GRANT bellwether_service TO its_login`. */
export const roles = { service: "bellwether_service", refund: "bellwether_refund" } as const

/** Makes missing roles, and grants each exactly the rights of `migrations/rights.sql`. */
export const grantRoles: Effect.Effect<void, SqlError, SqlClient> = Effect.promise(() =>
  Deno.readTextFile(new URL("rights.sql", directory))
).pipe(Effect.flatMap(runFile), Effect.asVoid)

const requireSchemaOwner = Effect.fnUntraced(
  function* (sql: SqlClient, pending: ReadonlyArray<MigrationFile>) {
    const [rights] = yield* sql<{ allowed: boolean }>`
      SELECT has_schema_privilege(current_schema(), 'CREATE') AS allowed`
    if (rights?.allowed === true) return
    return yield* new OwnerMigrationRequired({
      message: `Cannot migrate: ${
        pending.map(({ name }) => name).join(", ")
      } must be applied by the ` +
        "owner of the schema: run the task migrate with DATABASE_URL",
    })
  },
)

/** Effect's migrator silently skips an id below the newest applied one; here it is an error. */
const checkHistory = Effect.fnUntraced(
  function* (applied: ReadonlyMap<number, string>, files: ReadonlyArray<MigrationFile>) {
    const newest = [...applied.keys()].at(-1) ?? 0
    for (const { id, name } of files) {
      const was = applied.get(id)
      const diverged = was === undefined
        ? id > newest
          ? null
          : `${id}_${name} comes before ${newest}, which is applied; give it a higher number`
        : was === name
        ? null
        : `${id} was applied as ${was}, and its file is now ${name}`
      if (diverged !== null) {
        return yield* new SchemaDiverged({
          message: `Cannot migrate: ${diverged}; or use another store`,
        })
      }
    }
  },
)
