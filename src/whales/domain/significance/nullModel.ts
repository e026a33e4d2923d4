/**
 * The null model of fair prices, and the p-value of a wallet's record under it.
 *
 * Under fair prices each market pays the side that the wallet favoured with a probability equal to its
 * price, and all markets of one event depend on one uniform draw. The weighted count of favoured sides
 * that are paid is then a sum of independent whole numbers, one for each event. Its distribution is
 * stored as sums over events: as harmonics, which are exact while the distribution is narrow, and as
 * cumulants, for a wide one.
 *
 * @module
 */
import {
  addCumulants,
  chernoffInterval,
  type Cumulants,
  cumulantsOf,
  noCumulants,
} from "./cumulants.ts"
import {
  addHarmonics,
  chanceBetween,
  type Harmonics,
  harmonicsOf,
  noHarmonics,
  order,
} from "./harmonics.ts"
import type { Outcome } from "./outcomes.ts"
import { saddlepointTail } from "./saddlepoint.ts"

/** One market of an event, expressed for the side on which the wallet has more entries. */
export interface FavouredSide {
  /** Entries on this side minus entries on the other: a whole number, at least 0. */
  readonly weight: number
  /** Mean opening price of all entries, as a price of this side, in (0, 1). */
  readonly price: number
  /** Payout of this side in USD a share, in [0, 1]. */
  readonly paid: number
  /**
   * Sum of payout minus price over all entries, minus weight x (paid - price). Not 0 when entries on
   * both sides together did not cost 1 USD a share. 0 when absent.
   */
  readonly remainder?: number
}

/** Sums over events. */
export interface NullSums {
  /** Sum of weight x paid + remainder. */
  readonly observed: number
  /** The largest possible total; the smallest is 0. */
  readonly weightSum: number
  /** ln of the probability of the largest total, and of the total 0. */
  readonly logAll: number
  readonly logNone: number
  readonly harmonics: Harmonics
  readonly cumulants: Cumulants
}

export const emptyNullSums: NullSums = {
  observed: 0,
  weightSum: 0,
  logAll: 0,
  logNone: 0,
  harmonics: noHarmonics,
  cumulants: noCumulants,
}

/** The sums of one event. */
export function eventSums(markets: ReadonlyArray<FavouredSide>): NullSums {
  const remainder = markets.reduce((sum, { remainder = 0 }) => sum + remainder, 0)
  const sides = markets.filter(({ weight }) => weight > 0).sort((a, b) => b.price - a.price)
  if (sides.length === 0) return { ...emptyNullSums, observed: remainder }
  const outcomes = outcomesOf(sides)
  return {
    observed: sides.reduce((sum, { weight, paid }) => sum + weight * paid, remainder),
    weightSum: sides.reduce((sum, { weight }) => sum + weight, 0),
    logAll: Math.log(outcomes.at(-1)?.chance ?? 1),
    logNone: Math.log(outcomes[0]?.chance ?? 1),
    harmonics: harmonicsOf(outcomes),
    cumulants: cumulantsOf(outcomes),
  }
}

/**
 * The possible totals of one uniform draw: it pays no side, or the most likely side, or the two most
 * likely sides, and so on.
 */
function outcomesOf(sides: ReadonlyArray<FavouredSide>): ReadonlyArray<Outcome> {
  const outcomes: Array<Outcome> = [{ total: 0, chance: 1 - (sides[0]?.price ?? 0) }]
  let total = 0
  sides.forEach(({ weight, price }, i) => {
    total += weight
    outcomes.push({ total, chance: price - (sides[i + 1]?.price ?? 0) })
  })
  return outcomes
}

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addNullSums(sums: NullSums, part: NullSums, times: 1 | -1): NullSums {
  return {
    observed: sums.observed + times * part.observed,
    weightSum: sums.weightSum + times * part.weightSum,
    logAll: sums.logAll + times * part.logAll,
    logNone: sums.logNone + times * part.logNone,
    harmonics: addHarmonics(sums.harmonics, part.harmonics, times),
    cumulants: addCumulants(sums.cumulants, part.cumulants, times),
  }
}

/** The probability ignored in each tail of a wide distribution; it is added to the result. */
const ignoredTail = 1e-9

/** Rounding errors make smaller probabilities meaningless. */
const chanceMin = 1e-14

/**
 * A total this near a whole number is that number. Other fractions come from pushes (paid half), which
 * the model does not have: each tail rounds them towards a larger p-value.
 */
const roundingError = 1e-6

/**
 * The two-sided p-value of a wallet's record under fair prices: twice the smaller of P(N >= observed)
 * and P(N <= observed).
 */
export function pValueOf(sums: NullSums): number {
  const { weightSum, cumulants, harmonics } = sums
  if (weightSum === 0) return 1
  const observed = Math.min(weightSum, Math.max(0, sums.observed))
  const isNarrow = weightSum < order
  const ends = isNarrow
    ? { lowest: 0, highest: weightSum }
    : chernoffInterval(cumulants, ignoredTail)
  const lowest = Math.max(0, Math.floor(ends.lowest))
  const highest = Math.min(weightSum, Math.ceil(ends.highest))
  if (highest - lowest >= order) {
    const above = Math.max(Math.exp(sums.logAll), saddlepointTail(cumulants, observed, 1))
    const below = Math.max(Math.exp(sums.logNone), saddlepointTail(cumulants, observed, -1))
    return Math.min(1, 2 * Math.max(chanceMin, Math.min(above, below)))
  }
  const error = isNarrow ? chanceMin : ignoredTail + chanceMin
  const least = Math.max(lowest, Math.floor(observed + roundingError))
  const most = Math.min(highest, Math.ceil(observed - roundingError))
  const above = chanceBetween(harmonics, least, highest)
  const below = chanceBetween(harmonics, lowest, most)
  return Math.min(1, 2 * (Math.min(above, below) + error))
}
