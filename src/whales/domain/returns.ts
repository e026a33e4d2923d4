/**
 * How certain a return is: its 95 % interval, clustered by event, and its effective number of entries.
 *
 * @module
 */
import type { BandSums } from "./oddsBands.ts"
import { z95 } from "./significance/normal.ts"

/** Costs and returns are in thousands of USD, so that their squares differ less in size. */
const unitUsd = 1_000

/** Sums over events with counted entries, of one side: following or fading. Units squared. */
interface SideSums {
  /** Sums of cost^2, cost x return and return^2. */
  readonly costSquares: number
  readonly products: number
  readonly returnSquares: number
  /** Sum of the variance of the return under fair prices, all entries of an event moving together. */
  readonly fairVariance: number
}

export interface ReturnSums {
  readonly events: number
  readonly follow: SideSums
  readonly fade: SideSums
}

const noSide: SideSums = { costSquares: 0, products: 0, returnSquares: 0, fairVariance: 0 }
export const noReturns: ReturnSums = { events: 0, follow: noSide, fade: noSide }

function sideSums(...usd: readonly [cost: number, returned: number, spread: number]): SideSums {
  const [cost = 0, returned = 0, spread = 0] = usd.map((each) => each / unitUsd)
  return {
    costSquares: cost ** 2,
    products: cost * returned,
    returnSquares: returned ** 2,
    fairVariance: spread ** 2,
  }
}

/** The sums of one event, from the sum of its entries. */
export function eventReturns(event: BandSums): ReturnSums {
  return {
    events: 1,
    follow: sideSums(event.followCost, event.followReturn, event.followSpread),
    fade: sideSums(event.fadeCost, event.fadeReturn, event.fadeSpread),
  }
}

function addSide(sums: SideSums, part: SideSums, times: 1 | -1): SideSums {
  return {
    costSquares: sums.costSquares + times * part.costSquares,
    products: sums.products + times * part.products,
    returnSquares: sums.returnSquares + times * part.returnSquares,
    fairVariance: sums.fairVariance + times * part.fairVariance,
  }
}

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addReturns(sums: ReturnSums, part: ReturnSums, times: 1 | -1): ReturnSums {
  return {
    events: sums.events + times * part.events,
    follow: addSide(sums.follow, part.follow, times),
    fade: addSide(sums.fade, part.fade, times),
  }
}

/** 95 % intervals of the two returns; null where there is no return. */
export interface ReturnIntervals {
  readonly followRoiLow: number | null
  readonly followRoiHigh: number | null
  readonly fadeRoiLow: number | null
  readonly fadeRoiHigh: number | null
  /** How many independent events of equal cost are as certain; 0 without a counted entry. */
  readonly effectiveEntries: number
}

/**
 * The intervals of the returns of `whole`, the sum of all entries. The standard error is that of a ratio
 * of sums, clustered by event (Cochran, Sampling Techniques, 3rd edition, section 6.3), and never below
 * the one under fair prices: one large stake would otherwise seem certain. The effective number of
 * entries is (sum of costs)^2 / sum of squared costs, over events (Kish, Survey Sampling, 1965).
 */
export function returnIntervals(whole: BandSums, sums: ReturnSums): ReturnIntervals {
  const follow = interval(whole.followCost, whole.followReturn, sums.follow, sums.events)
  const fade = interval(whole.fadeCost, whole.fadeReturn, sums.fade, sums.events)
  const { costSquares } = sums.follow
  return {
    followRoiLow: follow.low,
    followRoiHigh: follow.high,
    fadeRoiLow: fade.low,
    fadeRoiHigh: fade.high,
    effectiveEntries: whole.followCost > 0 && costSquares > 0
      ? Math.min(sums.events, (whole.followCost / unitUsd) ** 2 / costSquares)
      : 0,
  }
}

function interval(costUsd: number, returnUsd: number, side: SideSums, events: number) {
  if (!(costUsd > 0)) return { low: null, high: null }
  const cost = costUsd / unitUsd
  const ratio = returnUsd / costUsd
  const squares = side.returnSquares - 2 * ratio * side.products + ratio ** 2 * side.costSquares
  const clustered = events > 1 ? squares * events / (events - 1) : 0
  const error = z95 * Math.sqrt(Math.max(0, clustered, side.fairVariance)) / cost
  // A stake is lost at most once.
  return { low: Math.max(-1, ratio - 1 - error), high: ratio - 1 + error }
}
