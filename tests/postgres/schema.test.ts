/**
 * A migration says what it locks.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect } from "effect"
import { type MigrationFile, migrationFiles } from "../../src/postgres/migrate.ts"

/** The first migration runs on an empty store. */
const firstWithLocks = 2

/** Whether a migration locks a table that exists and does not say for how long. */
function hidesLocks({ id, sql }: Pick<MigrationFile, "id" | "sql">): boolean {
  const created = new Set([...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table))
  const changed = [
    ...sql.matchAll(/(?:ALTER TABLE|LOCK TABLE|DROP TABLE|UPDATE|DELETE FROM)(?: ONLY)? (\w+)/g),
    ...sql.matchAll(/CREATE (?:UNIQUE )?INDEX[^;]*? ON (\w+)/g),
    ...sql.matchAll(/(?:CREATE|DROP)(?: CONSTRAINT)? TRIGGER[^;]*? ON (\w+)/g),
  ].some(([, table]) => !created.has(table))
  return id >= firstWithLocks && changed && !/^-- Locks: \S/m.test(sql)
}

Deno.test("a migration that locks a table that exists says for how long, as `-- Locks: ...`", async () => {
  const files = await Effect.runPromise(migrationFiles)
  equal(files.filter(hidesLocks).map(({ name }) => name), [])
  const hidden = [
    "ALTER TABLE payment ADD COLUMN a text;",
    "CREATE INDEX a ON payment (b);",
    "-- Locks:\nCREATE UNIQUE INDEX a\n ON payment (b);",
    "CREATE TABLE a (b text); UPDATE payment SET a = b;",
  ]
  const open = [
    "-- Locks: payment, for writes, 2 s per million rows.\nCREATE INDEX a ON payment (b);",
    "CREATE TABLE a (b text); CREATE INDEX c ON a (b);",
    "CREATE FUNCTION a() RETURNS integer LANGUAGE sql AS 'SELECT 1';",
  ]
  equal([...hidden, ...open].map((sql) => hidesLocks({ id: firstWithLocks, sql })), [
    ...hidden.map(() => true),
    ...open.map(() => false),
  ])
  equal(hidden.some((sql) => hidesLocks({ id: firstWithLocks - 1, sql })), false)
})
