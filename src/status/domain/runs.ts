/**
 * The planned runs of one part on one UTC day, and what became of them, as lengths of equal runs.
 *
 * A run has the number `floor(its time / the interval)`.
 *
 * @module
 */
import { day, type EpochMs } from "../../core/domain/time.ts"
import type { Part } from "./part.ts"

/** `unknown`: before the record began. `missing`: it did not happen, or did not end. */
type Outcome = "ok" | "failed" | "missing" | "unknown"

/** So many planned runs in a row with one outcome. */
type RunLengths = ReadonlyArray<readonly [Outcome, number]>

export interface PartDay {
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

/** What is stored of the runs of a part. */
export interface StoredRuns {
  /** The oldest stored run, ended or not. */
  readonly since: EpochMs
  /** In order. */
  readonly ended: ReadonlyArray<EndedRuns>
}

/** The start of the UTC day. */
export const dayOf = (at: EpochMs): EpochMs => Math.floor(at / day) * day

/** The numbers of the runs that are due on a day: `from` is included, `to` is not. */
export const numbersOn = (start: EpochMs, everyMs: number) => ({
  from: Math.ceil(start / everyMs),
  to: Math.ceil((start + day) / everyMs),
})

/**
 * What became of the runs of a day. Runs before the oldest stored one are unknown. A run that has not
 * ended is missing when its slot is over at `now`, and not counted before.
 */
export function partDay(options: {
  readonly part: Part
  readonly day: EpochMs
  readonly everyMs: number
  /** Of any days. */
  readonly stored: StoredRuns
  readonly now: EpochMs
}): PartDay {
  const { part, everyMs, stored, now } = options
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
  add("unknown", within(Math.floor(stored.since / everyMs)))
  for (const { outcome, from: first, through } of stored.ended) {
    add("missing", within(first))
    add(outcome, within(through + 1))
  }
  add("missing", within(Math.floor(now / everyMs)))
  return { part, day: options.day, everyMs, runs }
}

/** The recorded time of a UTC day, and how much of it was good. */
export interface DayTime {
  /** The start of the day. */
  readonly day: EpochMs
  readonly recordedMs: number
  readonly goodMs: number
}

/**
 * The time of one day: recorded is that of the part that runs most often, and bad that of the worst
 * part, of which each planned run that did not end well takes its interval. Null when no run is known.
 */
export function dayTime(parts: ReadonlyArray<PartDay>): DayTime | null {
  const known = parts.flatMap(({ day, runs, everyMs }) => {
    const counts = countsOf(runs)
    if (counts === null) return []
    const { planned, ok } = counts
    return [{ day, everyMs, knownMs: planned * everyMs, badMs: (planned - ok) * everyMs }]
  }).toSorted((a, b) => a.everyMs - b.everyMs)
  const [first] = known
  if (first === undefined) return null
  const recordedMs = Math.min(day, first.knownMs)
  const worst = Math.max(...known.map(({ badMs }) => badMs))
  return { day: first.day, recordedMs, goodMs: Math.max(recordedMs - worst, 0) }
}

/** Counts of the known runs; null when no run is known. */
export function countsOf(runs: RunLengths) {
  const of = (outcome: Outcome) =>
    runs.reduce((sum, [known, length]) => known === outcome ? sum + length : sum, 0)
  const [ok, failed, missing] = [of("ok"), of("failed"), of("missing")]
  const planned = ok + failed + missing
  return planned === 0 ? null : { planned, ok, failed, missing }
}
