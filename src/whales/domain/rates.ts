/**
 * The figures that a wallet's sums give: win rate, edge and returns, each with its uncertainty.
 *
 * @module
 */
import { varianceOf } from "./significance/cumulants.ts"
import { z95 } from "./significance/normal.ts"
import {
  addBandSums,
  type BandSums,
  brierOf,
  meanPriceOf,
  noBandSums,
  type OddsBand,
  publishedBands,
  roisOf,
  winRateOf,
} from "./oddsBands.ts"
import { noTotals, type WalletSums, type WalletTotals } from "./score.ts"

/** What a wallet's counted resolved entries say; every figure null-free because there is an entry. */
export interface Rates {
  readonly resolved: number
  readonly events: number
  readonly cancelled: number
  readonly stakeUsd: number
  /** 0.5, between 0 and 1, where no entry was decisive. */
  readonly winRate: number
  readonly winRateLow: number
  readonly winRateHigh: number
  readonly meanEntryPrice: number
  readonly edge: number
  readonly edgeLow: number
  readonly edgeHigh: number
  readonly followRoi: number
  readonly fadeRoi: number
  readonly oddsBands: ReadonlyArray<typeof OddsBand.Type>
}

/** Null when there is no counted entry. */
export function ratesOf(sums: WalletSums): Rates | null {
  const whole = wholeOf(sums.totals.bands)
  if (whole.entries === 0) return null
  return {
    resolved: whole.entries,
    events: sums.events,
    cancelled: sums.totals.cancelled,
    stakeUsd: whole.stakeUsd,
    ...winRateOf(whole),
    meanEntryPrice: meanPriceOf(whole),
    ...edgeOf(sums, whole),
    ...roisOf(whole),
    oddsBands: publishedBands(sums.totals.bands),
  }
}

/** All bands as one. */
export function wholeOf(bands: ReadonlyArray<BandSums>): BandSums {
  return bands.reduce((whole, band) => addBandSums(whole, band, 1), noBandSums)
}

/**
 * The mean of payout less price, and its 95 % interval. Entries of one event are one observation: the
 * error is that of the sums of events. Straight wins at high prices barely vary, so it is never taken
 * to be less than it would be if prices were fair.
 */
export function edgeOf(sums: WalletSums, whole: BandSums) {
  const edge = (whole.paid - whole.price) / whole.entries
  const squares = sums.deviationSquares - 2 * edge * sums.deviationCounts +
    edge ** 2 * sums.countSquares
  const clustered = sums.events > 1 ? squares * sums.events / (sums.events - 1) : 0
  const fair = varianceOf(sums.fair.cumulants)
  const error = Math.sqrt(Math.max(0, clustered, fair)) / whole.entries
  return {
    edge,
    edgeLow: Math.max(-1, edge - z95 * error),
    edgeHigh: Math.min(1, edge + z95 * error),
  }
}

/** What all counted resolved entries of all wallets say; null where there is none to say it. */
interface OverallRates {
  readonly resolved: number
  readonly cancelled: number
  readonly winRate: number | null
  /** Of the prices that were paid, taken for forecasts. */
  readonly brier: number | null
  readonly followRoi: number | null
  readonly fadeRoi: number | null
  /** The bands that have entries. */
  readonly oddsBands: ReadonlyArray<typeof OddsBand.Type>
}

/** The sums of all wallets as one: what the scorecard's overall figures and bands are made of. */
export function overall(all: ReadonlyArray<WalletTotals>): OverallRates {
  const bands = noTotals.bands.map((none, i) =>
    all.reduce((sum, totals) => addBandSums(sum, totals.bands[i] ?? none, 1), none)
  )
  const whole = wholeOf(bands)
  const rois = whole.entries === 0 ? { followRoi: null, fadeRoi: null } : roisOf(whole)
  return {
    resolved: whole.entries,
    cancelled: all.reduce((sum, { cancelled }) => sum + cancelled, 0),
    winRate: whole.decisive === 0 ? null : whole.wins / whole.decisive,
    brier: whole.entries === 0 ? null : brierOf(whole),
    ...rois,
    oddsBands: publishedBands(bands),
  }
}
