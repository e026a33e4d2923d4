/**
 * The mean of observations that are not independent: those of one cluster, such as an event or a UTC
 * day, count as one trial.
 *
 * Let a cluster have n observations with the sum s. The mean is sum(s) / sum(n), and its variance
 *
 *     V = G / (G - 1) x sum((s - n x mean)^2) / sum(n)^2
 *
 * over G clusters (Liang and Zeger, Biometrika 73, 1986). A return on stakes is the same ratio, with n the
 * cost and s the return (Cochran, Sampling Techniques, 3rd edition, section 6.3). Where observations of
 * one day depend on each other too, V is V(event) + V(day) - V(event and day) (Cameron, Gelbach and
 * Miller, Journal of Business and Economic Statistics 29, 2011). The quantile is Student's with G - 1
 * degrees of freedom, for two clusterings with the smaller G.
 *
 * @module
 */
import { Record } from "effect"
import { studentQuantile } from "./student.ts"

/** Sums over clusters, all that a mean and its interval need. They can be stored as JSON. */
export interface ClusterSums {
  readonly clusters: number
  readonly n: number
  readonly s: number
  readonly nn: number
  readonly ns: number
  readonly ss: number
  /**
   * Of the square of f, the standard deviation of s by the prices alone if they were fair and the
   * observations of the cluster moved together; 0 where it is not known. V is at least sum(f^2) /
   * sum(n)^2: a series of equal results has no variance of its own.
   */
  readonly ff: number
}

export const noClusters: ClusterSums = { clusters: 0, n: 0, s: 0, nn: 0, ns: 0, ss: 0, ff: 0 }

/** The sums of one cluster. */
export function clusterOf(n: number, s: number, f = 0): ClusterSums {
  return { clusters: 1, n, s, nn: n * n, ns: n * s, ss: s * s, ff: f * f }
}

export function addClusters(sums: ClusterSums, part: ClusterSums): ClusterSums {
  return Record.map(sums, (sum, name) => sum + part[name])
}

/** The mean and its 95 % interval. */
interface ClusteredMean {
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** The second clustering of the same observations, and the one by both, whose clusters are pairs. */
interface SecondClustering {
  readonly second: ClusterSums
  readonly both: ClusterSums
}

/** The mean of the observations; null without any. With one cluster, and no second clustering, the interval is that of `ff`. */
export function clusteredMean(sums: ClusterSums, other?: SecondClustering): ClusteredMean | null {
  if (!(sums.n > 0)) return null
  const mean = sums.s / sums.n
  const variance = other === undefined ? varianceOf(sums) : Math.max(
    varianceOf(sums),
    varianceOf(other.second),
    varianceOf(sums) + varianceOf(other.second) - varianceOf(other.both),
  )
  const clusters = Math.min(sums.clusters, other?.second.clusters ?? Infinity)
  const reach = studentQuantile(clusters - 1) * Math.sqrt(variance)
  return { mean, low: mean - reach, high: mean + reach }
}

function varianceOf({ clusters, n, s, nn, ns, ss, ff }: ClusterSums): number {
  const mean = s / n
  const squares = ss - 2 * mean * ns + mean ** 2 * nn
  return Math.max(0, clusters > 1 ? squares * clusters / (clusters - 1) : 0, ff) / n ** 2
}
