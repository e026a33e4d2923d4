/**
 * What paid answers rest on: the job that reads each input, and the greatest age at which the input is
 * still sold. The age of an input is the time since its job last ended well.
 *
 * `docs/freshness.md` lists every answer with its inputs.
 *
 * @module
 */
import { Schema } from "effect"
import { type EpochMs, hour, IsoTime, isoTime, second } from "./time.ts"

/** The names of the jobs that read the inputs. */
export const tickJob = "tick"
export const whaleJob = "whales"
export const predeterminedJob = "predetermined"
export const scoresJob = "scores"

/** One input of paid answers. */
export interface Input {
  readonly job: string
  /** For the message of a refusal. */
  readonly name: string
  /** The input is too old when it is older than both of these. */
  readonly ageMax: { readonly ticks: number; readonly ms: number }
}

export const inputs = {
  /** Movers and the state of the feed. */
  feed: { job: tickJob, name: "The feed", ageMax: { ticks: 6, ms: 0 } },
  /** The listing with the prices of the last tick, which stand in for a book that is not available. */
  listing: { job: tickJob, name: "The listing", ageMax: { ticks: 0, ms: hour } },
  /** An entry is published up to an hour or six ticks after it: a longer outage loses some. */
  whaleEntries: {
    job: whaleJob,
    name: "The whale part of the feed",
    ageMax: { ticks: 6, ms: hour },
  },
  /** As for whale entries. */
  predetermined: {
    job: predeterminedJob,
    name: "The predetermined part of the feed",
    ageMax: { ticks: 6, ms: hour },
  },
  /**
   * Activity, resolutions and calibrations of tracked wallets. A record covers months, so it changes
   * little in six hours.
   */
  walletRecords: {
    job: whaleJob,
    name: "The record of tracked wallets",
    ageMax: { ticks: 0, ms: 6 * hour },
  },
} as const satisfies Readonly<Record<string, Input>>

/** Whether an input read at `at` is too old at `now`; true when it was never read. */
export function isTooOld(
  { ageMax }: Input,
  at: EpochMs | null,
  { now, tickIntervalMs }: { readonly now: EpochMs; readonly tickIntervalMs: number },
): boolean {
  return at === null || now - at > Math.max(ageMax.ticks * tickIntervalMs, ageMax.ms)
}

/** An input of the answer is too old to be sold; `asOf` is null when it was never read. */
export class DataStale extends Schema.TaggedError<DataStale>()("DataStale", {
  /** Which input, as in its `name`. */
  input: Schema.String,
  asOf: Schema.NullOr(IsoTime),
  retryAfterSeconds: Schema.Int,
}) {}

/** The refusal of an input; it may be fresh after the next tick. */
export function dataStale(input: Input, at: EpochMs | null, tickIntervalMs: number): DataStale {
  return new DataStale({
    input: input.name,
    asOf: at === null ? null : isoTime(at),
    retryAfterSeconds: Math.ceil(tickIntervalMs / second),
  })
}
