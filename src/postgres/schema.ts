/**
 * Whether the schema is there, for a process that does not migrate.
 *
 * @module
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The newest migration that was applied; 0 while there is none. */
export const schemaVersion: Effect.Effect<number, SqlError, SqlClient> = Effect.flatMap(
  SqlClient,
  (sql) =>
    sql<{ found: boolean }>`SELECT to_regclass('schema_migration') IS NOT NULL AS found`.pipe(
      Effect.flatMap(([row]) =>
        row?.found === true
          ? sql<{ version: number | null }>`
              SELECT max(migration_id)::int AS version FROM schema_migration`
          : Effect.succeed([])
      ),
      Effect.map(([row]) => row?.version ?? 0),
    ),
)
