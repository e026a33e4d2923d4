/**
 * The port that proves that the store accepts a write, and says its time and how large its tables are.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { EpochMs } from "./domain/time.ts"

/** The store does not accept a write now. */
export class StoreRefusesWrites extends Schema.TaggedError<StoreRefusesWrites>()(
  "StoreRefusesWrites",
  {
    /** Such as `SQLSTATE 25006`; it contains no value and no address. */
    reason: Schema.String,
  },
) {}

export interface TableSize {
  readonly table: string
  /** An estimate of the database: its last count of living rows. */
  readonly rows: number
  /** With indexes and long values. */
  readonly bytes: number
}

export class StoreProbe extends Context.Service<StoreProbe, {
  /** Writes a row and a temporary file, and commits. */
  readonly write: Effect.Effect<void, StoreRefusesWrites>
  /** The store's clock. */
  readonly now: Effect.Effect<EpochMs>
  /** The size of every table; reads no table itself. */
  readonly tableSizes: Effect.Effect<ReadonlyArray<TableSize>>
}>()("bellwether/core/StoreProbe") {}
