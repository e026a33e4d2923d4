/**
 * The sums of a wallet's entries in resolved markets: everything that its published figures are computed
 * from, of bounded size.
 *
 * @module
 */
import { type Entry, isHedge, isSweep } from "./entry.ts"
import {
  addClusters,
  clusterOf,
  type ClusterSums,
  noClusters,
} from "../../core/domain/clusteredMean.ts"
import {
  addBandSums,
  bandCount,
  bandEdges,
  bandOf,
  type BandSums,
  entrySums,
  noBandSums,
} from "./oddsBands.ts"
import { addReturns, eventReturns, noReturns, type ReturnSums } from "./returns.ts"

/** One wallet's entries in one resolved market. */
export interface ResolvedPosition {
  readonly entries: ReadonlyArray<Entry>
  /** USD a share of each outcome; null when the market was cancelled. */
  readonly payouts: readonly [number, number] | null
  /** The venue's taker rate. */
  readonly feeRate: number
}

/** Stored as JSON. */
export interface WalletSums {
  /** Entries in cancelled markets; they count nowhere else. */
  readonly cancelled: number
  /** One for each odds band, in order. */
  readonly bands: ReadonlyArray<BandSums>
  /** Entries opened at or above 0.95; they count nowhere else. */
  readonly sweeps: BandSums
  /** Of costs and returns, over the events with counted entries. */
  readonly returns: ReturnSums
  /** Of payout minus price, over the same events. */
  readonly edges: ClusterSums
}

export const noSums: WalletSums = {
  cancelled: 0,
  bands: Array.from({ length: bandCount }, () => noBandSums),
  sweeps: noBandSums,
  returns: noReturns,
  edges: noClusters,
}

/** The sums over events, each with its positions. Hedges are left out. */
export function sumsOf(events: Iterable<ReadonlyArray<ResolvedPosition>>): WalletSums {
  const bands = [...noSums.bands]
  let { cancelled, sweeps, returns, edges } = noSums
  for (const positions of events) {
    let event = noBandSums
    for (const { entries, payouts, feeRate } of positions) {
      const chosen = entries.filter((entry) => !isHedge(entry))
      if (payouts === null) {
        cancelled += chosen.length
        continue
      }
      for (const entry of chosen) {
        const sums = entrySums(entry.price, entry.stakeUsd, payouts[entry.outcome], feeRate)
        if (isSweep(entry)) {
          sweeps = addBandSums(sweeps, sums)
          continue
        }
        const band = bandOf(entry.price, bandEdges)
        bands[band] = addBandSums(bands[band] ?? noBandSums, sums)
        event = addBandSums(event, sums)
      }
    }
    if (event.entries === 0) continue
    edges = addClusters(edges, eventEdge(event))
    returns = addReturns(returns, eventReturns(event))
  }
  return { cancelled, bands, sweeps, returns, edges }
}

/** Of n entries with the mean price p, the deviations add up to at most n sqrt(p (1 - p)). */
function eventEdge({ entries, paid, price }: BandSums): ClusterSums {
  return clusterOf(entries, paid - price, Math.sqrt(Math.max(0, price * (entries - price))))
}
