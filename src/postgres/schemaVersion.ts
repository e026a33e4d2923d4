/**
 * The migrations that are applied to a database, for processes that apply none.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

/** The table of applied migrations. */
export const migrationTable = "schema_migration"

/** The names of the applied migrations, by number, ascending. */
export const appliedNames = Effect.fnUntraced(function* (sql: SqlClient) {
  const [found] = yield* sql<
    { found: boolean }
  >`SELECT to_regclass(${migrationTable}) IS NOT NULL AS found`
  if (found?.found !== true) return new Map<number, string>()
  const rows = yield* sql<{ migration_id: number; name: string }>`
    SELECT migration_id, name FROM ${sql(migrationTable)} ORDER BY migration_id`
  return new Map(rows.map((row) => [row.migration_id, row.name]))
})
