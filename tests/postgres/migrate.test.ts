/**
 * Migrations: each file once, in order, all or nothing, with any number of migrators.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Exit, Layer, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  migrate,
  type MigrationFile,
  migrationFiles,
  SchemaDiverged,
} from "../../src/postgres/migrate.ts"
import { statements } from "../../src/postgres/statements.ts"
import { law } from "../support/effect.ts"
import { unmigratedStores } from "../support/stores.ts"

const file = (id: number, sql = `CREATE TABLE made_${id} (a integer)`): MigrationFile => ({
  id,
  name: `step_${id}`,
  sql,
})

const address = (digit: string) => `0x${digit.repeat(40)}`
const hash = (digit: string) => `0x${digit.repeat(64)}`

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
    "0021 renames a refund state to needs_review, and its guards work afterwards",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const files = yield* migrationFiles
      yield* migrate(files.filter(({ id }) => id < 21))
      yield* sql`
        INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, settlement, state, paid_transaction,
          paid_block, paid_log_index, paid_finality)
        SELECT id, 1, ${address("a")}, 'x', '2', ${address("b")}, id, ${address("c")}, 5, 0, 1,
          'settle-early', 'refund_due', '0x', 1, 1, 'safe'
        FROM unnest(${[hash("1"), hash("2")]}::text[]) id`
      yield* sql`UPDATE refund SET state = 'stuck', last_error = 'stuck' WHERE payment_id = ${
        hash("1")
      }`
      yield* migrate(files)
      const rows = yield* sql<{ state: string; last_error: string | null }>`
        SELECT state, last_error FROM refund ORDER BY payment_id`
      assert.deepEqual(rows, [
        { state: "needs_review", last_error: "needs_review" },
        { state: "queued", last_error: null },
      ])
      yield* sql.withTransaction(Effect.andThen(
        sql`INSERT INTO refund_action (payment_id, action, person, note)
          SELECT payment_id, 'requeue', 'Ada', 'test' FROM refund`,
        sql`UPDATE refund SET state = 'queued' WHERE state = 'needs_review'`,
      ))
      yield* Effect.flip(sql`UPDATE refund SET state = 'stuck'`)
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

const pieces = Arbitrary.schema(
  Schema.NonEmptyArray(Schema.Literals([
    "SELECT 1",
    " ';' ",
    "'it''s; so'",
    "E'\\';'",
    '";"',
    '"a"";b"',
    "$$ ; $$",
    "$body$ ';' $$;$$ $body$",
    "a$b",
    "-- no; comment\n",
    "/* no; \n comment */",
    "2 - 1",
    "4 / 2",
    "\n",
  ])),
)

law(
  "statements() splits at semicolons, except inside quotes and comments",
  Arbitrary.array(pieces, { maxLength: 6 }),
  (parts) => {
    const expected = parts.map((part) => `SELECT ${part.join(" ")}`)
    assert.deepEqual(statements(expected.join(";")), expected.map((statement) => statement.trim()))
    assert.deepEqual(
      statements(`${expected.join(" ;\n")};\n-- the end;\n;`),
      expected.map((statement) => statement.trim()),
    )
  },
)
