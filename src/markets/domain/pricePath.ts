/**
 * A price path for a chart: a series with few enough points to send.
 *
 * @module
 */
import type { SeriesPoint } from "./market.ts"

/**
 * At most `max` points of a series in the order of time, `max` at least 2: the first point, and the
 * last one of each of `max - 1` equal parts of its time. No point is averaged or moved.
 */
export function thinned(
  points: ReadonlyArray<SeriesPoint>,
  max: number,
): ReadonlyArray<SeriesPoint> {
  const [first] = points
  const last = points.at(-1)
  if (first === undefined || last === undefined || points.length <= max) return points
  const partMs = (last.at - first.at) / (max - 1)
  const ofPart = new Map(
    points.slice(1).map((
      point,
    ) => [Math.min(max - 1, Math.ceil((point.at - first.at) / partMs)), point]),
  )
  return [first, ...ofPart.values()]
}
