/**
 * The null model of fair prices, and the p-value of a wallet's record under it.
 *
 * Under fair prices each market pays the side that the wallet favoured with a probability equal to its
 * price. All markets of one event depend on one uniform draw: at most one of its exclusive markets wins,
 * and the others win together as often as their prices allow. The weighted count of favoured sides that
 * are paid is then a sum of independent whole numbers, one for each event. Its distribution is
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
  /** 1 when this side was paid, else 0. */
  readonly paid: number
  /** Only of a market that excludes others: at most one of a group pays its first outcome. */
  readonly exclusive?: { readonly group: string; readonly outcome: 0 | 1 }
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
  /** No total is larger; none is below 0. */
  readonly weightSum: number
  /** ln of the probability of the largest possible total, and of the smallest. */
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
  const outcomes = outcomesOf(sides.map(paysAt(sides)))
  return {
    observed: sides.reduce((sum, { weight, paid }) => sum + weight * paid, remainder),
    weightSum: sides.reduce((sum, { weight }) => sum + weight, 0),
    logAll: Math.log(outcomes.at(-1)?.chance ?? 1),
    logNone: Math.log(outcomes[0]?.chance ?? 1),
    harmonics: harmonicsOf(outcomes),
    cumulants: cumulantsOf(outcomes),
  }
}

/** When a side pays: while the draw, in [0, 1), is in [from, to), which may end beyond 1 and go on at 0. */
interface PayingDraws {
  readonly weight: number
  readonly from: number
  readonly to: number
}

/**
 * Sides that exclude nothing pay when the draw is below their price. Exclusive markets pay their first
 * outcomes on intervals that adjoin each other, each as long as its price, so that one wins, or none.
 * Where prices of different times add up to more than 1 the intervals go on from 0 and overlap, which
 * keeps the probability of each market. A group of which two markets were paid is not exclusive.
 */
function paysAt(sides: ReadonlyArray<FavouredSide>): (side: FavouredSide) => PayingDraws {
  const winners = new Map<string, number>()
  for (const { paid, exclusive } of sides) {
    if (exclusive === undefined) continue
    const won = exclusive.outcome === 0 ? paid : 1 - paid
    winners.set(exclusive.group, (winners.get(exclusive.group) ?? 0) + won)
  }
  const reached = new Map<string, number>()
  return ({ weight, price, exclusive }) => {
    if (exclusive === undefined || (winners.get(exclusive.group) ?? 0) > 1) {
      return { weight, from: 0, to: price }
    }
    const from = reached.get(exclusive.group) ?? 0
    const to = from + (exclusive.outcome === 0 ? price : 1 - price)
    reached.set(exclusive.group, to % 1)
    return exclusive.outcome === 0 ? { weight, from, to } : { weight, from: to, to: from + 1 }
  }
}

/** Shorter ranges of draws are rounding errors. */
const drawsMin = 1e-12

/** The possible totals of one uniform draw, ascending. */
function outcomesOf(sides: ReadonlyArray<PayingDraws>): ReadonlyArray<Outcome> {
  const cuts = sides.flatMap(({ from, to }) => [from % 1, to % 1]).sort((a, b) => a - b)
  const chances = new Map<number, number>()
  let from = 0
  for (const to of [...cuts, 1]) {
    if (to - from < drawsMin) continue
    const draw = (from + to) / 2
    const paid = sides.filter(({ from, to }) => (draw - from + 2) % 1 < to - from)
    const total = paid.reduce((sum, { weight }) => sum + weight, 0)
    chances.set(total, (chances.get(total) ?? 0) + to - from)
    from = to
  }
  return [...chances].map(([total, chance]) => ({ total, chance }))
    .sort((a, b) => a.total - b.total)
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

/** A total this near a whole number is that number. */
const roundingError = 1e-6

/**
 * The two-sided p-value of a wallet's record under fair prices: twice the smaller of P(N >= observed)
 * and P(N <= observed). N is whole, so each tail begins at the next whole number inside it: a remainder
 * moves the observed total, and nothing is rounded.
 */
export function pValueOf(sums: NullSums): number {
  const { weightSum, cumulants, harmonics } = sums
  if (weightSum === 0) return 1
  const observed = Math.min(weightSum, Math.max(0, sums.observed))
  const least = Math.ceil(observed - roundingError)
  const most = Math.floor(observed + roundingError)
  const isNarrow = weightSum < order
  const ends = isNarrow
    ? { lowest: 0, highest: weightSum }
    : chernoffInterval(cumulants, ignoredTail)
  const lowest = Math.max(0, Math.floor(ends.lowest))
  const highest = Math.min(weightSum, Math.ceil(ends.highest))
  if (highest - lowest >= order) {
    const above = Math.max(Math.exp(sums.logAll), saddlepointTail(cumulants, least, 1))
    const below = Math.max(Math.exp(sums.logNone), saddlepointTail(cumulants, most, -1))
    return Math.min(1, 2 * Math.max(chanceMin, Math.min(above, below)))
  }
  const error = isNarrow ? chanceMin : ignoredTail + chanceMin
  const above = chanceBetween(harmonics, Math.max(lowest, least), highest)
  const below = chanceBetween(harmonics, lowest, Math.min(highest, most))
  return Math.min(1, 2 * (Math.min(above, below) + error))
}
