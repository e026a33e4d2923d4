/**
 * Ties a store to the venue it was first started with.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** The store's feed is about another venue. Nothing was changed. */
export class StoreVenueMismatch
  extends Schema.TaggedError<StoreVenueMismatch>()("StoreVenueMismatch", {
    asked: Schema.String,
    held: Schema.String,
  }) {
  override get message() {
    return `Cannot start on this store with venue ${this.asked}: its feed is about ${this.held}. ` +
      "Set DATABASE_URL or DATA_DIR to another store"
  }
}

/** Writes the venue's name at the first start, and refuses another one ever after. */
export const bindStoreToVenue = (
  asked: string,
): Effect.Effect<void, StoreVenueMismatch | SqlError, SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`INSERT INTO store_venue (venue) VALUES (${asked}) ON CONFLICT DO NOTHING`
    const [row] = yield* sql<{ venue: string }>`SELECT venue FROM store_venue`
    const held = row?.venue ?? asked
    if (held !== asked) return yield* new StoreVenueMismatch({ asked, held })
  })
