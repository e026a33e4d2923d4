/**
 * How much a market moves in an ordinary hour, on the logit scale.
 *
 * @module
 */
import { Array, Option } from "effect"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

/** Beyond these a price says "certain", and its logit nothing more. */
const clamp = { low: 0.005, high: 0.995 }

/** ln(p / (1 - p)) of a price 0..1, clamped to [0.005, 0.995] so that it is always finite. */
export function logit(price: number): number {
  const clamped = Math.min(clamp.high, Math.max(clamp.low, price))
  return Math.log(clamped / (1 - clamped))
}

/** No market is so calm that a smaller figure would not be an accident of the sample. */
const sigmaMin = 0.02

/** With fewer hourly returns than a day has, a sample says less than the prior. */
const returnsMin = 24

/** What an hour brings where nothing is known; prices near an end are livelier on this scale. */
const prior = { central: 0.1, extreme: 0.15, low: 0.1, high: 0.9 }

/**
 * The standard deviation of the hourly logit returns of `points` up to `end`, at least 0.02; the
 * prior 0.10 (0.15 for a `mid` outside .10-.90) with under 24 returns.
 *
 * Points may come in any order and spacing. Each hour counted back from `end` has the price of its
 * last point; a return is taken only between hours that stand side by side, so that a gap neither
 * adds a false calm nor one huge step. Hourly, so that bounce between bid and ask from tick to tick
 * does not inflate it.
 */
export function hourlyVolatility(
  points: ReadonlyArray<SeriesPoint>,
  end: EpochMs,
  mid: number,
): number {
  const lastOfHour = new Map<number, SeriesPoint>()
  for (const point of points) {
    const hoursBack = Math.floor((end - point.at) / hour)
    const held = lastOfHour.get(hoursBack)
    if (hoursBack >= 0 && (held === undefined || isLater(point, held))) {
      lastOfHour.set(hoursBack, point)
    }
  }
  const returns = Array.getSomes(
    Array.fromIterable(lastOfHour).map(([hoursBack, point]) =>
      Option.map(
        Option.fromNullishOr(lastOfHour.get(hoursBack + 1)),
        (before) => logit(point.mid) - logit(before.mid),
      )
    ),
  )
  if (returns.length >= returnsMin) return Math.max(sigmaMin, standardDeviation(returns))
  return mid >= prior.low && mid <= prior.high ? prior.central : prior.extreme
}

/** Of two points at one time the higher counts, so that the order of arrival decides nothing. */
function isLater(a: SeriesPoint, b: SeriesPoint): boolean {
  return a.at > b.at || (a.at === b.at && a.mid > b.mid)
}

/** Of the sample, with n - 1. */
function standardDeviation(sample: ReadonlyArray<number>): number {
  const mean = sample.reduce((sum, x) => sum + x, 0) / sample.length
  const squares = sample.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  return Math.sqrt(squares / (sample.length - 1))
}
