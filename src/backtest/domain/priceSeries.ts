/**
 * The points of one market that a replay keeps: as many days as the service keeps.
 *
 * @module
 */
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { day, type EpochMs } from "../../core/domain/time.ts"

/** The service deletes points that are older. */
const keptMs = 9 * day

/** Old points are removed when there are this many, so that removal costs little for each point. */
const removedAtOnce = 256

/** Points in ascending order of time, in two columns; mutated by `append`. */
export interface PriceSeries {
  readonly times: Array<EpochMs>
  readonly mids: Array<number>
}

export function append({ times, mids }: PriceSeries, { at, mid }: SeriesPoint): void {
  times.push(at)
  mids.push(mid)
  const oldest = times[Math.min(removedAtOnce, times.length) - 1]
  if (oldest !== undefined && times.length > removedAtOnce && oldest < at - keptMs) {
    times.splice(0, removedAtOnce)
    mids.splice(0, removedAtOnce)
  }
}

/** The number of points at or before this time. */
function countUntil({ times }: PriceSeries, at: EpochMs): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** The last point in a range, both ends included. */
export function lastIn(series: PriceSeries, from: EpochMs, to: EpochMs): SeriesPoint | undefined {
  const index = countUntil(series, to) - 1
  const [at, mid] = [series.times[index], series.mids[index]]
  return at === undefined || mid === undefined || at < from ? undefined : { at, mid }
}

/** The time of the first point in a range whose mid passes the test. */
export function firstTimeIn(
  series: PriceSeries,
  from: EpochMs,
  to: EpochMs,
  test: (mid: number) => boolean,
): EpochMs | undefined {
  for (let index = countUntil(series, from - 1); index < series.times.length; index++) {
    const [at, mid] = [series.times[index], series.mids[index]]
    if (at === undefined || mid === undefined || at > to) break
    if (test(mid)) return at
  }
  return undefined
}

/** All points in a range, both ends included. */
export function pointsIn(
  series: PriceSeries,
  from: EpochMs,
  to: EpochMs,
): ReadonlyArray<SeriesPoint> {
  const points: Array<SeriesPoint> = []
  for (let index = countUntil(series, from - 1); index < series.times.length; index++) {
    const [at, mid] = [series.times[index], series.mids[index]]
    if (at === undefined || mid === undefined || at > to) break
    points.push({ at, mid })
  }
  return points
}
