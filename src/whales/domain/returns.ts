/**
 * How certain a return is: its 95 % interval, clustered by event, and its effective number of entries.
 *
 * @module
 */
import {
  addClusters,
  clusteredMean,
  clusterOf,
  type ClusterSums,
  noClusters,
} from "../../core/domain/clusteredMean.ts"
import type { BandSums } from "./oddsBands.ts"

/** Costs and returns are in thousands of USD, so that their squares differ less in size. */
const unitUsd = 1_000

/** Sums over events with counted entries, of costs (n) and returns (s). */
export interface ReturnSums {
  readonly follow: ClusterSums
  readonly fade: ClusterSums
}

export const noReturns: ReturnSums = { follow: noClusters, fade: noClusters }

/** The sums of one event, from the sum of its entries. */
export function eventReturns(event: BandSums): ReturnSums {
  const side = (costUsd: number, returnUsd: number, spreadUsd: number) =>
    costUsd > 0
      ? clusterOf(costUsd / unitUsd, returnUsd / unitUsd, spreadUsd / unitUsd)
      : noClusters
  return {
    follow: side(event.followCost, event.followReturn, event.followSpread),
    fade: side(event.fadeCost, event.fadeReturn, event.fadeSpread),
  }
}

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addReturns(sums: ReturnSums, part: ReturnSums, times: 1 | -1): ReturnSums {
  return {
    follow: addClusters(sums.follow, part.follow, times),
    fade: addClusters(sums.fade, part.fade, times),
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
 * The intervals of the returns, and the effective number of entries: (sum of costs)^2 / sum of squared
 * costs, over events (Kish, Survey Sampling, 1965).
 */
export function returnIntervals({ follow, fade }: ReturnSums): ReturnIntervals {
  const [followed, faded] = [interval(follow), interval(fade)]
  return {
    followRoiLow: followed.low,
    followRoiHigh: followed.high,
    fadeRoiLow: faded.low,
    fadeRoiHigh: faded.high,
    effectiveEntries: follow.nn > 0 ? Math.min(follow.clusters, follow.n ** 2 / follow.nn) : 0,
  }
}

function interval(side: ClusterSums) {
  const ratio = clusteredMean(side)
  if (ratio === null) return { low: null, high: null }
  // A stake is lost at most once.
  return { low: Math.max(-1, ratio.low - 1), high: ratio.high - 1 }
}
