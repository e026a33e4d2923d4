/**
 * How certain a return is: its 95 % interval, clustered by event, and its effective number of entries.
 *
 * Over several wallets both are as if all wallets held the same positions, which is the worst case: the
 * half-width is the mean of those of the wallets, by cost, and more wallets do not narrow it.
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

export function addReturns(sums: ReturnSums, part: ReturnSums): ReturnSums {
  return {
    follow: addClusters(sums.follow, part.follow),
    fade: addClusters(sums.fade, part.fade),
  }
}

/**
 * The 95 % intervals of the returns over these wallets, null where there is no return; and how many
 * independent events of equal cost are as certain, 0 without a counted entry.
 */
export function returnIntervals(wallets: ReadonlyArray<ReturnSums>) {
  const followed = interval(wallets.map(({ follow }) => follow))
  const faded = interval(wallets.map(({ fade }) => fade))
  return {
    followRoiLow: followed.low,
    followRoiHigh: followed.high,
    fadeRoiLow: faded.low,
    fadeRoiHigh: faded.high,
    effectiveEntries: effectiveNumber(wallets.map(({ follow }) => follow)),
  }
}

function interval(wallets: ReadonlyArray<ClusterSums>) {
  const n = sumOf(wallets, (side) => side.n)
  if (!(n > 0)) return { low: null, high: null }
  const ratio = sumOf(wallets, ({ s }) => s) / n
  const reach = sumOf(wallets, (side) => {
    const { mean, high } = clusteredMean(side) ?? { mean: 0, high: 0 }
    return side.n * (high - mean)
  }) / n
  // A stake is lost at most once.
  return { low: Math.max(-1, ratio - reach - 1), high: ratio + reach - 1 }
}

/**
 * As how many independent observations those of these wallets are as certain: of one wallet n^2 / sum of
 * the squares of the sizes of its clusters (Kish, Survey Sampling, 1965); 0 without any.
 */
export function effectiveNumber(wallets: ReadonlyArray<ClusterSums>): number {
  const roots = sumOf(wallets, ({ nn }) => Math.sqrt(Math.max(0, nn)))
  return roots > 0 ? (sumOf(wallets, ({ n }) => n) / roots) ** 2 : 0
}

function sumOf(all: ReadonlyArray<ClusterSums>, part: (one: ClusterSums) => number): number {
  return all.reduce((sum, one) => sum + part(one), 0)
}
