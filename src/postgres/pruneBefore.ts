/**
 * What bounds each deletion of old rows: the clock that says what is old may be wrong.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { type EpochMs, pruneStepMs } from "../core/domain/time.ts"

/**
 * The time before which one run deletes: `before`, but at most `pruneStepMs` after the oldest row.
 * `oldest` selects the time of that row, among those that can be deleted.
 */
export const pruneBefore = (sql: SqlClient, before: EpochMs, oldest: Fragment) =>
  sql`least(${new Date(before)}::timestamptz,
    (${oldest}) + ${pruneStepMs}::float8 * interval '1 millisecond')`
