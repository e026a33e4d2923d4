/**
 * Migrations: each file once, in order, all or nothing, with any number of migrators.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  migrate,
  type MigrationFile,
  migrationFiles,
  SchemaDiverged,
} from "../../src/postgres/migrate.ts"
import { unmigratedStores } from "../support/stores.ts"

const file = (id: number, sql = `CREATE TABLE made_${id} (a integer)`): MigrationFile => ({
  id,
  name: `step_${id}`,
  sql,
})

const tables = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql<{ tablename: string }>`SELECT tablename FROM pg_tables
      WHERE schemaname = current_schema() ORDER BY tablename`,
    (rows) => rows.map((row) => row.tablename),
  ))

const cases: ReadonlyArray<[name: string, body: Effect.Effect<void, unknown, SqlClient>]> = [
  [
    "of several concurrent migrators one applies the files",
    Effect.gen(function* () {
      const files = yield* migrationFiles
      const runs = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => migrate(files), {
        concurrency: "unbounded",
      })
      const names = files.map((file) => file.name)
      assert.deepEqual(runs.filter((applied) => applied.length > 0), [names])
      assert.deepEqual(yield* migrate(files), [])
    }),
  ],
  [
    "a file that is added later is applied alone",
    Effect.gen(function* () {
      assert.deepEqual(yield* migrate([file(1), file(2)]), ["step_1", "step_2"])
      assert.deepEqual(yield* migrate([file(1), file(2), file(3)]), ["step_3"])
    }),
  ],
  [
    "a file with a number below the newest applied one is refused, and so is a renamed file",
    Effect.gen(function* () {
      yield* migrate([file(1), file(3)])
      const late = yield* Effect.flip(migrate([file(1), file(2), file(3)]))
      assert.ok(late instanceof SchemaDiverged)
      assert.match(late.message, /2_step_2 comes before 3/)
      const renamed = yield* Effect.flip(migrate([{ ...file(1), name: "else" }, file(3)]))
      assert.ok(renamed instanceof SchemaDiverged)
      assert.ok(!(yield* tables).includes("made_2"))
    }),
  ],
  [
    "a failing file rolls back all pending files",
    Effect.gen(function* () {
      const broken = file(2, "CREATE TABLE made_2 (a integer); SELECT * FROM nowhere")
      yield* Effect.flip(migrate([file(1), broken]))
      assert.deepEqual(yield* tables, [])
      assert.deepEqual(yield* migrate([file(1)]), ["step_1"])
    }),
  ],
  [
    "a file runs all its statements, with semicolons and quotes of every kind",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const texts = ["it's; so", "$$ ; $$", "$body$ '", "-- no", "/* no", '"', "%", "{1}", "\\"]
      const inserts = texts.map((text) => `INSERT INTO made VALUES ('${text.replace("'", "''")}');`)
      const made = `-- a table; and a function
        CREATE TABLE made (text text);
        CREATE FUNCTION count_made() RETURNS bigint LANGUAGE plpgsql AS $$
          BEGIN RETURN (SELECT count(*) FROM made); END $$; /* ; */
        ${inserts.join("\n")}
        SELECT count_made(); -- the end`
      yield* migrate([file(1, made)])
      const rows = yield* sql<
        { text: string; all: bigint }
      >`SELECT text, count_made() AS all FROM made`
      assert.deepEqual(rows.map(({ text }) => text), texts)
      assert.equal(rows[0]?.all, BigInt(texts.length))
    }),
  ],
  [
    "a schema that is newer than the files is not changed",
    Effect.gen(function* () {
      yield* migrate([file(1), file(2)])
      assert.deepEqual(yield* migrate([file(1)]), [])
    }),
  ],
]

/** Drops everything a case created: all cases share one store. */
const clean = Effect.flatMap(SqlClient, (sql) =>
  Effect.flatMap(
    sql<{ name: string }>`SELECT current_schema() AS name`,
    ([schema]) =>
      Effect.andThen(
        sql`DROP SCHEMA ${sql(schema?.name ?? "public")} CASCADE`,
        Effect.asVoid(sql`CREATE SCHEMA ${sql(schema?.name ?? "public")}`),
      ),
  ))

for (const { name: store, layer } of unmigratedStores) {
  Deno.test(`migrate() on the ${store} store`, async (t) => {
    const scope = Scope.makeUnsafe()
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    for (const [name, body] of cases) {
      await t.step(
        name,
        () => Effect.runPromise(Effect.provide(Effect.andThen(body, clean), context)),
      )
    }
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
}
