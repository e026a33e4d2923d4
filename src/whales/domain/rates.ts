/**
 * A wallet's published figures, from its sums: win rate, edge and returns.
 *
 * @module
 */
import { clusteredMean, type ClusterSums } from "../../core/domain/clusteredMean.ts"
import {
  addBandSums,
  type BandSums,
  meanPriceOf,
  noBandSums,
  type OddsBand,
  publishedBands,
  publishedSweeps,
  roisOf,
  type Sweeps,
  winRateOf,
} from "./oddsBands.ts"
import { effectiveNumber, type ReturnIntervals, returnIntervals } from "./returns.ts"
import { noTotals, type WalletSums, type WalletTotals } from "./score.ts"

/** The figures of a wallet with at least one counted resolved entry. */
export interface Rates {
  readonly resolved: number
  readonly events: number
  readonly cancelled: number
  readonly stakeUsd: number
  /** 0.5, with the interval [0, 1], when no entry was decisive. */
  readonly winRate: number
  readonly winRateLow: number
  readonly winRateHigh: number
  readonly meanEntryPrice: number
  readonly edge: number
  readonly edgeLow: number
  readonly edgeHigh: number
  readonly followRoi: number
  readonly fadeRoi: number | null
  readonly intervals: ReturnIntervals
  readonly oddsBands: ReadonlyArray<typeof OddsBand.Type>
  readonly sweeps: typeof Sweeps.Type
}

/** Null without a counted entry. */
export function ratesOf(sums: WalletSums): Rates | null {
  const whole = wholeOf(sums.totals.bands)
  if (whole.entries === 0) return null
  const independent = independentShare([sums])
  return {
    resolved: whole.entries,
    events: sums.edges.clusters,
    cancelled: sums.totals.cancelled,
    stakeUsd: whole.stakeUsd,
    ...winRateOf(whole, independent),
    meanEntryPrice: meanPriceOf(whole),
    ...edgeOf(sums.edges),
    ...roisOf(whole),
    intervals: returnIntervals([sums.totals.returns]),
    oddsBands: publishedBands(sums.totals.bands, independent),
    sweeps: publishedSweeps(sums.totals.sweeps),
  }
}

/** Which share of the entries is as certain, if those of one event were one; at most 1. */
function independentShare(wallets: ReadonlyArray<WalletSums>): number {
  const entries = wallets.reduce((sum, { edges }) => sum + edges.n, 0)
  return Math.min(1, effectiveNumber(wallets.map(({ edges }) => edges)) / Math.max(1, entries))
}

/** The sum of all bands. */
function wholeOf(bands: ReadonlyArray<BandSums>): BandSums {
  return bands.reduce((whole, band) => addBandSums(whole, band, 1), noBandSums)
}

/** The mean of payout minus price, and its 95 % interval, clustered by event; 0 without an entry. */
export function edgeOf(edges: ClusterSums) {
  const { mean, low, high } = clusteredMean(edges) ?? { mean: 0, low: 0, high: 0 }
  return { edge: mean, edgeLow: Math.max(-1, low), edgeHigh: Math.min(1, high) }
}

/** The sum over wallets. */
function sumOfTotals(all: ReadonlyArray<WalletTotals>): Omit<WalletTotals, "returns"> {
  return {
    cancelled: all.reduce((sum, { cancelled }) => sum + cancelled, 0),
    bands: noTotals.bands.map((none, i) =>
      all.reduce((sum, totals) => addBandSums(sum, totals.bands[i] ?? none, 1), none)
    ),
    sweeps: all.reduce((sum, totals) => addBandSums(sum, totals.sweeps, 1), noBandSums),
  }
}

/** The scorecard's figures over these wallets; null without an entry to compute from. */
export function overall(wallets: ReadonlyArray<WalletSums>) {
  const all = wallets.map(({ totals }) => totals)
  const { cancelled, bands, sweeps } = sumOfTotals(all)
  const whole = wholeOf(bands)
  const rois = whole.entries === 0 ? { followRoi: null, fadeRoi: null } : roisOf(whole)
  return {
    resolved: whole.entries,
    cancelled,
    winRate: whole.decisive === 0 ? null : whole.wins / whole.decisive,
    ...rois,
    intervals: returnIntervals(all.map(({ returns }) => returns)),
    oddsBands: publishedBands(bands, independentShare(wallets)),
    sweeps: publishedSweeps(sweeps),
  }
}
