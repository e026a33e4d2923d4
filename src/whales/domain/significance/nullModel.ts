/**
 * What a wallet's entries would come to if prices were fair, and how far from that they came.
 *
 * Under fair prices each market pays the side the wallet favoured with the chance it paid for, and all
 * markets of one event follow one uniform draw. The weighted count of favoured sides that are paid is
 * then a sum of independent whole numbers, one an event. Its distribution is kept in sums over events:
 * in harmonics, which give it exactly while it is narrow, and in cumulants, for when it is wide.
 *
 * @module
 */
import { addCumulants, type Cumulants, cumulantsOf, endsOf, noCumulants } from "./cumulants.ts"
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

/** One market of an event, seen from the side the wallet has more entries on. */
export interface FavouredSide {
  /** Entries on it less entries on the other side: a whole number, 0 when there are as many. */
  readonly weight: number
  /** Mean opening price of the entries in terms of this side, in (0, 1). */
  readonly price: number
  /** What it was paid, in [0, 1]. */
  readonly paid: number
  /**
   * Payout less price over all entries, less weight x (paid - price). Not 0 when both sides together did
   * not cost 1 USD a share, as after a turn to the other side. Left out it is 0.
   */
  readonly beside?: number
}

/** Plain JSON; every field is a plain sum over events. */
export interface NullSums {
  /** Sum of weight x paid, and of what came beside it: what came out. */
  readonly observed: number
  /** Sum of the weights: the most that could come out; the least is 0. */
  readonly most: number
  /** ln of the chance that everything came out, and that nothing did. */
  readonly logAll: number
  readonly logNone: number
  readonly harmonics: Harmonics
  readonly cumulants: Cumulants
}

export const noNullSums: NullSums = {
  observed: 0,
  most: 0,
  logAll: 0,
  logNone: 0,
  harmonics: noHarmonics,
  cumulants: noCumulants,
}

/** What one event of one wallet adds. */
export function eventSums(markets: ReadonlyArray<FavouredSide>): NullSums {
  const beside = markets.reduce((sum, { beside = 0 }) => sum + beside, 0)
  const sides = markets.filter(({ weight }) => weight > 0).sort((a, b) => b.price - a.price)
  if (sides.length === 0) return { ...noNullSums, observed: beside }
  const outcomes = outcomesOf(sides)
  return {
    observed: sides.reduce((sum, { weight, paid }) => sum + weight * paid, beside),
    most: sides.reduce((sum, { weight }) => sum + weight, 0),
    logAll: Math.log(outcomes.at(-1)?.chance ?? 1),
    logNone: Math.log(outcomes[0]?.chance ?? 1),
    harmonics: harmonicsOf(outcomes),
    cumulants: cumulantsOf(outcomes),
  }
}

/**
 * What may come out of one draw: it pays the likeliest side alone, or that and the next, and so on
 * down to the least likely one; or none.
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

/** `sums` with `part` added `times` over: -1 takes it away. */
export function addNullSums(sums: NullSums, part: NullSums, times: 1 | -1): NullSums {
  return {
    observed: sums.observed + times * part.observed,
    most: sums.most + times * part.most,
    logAll: sums.logAll + times * part.logAll,
    logNone: sums.logNone + times * part.logNone,
    harmonics: addHarmonics(sums.harmonics, part.harmonics, times),
    cumulants: addCumulants(sums.cumulants, part.cumulants, times),
  }
}

/** What may be left out of a distribution to either side; it is added to what is found. */
const leftOut = 1e-9

/** Sums of rounded numbers say no more of a chance than this. */
const chanceMin = 1e-14

/**
 * A total this near a whole number is that number. Others come from pushes (paid half), which the model
 * does not have; each tail rounds them so that the p-value grows.
 */
const crumb = 1e-6

/**
 * The chance that fair prices would have brought the wallet as far from what it paid, to the same side
 * and as far out on the other: twice the smaller of P(N >= observed) and P(N <= observed).
 */
export function pValueOf(sums: NullSums): number {
  const { most, cumulants, harmonics } = sums
  if (most === 0) return 1
  const observed = Math.min(most, Math.max(0, sums.observed))
  const whole = most < order
  const ends = whole ? { lowest: 0, highest: most } : endsOf(cumulants, leftOut)
  const lowest = Math.max(0, Math.floor(ends.lowest))
  const highest = Math.min(most, Math.ceil(ends.highest))
  if (highest - lowest >= order) {
    const above = Math.max(Math.exp(sums.logAll), saddlepointTail(cumulants, observed, 1))
    const below = Math.max(Math.exp(sums.logNone), saddlepointTail(cumulants, observed, -1))
    return Math.min(1, 2 * Math.max(chanceMin, Math.min(above, below)))
  }
  const missed = whole ? chanceMin : leftOut + chanceMin
  const above = chanceBetween(harmonics, Math.max(lowest, Math.floor(observed + crumb)), highest)
  const below = chanceBetween(harmonics, lowest, Math.min(highest, Math.ceil(observed - crumb)))
  return Math.min(1, 2 * (Math.min(above, below) + missed))
}
