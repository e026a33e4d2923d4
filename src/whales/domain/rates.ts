/**
 * A wallet's published figures, from its sums: win rate, edge and returns.
 *
 * @module
 */
import { clusteredMean, type ClusterSums } from "../../core/domain/clusteredMean.ts"
import {
  addBandSums,
  meanPriceOf,
  noBandSums,
  publishedBands,
  publishedSweeps,
  roisOf,
  winRateOf,
} from "./oddsBands.ts"
import { effectiveNumber, returnIntervals } from "./returns.ts"
import { noSums, type WalletSums } from "./score.ts"

/** The figures of a wallet with at least one counted resolved entry. */
export type Rates = NonNullable<ReturnType<typeof ratesOf>>

/** Null without a counted entry. */
export function ratesOf(sums: WalletSums) {
  const { whole, independent, ...figures } = figuresOf([sums])
  if (whole.entries === 0) return null
  return {
    ...figures,
    events: sums.edges.clusters,
    stakeUsd: whole.stakeUsd,
    ...winRateOf(whole, independent),
    meanEntryPrice: meanPriceOf(whole),
    ...edgeOf(sums.edges),
    ...roisOf(whole),
  }
}

/** The scorecard's figures over these wallets; null without an entry to compute from. */
export function overall(wallets: ReadonlyArray<WalletSums>) {
  const { whole, independent: _, ...figures } = figuresOf(wallets)
  const rois = whole.entries === 0 ? { followRoi: null, fadeRoi: null } : roisOf(whole)
  return {
    ...figures,
    winRate: whole.decisive === 0 ? null : whole.wins / whole.decisive,
    meanEntryPrice: whole.entries === 0 ? null : meanPriceOf(whole),
    ...rois,
  }
}

/** What the figures of one wallet and of several have in common. */
function figuresOf(wallets: ReadonlyArray<WalletSums>) {
  const bands = noSums.bands.map((none, i) =>
    wallets.reduce((sum, of) => addBandSums(sum, of.bands[i] ?? none), none)
  )
  const whole = bands.reduce(addBandSums, noBandSums)
  // Which share of the entries is as certain, if those of one event were one; at most 1.
  const independent = Math.min(
    1,
    effectiveNumber(wallets.map(({ edges }) => edges)) / Math.max(1, whole.entries),
  )
  return {
    whole,
    independent,
    resolved: whole.entries,
    cancelled: wallets.reduce((sum, { cancelled }) => sum + cancelled, 0),
    intervals: returnIntervals(wallets.map(({ returns }) => returns)),
    oddsBands: publishedBands(bands, independent),
    sweeps: publishedSweeps(wallets.map(({ sweeps }) => sweeps).reduce(addBandSums, noBandSums)),
  }
}

/** The mean of payout minus price, and its 95 % interval, clustered by event; 0 without an entry. */
function edgeOf(edges: ClusterSums) {
  const { mean, low, high } = clusteredMean(edges) ?? { mean: 0, low: 0, high: 0 }
  return { edge: mean, edgeLow: Math.max(-1, low), edgeHigh: Math.min(1, high) }
}
