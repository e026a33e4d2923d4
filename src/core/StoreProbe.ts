/**
 * The port that proves that the store accepts a write.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"

/** The store does not accept a write now. */
export class StoreRefusesWrites extends Schema.TaggedError<StoreRefusesWrites>()(
  "StoreRefusesWrites",
  {
    /** Such as `SQLSTATE 25006`; it contains no value and no address. */
    reason: Schema.String,
  },
) {}

export class StoreProbe extends Context.Service<StoreProbe, {
  /** Writes a row and a temporary file, and commits. */
  readonly write: Effect.Effect<void, StoreRefusesWrites>
}>()("bellwether/core/StoreProbe") {}
