/**
 * The hourly volatility of a market, on the logit scale.
 *
 * @module
 */
import { Array, Option } from "effect"
import type { SeriesPoint } from "../../markets/domain/market.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

/** Beyond these limits a price means “certain”, and its logit has no further information. */
const clamp = { low: 0.005, high: 0.995 }

/** ln(p / (1 - p)) of a price 0..1, clamped to [0.005, 0.995] so that it is always finite. */
export function logit(price: number): number {
  const clamped = Math.min(clamp.high, Math.max(clamp.low, price))
  return Math.log(clamped / (1 - clamped))
}

/** A smaller standard deviation would be an artefact of the sample. */
const sigmaMin = 0.02

/** With fewer hourly returns than a day has, the prior is more reliable than the sample. */
const returnsMin = 24

/** Hourly volatility without data; prices near 0 or 1 move more on this scale. */
const prior = { central: 0.1, extreme: 0.15, low: 0.1, high: 0.9 }

/**
 * The standard deviation of the hourly logit returns of `points` up to `end`, at least 0.02. With fewer
 * than 24 returns it is the prior: 0.10, or 0.15 for a `mid` outside 0.10 to 0.90.
 *
 * Points may be in any order and spacing. Each hour counted back from `end` has the price of its last
 * point. A return needs two consecutive hours, so that a gap adds neither a return of zero nor one huge
 * return. Returns are hourly, so that the bounce between bid and ask does not inflate the figure.
 */
export function hourlyVolatility(
  points: ReadonlyArray<SeriesPoint>,
  end: EpochMs,
  mid: number,
): number {
  const lastOfHour = new Map<number, SeriesPoint>()
  for (const point of points) {
    const hoursBack = Math.floor((end - point.at) / hour)
    const last = lastOfHour.get(hoursBack)
    if (hoursBack >= 0 && (last === undefined || isLater(point, last))) {
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

/** Of two points at the same time the higher counts, so that the input order has no effect. */
function isLater(a: SeriesPoint, b: SeriesPoint): boolean {
  return a.at > b.at || (a.at === b.at && a.mid > b.mid)
}

/** The sample standard deviation, with n - 1. */
function standardDeviation(sample: ReadonlyArray<number>): number {
  const mean = sample.reduce((sum, x) => sum + x, 0) / sample.length
  const squares = sample.reduce((sum, x) => sum + (x - mean) ** 2, 0)
  return Math.sqrt(squares / (sample.length - 1))
}
