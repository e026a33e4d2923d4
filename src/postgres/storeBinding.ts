/**
 * Binds a store to the venue and to the kind of payments that it was first started with.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** What a store is bound to; each has a table `store_*` with one row. */
type Bound = "venue" | "payments"

const settings = { venue: "VENUE", payments: "PAYMENTS or NETWORK" } as const

/** The store belongs to another venue, or to another kind or network of payments. Nothing was changed. */
export class StoreMismatch extends Schema.TaggedError<StoreMismatch>()("StoreMismatch", {
  bound: Schema.Literals(["venue", "payments"]),
  requested: Schema.String,
  stored: Schema.String,
}) {
  override get message() {
    return `Cannot start with ${this.bound} ${this.requested}: this store was started with ` +
      `${this.bound} ${this.stored}. Correct ${settings[this.bound]}, or use another store`
  }
}

/** Stores `requested` at the first start, and fails for anything else afterwards. */
export const bindStore = (
  bound: Bound,
  requested: string,
): Effect.Effect<void, StoreMismatch | SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const table = sql(`store_${bound}`)
    const column = sql(bound)
    yield* sql`INSERT INTO ${table} (${column}) VALUES (${requested}) ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ stored: string }>`SELECT ${column} AS stored FROM ${table}`
    const stored = row?.stored ?? requested
    if (stored !== requested) return yield* new StoreMismatch({ bound, requested, stored })
  })
