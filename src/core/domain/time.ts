/**
 * Time in milliseconds since the Unix epoch, UTC, and its form on the wire.
 *
 * @module
 */
import { Schema } from "effect"

/** Milliseconds since the Unix epoch. */
export type EpochMs = number

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/**
 * How much is left at `now` of `lengthMs` that began at `from`; 0 when it is over. It is over, too, when it
 * seems to begin later: the clock has gone back since.
 */
export const leftMs = (from: EpochMs, lengthMs: number, now: EpochMs): number =>
  now < from ? 0 : Math.max(0, from + lengthMs - now)

/**
 * One run of a deletion ends at most this long after the oldest row, so that no clock can empty a
 * table: two slots of the job that deletes, so that it catches up twice as fast as rows get old.
 */
export const pruneStepMs = 20 * minute

/** The only form of a time on the wire: ISO 8601, UTC, with milliseconds and `Z`. */
export const IsoTime = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
).annotate({ description: "ISO 8601 UTC, with milliseconds", format: "date-time" })

/** The instant in the form of `IsoTime`. */
export function isoTime(at: EpochMs): string {
  return new Date(at).toISOString()
}
