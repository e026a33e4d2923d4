/**
 * A wallet's published figures, from its sums: win rate, edge and returns.
 *
 * @module
 */
import { clusteredMean, type ClusterSums } from "../../core/domain/clusteredMean.ts"
import {
  addBandSums,
  type BandSums,
  brierOf,
  meanPriceOf,
  noBandSums,
  type OddsBand,
  publishedBands,
  publishedSweeps,
  roisOf,
  type Sweeps,
  winRateOf,
} from "./oddsBands.ts"
import { addReturns, noReturns, type ReturnIntervals, returnIntervals } from "./returns.ts"
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
  return {
    resolved: whole.entries,
    events: sums.edges.clusters,
    cancelled: sums.totals.cancelled,
    stakeUsd: whole.stakeUsd,
    ...winRateOf(whole),
    meanEntryPrice: meanPriceOf(whole),
    ...edgeOf(sums.edges),
    ...roisOf(whole),
    intervals: returnIntervals(sums.totals.returns),
    oddsBands: publishedBands(sums.totals.bands),
    sweeps: publishedSweeps(sums.totals.sweeps),
  }
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

/** Figures over the counted resolved entries of all wallets; null without an entry to compute from. */
interface OverallRates {
  readonly resolved: number
  readonly cancelled: number
  readonly winRate: number | null
  /** Of the prices paid, as forecasts. */
  readonly brier: number | null
  readonly followRoi: number | null
  readonly fadeRoi: number | null
  readonly intervals: ReturnIntervals
  /** The bands that have entries. */
  readonly oddsBands: ReadonlyArray<typeof OddsBand.Type>
  readonly sweeps: typeof Sweeps.Type
}

/** The sum over wallets. */
function sumOfTotals(all: ReadonlyArray<WalletTotals>): WalletTotals {
  return {
    cancelled: all.reduce((sum, { cancelled }) => sum + cancelled, 0),
    bands: noTotals.bands.map((none, i) =>
      all.reduce((sum, totals) => addBandSums(sum, totals.bands[i] ?? none, 1), none)
    ),
    sweeps: all.reduce((sum, totals) => addBandSums(sum, totals.sweeps, 1), noBandSums),
    returns: all.reduce((sum, totals) => addReturns(sum, totals.returns, 1), noReturns),
  }
}

/** The scorecard's overall figures and bands, over these wallets. */
export function overall(wallets: ReadonlyArray<WalletTotals>): OverallRates {
  const { cancelled, bands, sweeps, returns } = sumOfTotals(wallets)
  const whole = wholeOf(bands)
  const rois = whole.entries === 0 ? { followRoi: null, fadeRoi: null } : roisOf(whole)
  return {
    resolved: whole.entries,
    cancelled,
    winRate: whole.decisive === 0 ? null : whole.wins / whole.decisive,
    brier: whole.entries === 0 ? null : brierOf(whole),
    ...rois,
    intervals: returnIntervals(returns),
    oddsBands: publishedBands(bands),
    sweeps: publishedSweeps(sweeps),
  }
}
