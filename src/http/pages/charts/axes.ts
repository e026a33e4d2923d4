/**
 * What axes need: round numbers, whole hours and days, labels that do not overlap, and fewer points.
 *
 * @module
 */
import { day, hour, minute } from "../../../core/domain/time.ts"
import { widthOf } from "./drawing.ts"

/** About four steps to an axis; more labels would overlap on a phone. */
const stepsMax = 4
/** Between two labels. */
export const labelGap = 10
/** Most points of a path: more would not be seen, and would be sent. */
export const pathPointsMax = 300

/** Round numbers in a range, at most five. */
export function roundTicks(from: number, to: number): ReadonlyArray<number> {
  const rough = (to - from) / stepsMax
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)
  return step === undefined ? [] : multiples(step, from, to)
}

const timeSteps = [
  minute,
  10 * minute,
  30 * minute,
  hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  7 * day,
  14 * day,
  30 * day,
  90 * day,
  365 * day,
]

/** Whole times in a range with their texts in UTC, at most five; none in more than a few years. */
export function timeTicks(
  from: number,
  to: number,
): ReadonlyArray<{ readonly at: number; readonly text: string }> {
  const step = timeSteps.find((size) => (to - from) / size <= stepsMax)
  if (step === undefined) return []
  return multiples(step, from, to).map((at) => {
    const isDay = step >= day || at % day === 0
    return { at, text: (isDay ? dayText : hourText).format(at) }
  })
}

const dayText = new Intl.DateTimeFormat("en-US", {
  month: "short",
  day: "numeric",
  timeZone: "UTC",
})
const hourText = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  timeZone: "UTC",
})

function multiples(step: number, from: number, to: number): ReadonlyArray<number> {
  const first = Math.ceil(from / step)
  const count = Math.min(Math.floor(to / step) - first, stepsMax) + 1
  // Adding 0 turns -0 into 0, which texts show without a sign.
  return Array.from({ length: Math.max(count, 0) }, (_, n) => (first + n) * step + 0)
}

/** The labels that stand inside the image and apart from the one before, from left to right. */
export function apart<A extends { readonly x: number; readonly text: string }>(
  places: ReadonlyArray<A>,
  from: number,
  to: number,
): ReadonlyArray<A> {
  let end = from
  return places.filter(({ x, text }) => {
    const half = widthOf(text) / 2
    if (x - half < end || x + half > to) return false
    end = x + half + labelGap
    return true
  })
}

/**
 * At most `pathPointsMax` points that look the same: of each run of points the least and the greatest,
 * in their order, so that no extreme is lost.
 */
export function thinned<A extends { readonly value: number }>(
  points: ReadonlyArray<A>,
): ReadonlyArray<A> {
  if (points.length <= pathPointsMax) return points
  const [first, last] = [points.slice(0, 1), points.slice(-1)]
  const runs = pathPointsMax / 2 - 1
  const size = (points.length - 2) / runs
  return [
    ...first,
    ...Array.from({ length: runs }, (_, n) => {
      const run = points.slice(1 + Math.floor(n * size), 1 + Math.floor((n + 1) * size))
      const order = (a: A, b: A) => a.value - b.value
      const [least, greatest] = [run.toSorted(order)[0], run.toSorted(order).at(-1)]
      return run.filter((point) => point === least || point === greatest)
    }).flat(),
    ...last,
  ]
}
