/**
 * How much the figures of a soak may rise per simulated day, in the second half of a run.
 *
 * @module
 */
import type { HourRecord } from "./records.ts"
import { inBlocks, type Slope, slopeOf } from "./slopes.ts"

/** Per day, in the figure's own unit. */
export const risePerDayMax: Readonly<Record<string, number>> = {
  "service MB": 3,
  "worker MB": 1,
  "PostgreSQL MB": 3,
  "connections": 0.1,
  "service descriptors": 0.2,
  /** In an hour. On a busy machine it says more than a latency. */
  "service CPU s": 0.2,
  "free ms": 0.1,
  "paid ms": 2,
  /** Measured: 4.9 to 5.1 with 12 purchases an hour. Markets are kept for 100 days. */
  "store MB": 8,
}

/**
 * Tables whose rows are deleted after ten days or less, in MB per day. They are judged from the day on
 * which the oldest rows are gone; all other tables are part of `store MB`.
 */
const boundedTableRiseMax = 0.1
const boundedTables = [
  "job_slot",
  "digest",
  "headline",
  "mid_hour",
  "research_report",
]
const boundedFromHour = 11 * 24

/** Points are averaged over this many hours. */
const blockHours = 6
/** A second half that is shorter than this is not judged: a process warms up for hours. */
const judgedHoursMin = 24

export interface Finding {
  readonly name: string
  /** The median of the second half. */
  readonly level: number
  readonly slope: Slope
  readonly limit: number
  /** Even the low end of the interval is above the limit. */
  readonly isBreach: boolean
}

/** The slopes of all figures; empty for a run that is too short for one. */
export function findingsOf(hours: ReadonlyArray<HourRecord>): ReadonlyArray<Finding> {
  const half = hours.slice(Math.floor(hours.length / 2))
  if (half.length < judgedHoursMin) return []
  const late = half.filter(({ hour }) => hour >= boundedFromHour)
  return [
    ...Object.entries(risePerDayMax).flatMap(([name, limit]) =>
      findingOf(name, limit, half, ({ figures }) => figures[name])
    ),
    ...boundedTables.flatMap((name) =>
      findingOf(
        `${name} MB`,
        boundedTableRiseMax,
        late,
        ({ tableBytes }) => (tableBytes[name] ?? NaN) / 1e6,
      )
    ),
  ]
}

/** None when there are too few hours. */
function findingOf(
  name: string,
  limit: number,
  hours: ReadonlyArray<HourRecord>,
  valueOf: (record: HourRecord) => number | undefined,
): ReadonlyArray<Finding> {
  const points = hours.flatMap((record) => {
    const y = valueOf(record) ?? NaN
    return Number.isNaN(y) ? [] : [{ x: record.hour / 24, y }]
  })
  const blocks = inBlocks(points, blockHours)
  if (blocks.length < 4) return []
  const slope = slopeOf(blocks)
  const level = inBlocks(points, points.length)[0]?.y ?? NaN
  return [{ name, level, slope, limit, isBreach: slope.low > limit }]
}
