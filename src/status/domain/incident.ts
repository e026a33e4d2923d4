/**
 * When a part of the service did not work, from its planned runs alone.
 *
 * @module
 */
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import type { Part } from "./part.ts"
import { numbersOn, type PartDay } from "./runs.ts"

/** Fewer runs in a row that did not end well are no incident. */
const runsMin = 2

/** How many incidents are shown. */
export const incidentsMax = 20

export const incidentDefinition =
  "An incident is two or more planned runs of one part in a row that failed or did not happen; it " +
  "starts when the first of them was due, and ends when the next run that ended well was due."

interface Incident {
  readonly part: Part
  readonly from: string
  readonly to: string | null
  readonly failed: number
  readonly missing: number
}

/** The incidents of one part, the oldest first. Its days are in order. */
export function incidentsOf(days: ReadonlyArray<PartDay>): ReadonlyArray<Incident> {
  const incidents: Array<Incident> = []
  let open: { part: Part; from: EpochMs; failed: number; missing: number } | null = null
  const close = (to: EpochMs | null) => {
    if (open !== null && open.failed + open.missing >= runsMin) {
      const { from, ...rest } = open
      incidents.push({ ...rest, from: isoTime(from), to: to === null ? null : isoTime(to) })
    }
    open = null
  }
  for (const { part, day, everyMs, runs } of days) {
    let number = numbersOn(day, everyMs).from
    for (const [outcome, length] of runs) {
      if (outcome === "failed" || outcome === "missing") {
        open ??= { part, from: number * everyMs, failed: 0, missing: 0 }
        open[outcome] += length
      } else close(number * everyMs)
      number += length
    }
  }
  close(null)
  return incidents
}

/** The newest incidents of all parts, the newest first. */
export const newest = (incidents: ReadonlyArray<Incident>): ReadonlyArray<Incident> =>
  incidents.toSorted((a, b) => a.from < b.from ? 1 : a.from > b.from ? -1 : 0)
    .slice(0, incidentsMax)
