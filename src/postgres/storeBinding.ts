/**
 * Binds a store to the venue it was first started with.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The store contains the feed of another venue. Nothing was changed. */
export class StoreVenueMismatch
  extends Schema.TaggedError<StoreVenueMismatch>()("StoreVenueMismatch", {
    requested: Schema.String,
    stored: Schema.String,
  }) {
  override get message() {
    return `Cannot start with venue ${this.requested}: this store has the feed of ${this.stored}. ` +
      "Set DATABASE_URL or DATA_DIR to another store"
  }
}

/** Stores the venue's name at the first start, and fails for any other venue afterwards. */
export const bindStoreToVenue = (
  requested: string,
): Effect.Effect<void, StoreVenueMismatch | SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO store_venue (venue) VALUES (${requested}) ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ venue: string }>`SELECT venue FROM store_venue`
    const stored = row?.venue ?? requested
    if (stored !== requested) return yield* new StoreVenueMismatch({ requested, stored })
  })
