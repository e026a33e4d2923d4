/**
 * Means whose standard error takes observations of one cluster (an event) as dependent.
 *
 * @module
 */
import { studentQuantile } from "../../core/domain/student.ts"

/** Clusters kept apart; later ones share a number with an earlier one, which widens the interval. */
const clustersMax = 65_536

/** Numbers the clusters by name. */
export function clusterNumbers(): (name: string) => number {
  const numbers = new Map<string, number>()
  let next = 0
  return (name) => {
    const known = numbers.get(name)
    if (known !== undefined) return known
    const number = next++ % clustersMax
    if (numbers.size < clustersMax) numbers.set(name, number)
    return number
  }
}

/** The sums of one variable by cluster; mutated by `add`. */
export interface ClusterSums {
  readonly byCluster: Map<number, { n: number; sum: number }>
}

export function clusterSums(): ClusterSums {
  return { byCluster: new Map() }
}

export function add({ byCluster }: ClusterSums, cluster: number, value: number): void {
  const sums = byCluster.get(cluster)
  if (sums === undefined) byCluster.set(cluster, { n: 1, sum: value })
  else {
    sums.n += 1
    sums.sum += value
  }
}

/** A mean with its uncertainty. */
export interface Estimate {
  readonly n: number
  readonly clusters: number
  readonly mean: number
  /** NaN with fewer than two clusters. */
  readonly standardError: number
  /** The 95 % interval; NaN with fewer than two clusters. */
  readonly low: number
  readonly high: number
}

/**
 * The mean over all observations, and its cluster-robust standard error (Liang and Zeger 1986):
 * se^2 = G / (G - 1) x sum over clusters of (sum over the cluster of (x - mean))^2 / n^2, with G
 * clusters and n observations. The interval uses Student's t with G - 1 degrees of freedom. Null
 * without observations.
 */
export function estimate({ byCluster }: ClusterSums): Estimate | null {
  let [n, sum] = [0, 0]
  for (const cluster of byCluster.values()) {
    n += cluster.n
    sum += cluster.sum
  }
  if (n === 0) return null
  const mean = sum / n
  let squares = 0
  for (const cluster of byCluster.values()) squares += (cluster.sum - cluster.n * mean) ** 2
  const clusters = byCluster.size
  const standardError = clusters < 2
    ? Number.NaN
    : Math.sqrt(squares * clusters / (clusters - 1)) / n
  const reach = studentQuantile(clusters - 1) * standardError
  return { n, clusters, mean, standardError, low: mean - reach, high: mean + reach }
}
