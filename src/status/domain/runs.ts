/**
 * The planned runs of one part on one UTC day, and what became of them, as lengths of equal runs.
 *
 * A run has the number `floor(its time / the interval)`.
 *
 * @module
 */
import { Schema } from "effect"
import { day, type EpochMs } from "../../core/domain/time.ts"
import { Part } from "./part.ts"

/** `unknown`: before the record began. `missing`: it did not happen, or did not end. */
const Outcome = Schema.Literals(["ok", "failed", "missing", "unknown"])
type Outcome = typeof Outcome.Type

/** So many planned runs in a row with one outcome. */
export const RunLengths = Schema.Array(Schema.Tuple([Outcome, Schema.Int]))
export type RunLengths = typeof RunLengths.Type

export interface PartDayRecord {
  readonly part: Part
  /** The start of the day. */
  readonly day: EpochMs
  readonly everyMs: number
  readonly runs: RunLengths
}

/** Runs that ended, in a row with one outcome; both numbers are included. */
export interface EndedRuns {
  readonly outcome: "ok" | "failed"
  readonly from: number
  readonly through: number
}

/** The start of the UTC day. */
export const dayOf = (at: EpochMs): EpochMs => Math.floor(at / day) * day

/** The numbers of the runs that are due on a day: `from` is included, `to` is not. */
export const numbersOn = (start: EpochMs, everyMs: number) => ({
  from: Math.ceil(start / everyMs),
  to: Math.ceil((start + day) / everyMs),
})

/**
 * What became of the runs of a day. Runs before `since` are unknown. A run that has not ended is
 * missing when its slot is over at `now`, and not counted before.
 */
export function recordOf(options: {
  readonly part: Part
  readonly day: EpochMs
  readonly everyMs: number
  /** Those of the day, in order. */
  readonly ended: ReadonlyArray<EndedRuns>
  readonly since: EpochMs
  readonly now: EpochMs
}): PartDayRecord {
  const { part, everyMs, since, now } = options
  const { from, to } = numbersOn(options.day, everyMs)
  const runs: Array<readonly [Outcome, number]> = []
  let next = from
  const add = (outcome: Outcome, end: number) => {
    if (end <= next) return
    const last = runs.at(-1)
    if (last !== undefined && last[0] === outcome) runs.pop()
    runs.push([outcome, end - next + (last?.[0] === outcome ? last[1] : 0)])
    next = end
  }
  const within = (number: number) => Math.min(Math.max(number, from), to)
  add("unknown", within(Math.floor(since / everyMs)))
  for (const { outcome, from: first, through } of options.ended) {
    add("missing", within(first))
    add(outcome, within(through + 1))
  }
  add("missing", within(Math.floor(now / everyMs)))
  return { part, day: options.day, everyMs, runs }
}

/** Counts of the known runs; null when no run is known. */
export function countsOf(runs: RunLengths) {
  const of = (outcome: Outcome) =>
    runs.reduce((sum, [known, length]) => known === outcome ? sum + length : sum, 0)
  const [ok, failed, missing] = [of("ok"), of("failed"), of("missing")]
  const planned = ok + failed + missing
  return planned === 0 ? null : { planned, ok, failed, missing }
}
