/**
 * The slope of a measured series with its 95 % interval, after Theil and Sen: the median of the
 * slopes between all pairs of points, which a few outliers do not move.
 *
 * The interval is Sen's, from the variance of Kendall's tau. It assumes independent points, so a
 * series is averaged over blocks first.
 *
 * @module
 */

export interface Point {
  readonly x: number
  readonly y: number
}

/** In units of y per unit of x. */
export interface Slope {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Of the normal distribution, for an interval of 95 %. */
const z = 1.959964

/** The median of each block of `size` consecutive points; a last, shorter block is left out. */
export function inBlocks(points: ReadonlyArray<Point>, size: number): ReadonlyArray<Point> {
  return Array.from({ length: Math.floor(points.length / size) }, (_, n) => {
    const block = points.slice(n * size, (n + 1) * size)
    return { x: median(block.map(({ x }) => x)), y: median(block.map(({ y }) => y)) }
  })
}

/** Needs two points with different x. */
export function slopeOf(points: ReadonlyArray<Point>): Slope {
  const slopes = points.flatMap((a, n) =>
    points.slice(n + 1).filter((b) => b.x !== a.x).map((b) => (b.y - a.y) / (b.x - a.x))
  ).toSorted((a, b) => a - b)
  const n = points.length
  const halfWidth = z * Math.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2
  const at = (rank: number) =>
    slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(rank)))] ?? NaN
  const middle = (slopes.length - 1) / 2
  return { median: median(slopes), low: at(middle - halfWidth), high: at(middle + halfWidth) }
}

/** NaN of no values. */
export function median(values: ReadonlyArray<number>): number {
  const sorted = values.toSorted((a, b) => a - b)
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN
  const high = sorted[Math.ceil((sorted.length - 1) / 2)] ?? NaN
  return (low + high) / 2
}
