/**
 * What the price did: the reading that every part of a report shares.
 *
 * @module
 */
import { halfSteps, isPrice } from "../../markets/domain/book.ts"
import { stepWithin } from "../../markets/domain/priceStep.ts"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import { priceOf, type ReportMaterial } from "./material.ts"

/** A change of the price between two points. */
interface Change {
  readonly from: SeriesPoint
  readonly to: SeriesPoint
}

interface Movement {
  /** From a day ago until now, else from the first known point; null when less than an hour is known. */
  readonly recent: Change | null
  /** The change that the report explains: the last day's, else the week's; null in a quiet market. */
  readonly main: Change | null
  /**
   * The step from one hour to the next that is at least half of `main`; its ends are as near as the
   * ticks show.
   */
  readonly step: Change | null
  readonly low: number
  readonly high: number
  /** The time that `low` and `high` are of. */
  readonly spanMs: number
}

/** A point this far from a day ago still counts as a day ago: an hour may lack a price. */
const dayStartSlack = 90 * minute
/** The longest time between two points that count as consecutive hours: one hour may be missing. */
const stepMax = 2 * hour
/** A smaller change of a day, or of a week, is no move. Inclusive. */
const moveMin = halfSteps(0.03)
/** A smaller step is not worth a sentence. Inclusive; the second is its least share of the move. */
const stepMin = halfSteps(0.01)
const stepShareMin = 0.5

/** The signed size in half price steps, for exact comparison. */
function sizeOf({ from, to }: Change): number {
  return halfSteps(to.mid) - halfSteps(from.mid)
}

export function movementOf(material: ReportMaterial): Movement {
  const { priceAction, ticks } = material
  const [first, ...rest] = priceAction
  const price = priceOf(material)
  const points = [first, ...rest, price]
  const mids = [...ticks, ...points].map(({ mid }) => mid).filter(isPrice)
  const whole = price.at - first.at < hour ? null : { from: first, to: price }
  const before = dayBefore(priceAction, price.at - day)
  const lastDay = before === null ? null : { from: before, to: price }
  const main =
    [lastDay, whole].find((change) => change !== null && Math.abs(sizeOf(change)) >= moveMin) ??
      null
  const step = main === null
    ? undefined
    : stepsOf(points).find((step) =>
      step.to.at > main.from.at && Math.abs(sizeOf(step)) >= stepMin &&
      sizeOf(step) / sizeOf(main) >= stepShareMin
    )
  return {
    recent: lastDay ?? whole,
    main,
    step: step === undefined ? null : refined(step, ticks),
    low: Math.min(...mids),
    high: Math.max(...mids),
    spanMs: price.at - first.at,
  }
}

/** The point nearest to `at`; null when none is near. */
function dayBefore(points: ReadonlyArray<SeriesPoint>, at: EpochMs): SeriesPoint | null {
  const distance = (point: SeriesPoint) => Math.abs(point.at - at)
  return points.filter((point) => distance(point) <= dayStartSlack)
    .toSorted((a, b) => distance(a) - distance(b))[0] ?? null
}

/** The part of a step in which its ticks show the largest change, if it goes the same way. */
function refined(step: Change, ticks: ReadonlyArray<SeriesPoint>): Change {
  const found = stepWithin(ticks, step.from.at, step.to.at)
  if (found === null || found.delta > 0 !== sizeOf(step) > 0) return step
  return {
    from: { at: found.from, mid: found.priceFrom },
    to: { at: found.to, mid: found.priceTo },
  }
}

/** The steps from hour to hour, the largest first; of equal ones the latest. */
function stepsOf(points: ReadonlyArray<SeriesPoint>): ReadonlyArray<Change> {
  return points.slice(1).flatMap((to, n) => {
    const from = points[n]
    return from === undefined || to.at <= from.at || to.at - from.at > stepMax ? [] : [{ from, to }]
  }).sort((a, b) => Math.abs(sizeOf(b)) - Math.abs(sizeOf(a)) || b.to.at - a.to.at)
}
