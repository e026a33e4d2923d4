/**
 * Instants as the code has them. A query names its columns as the value that it returns does, so that a
 * row is that value.
 *
 * @module
 */
import type { SqlClient } from "effect/sql/SqlClient"

/** A time as milliseconds since 1970, under the name of a field; null where there is none. */
export const millis = (sql: SqlClient, time: string, field: string) =>
  sql.literal(`(extract(epoch FROM ${time}) * 1000)::float8 AS "${field}"`)
