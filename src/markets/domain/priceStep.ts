/**
 * The step of a price move, and how it lies in time to a headline.
 *
 * @module
 */
import { halfSteps } from "./book.ts"
import type { SeriesPoint } from "./market.ts"
import { priceDifference } from "./quote.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

/** Points of a series that are read; of more, the newest. A week at ten minutes has 1,008. */
export const stepPointsMax = 5_000

/** The largest time between the two points of a step. Inclusive. */
const stepMsMax = hour

/** A price change within an hour: it happened after `from`, and at `to` at the latest. */
export interface PriceStep {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly priceFrom: number
  readonly priceTo: number
  /** priceTo - priceFrom; not 0. */
  readonly delta: number
}

/**
 * The largest change between two points of `[from, to]` that are at most an hour apart: of equal ones
 * the shortest, then the earliest. Null when no price changed, or no two points are that near. The
 * points may come in any order; of several at one time the highest price counts.
 */
export function stepWithin(
  series: ReadonlyArray<SeriesPoint>,
  from: EpochMs,
  to: EpochMs,
): PriceStep | null {
  const points = series
    .filter(({ at, mid }) => at >= from && at <= to && Number.isFinite(mid))
    .sort((a, b) => a.at - b.at || a.mid - b.mid)
    .filter(({ at }, i, sorted) => sorted[i + 1]?.at !== at)
    .slice(-stepPointsMax)
  let best: PriceStep | null = null
  for (const [n, end] of points.entries()) {
    for (let i = n - 1; i >= 0; i--) {
      const start = points[i]
      if (start === undefined || end.at - start.at > stepMsMax) break
      const step = stepBetween(start, end)
      if (step.delta !== 0 && (best === null || isLarger(step, best))) best = step
    }
  }
  return best
}

function stepBetween(start: SeriesPoint, end: SeriesPoint): PriceStep {
  return {
    from: start.at,
    to: end.at,
    priceFrom: start.mid,
    priceTo: end.mid,
    delta: priceDifference(end.mid, start.mid),
  }
}

function isLarger(step: PriceStep, than: PriceStep): boolean {
  const change = Math.abs(halfSteps(step.delta)) - Math.abs(halfSteps(than.delta))
  return change > 0 || (change === 0 && step.to - step.from < than.to - than.from)
}

/** How a headline lies in time to a step. */
interface HeadlineLag {
  /** `before`: the headline precedes the step; `inside`: within it; `after`: it follows the step. */
  readonly position: "before" | "inside" | "after"
  /**
   * The time from the headline to the step, which happened at an unknown instant of its interval: at
   * least and at most so many milliseconds. Negative when the step was first.
   */
  readonly lagMsMin: number
  readonly lagMsMax: number
}

/**
 * The lag from a headline, the earliest of its story, to a step. Without a price series the step of a
 * mover is from its `startedAt` to its `createdAt`. A headline `inside` may be cause or report.
 */
export function headlineLag(
  headlineAt: EpochMs,
  { from, to }: Pick<PriceStep, "from" | "to">,
): HeadlineLag {
  const position = headlineAt < from ? "before" : headlineAt > to ? "after" : "inside"
  return { position, lagMsMin: from - headlineAt, lagMsMax: to - headlineAt }
}
