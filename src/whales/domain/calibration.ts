/**
 * From a wallet's sums to what may be said of it: rates with their uncertainty, and a label that
 * survives correction over all wallets.
 *
 * @module
 */
import { meanOf, varianceOf } from "./significance/cumulants.ts"
import { z95 } from "./significance/normal.ts"
import { pValueOf } from "./significance/nullModel.ts"
import {
  addBandSums,
  type BandSums,
  brierOf,
  meanPriceOf,
  noBandSums,
  publishedBands,
  roisOf,
  winRateOf,
} from "./oddsBands.ts"
import { noTotals, type WalletSums, type WalletTotals } from "./score.ts"
import { type OddsBand, resolvedEntriesMin } from "./whale.ts"
import type { WhaleLabel } from "../../feed/domain/item.ts"

/** Names the rule behind a label; a rule that decides otherwise has another name. */
export const ruleVersion = "fair-prices-bh-1"

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
function wholeOf(bands: ReadonlyArray<BandSums>): BandSums {
  return bands.reduce((whole, band) => addBandSums(whole, band, 1), noBandSums)
}

/**
 * The mean of payout less price, and its 95 % interval. Entries of one event are one observation: the
 * error is that of the sums of events. Straight wins at high prices barely vary, so it is never taken
 * to be less than it would be if prices were fair.
 */
function edgeOf(sums: WalletSums, whole: BandSums) {
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

/** What a label is decided by. Plain JSON. */
export interface Judgement {
  /** Two-sided, under fair prices. */
  readonly pValue: number
  readonly edge: number
  readonly followRoi: number
  readonly fadeRoi: number
}

/** Fewer events say too little of a wallet, however many entries they hold. */
export const eventsMin = 10

/**
 * Null under 30 counted resolved entries or 10 events. What all choices came to, hedges too, is no
 * evidence of an edge to the other side in those that were kept: it proves nothing then.
 */
export function judgementOf(sums: WalletSums): Judgement | null {
  const whole = wholeOf(sums.totals.bands)
  if (whole.entries < resolvedEntriesMin || sums.events < eventsMin) return null
  const { edge } = edgeOf(sums, whole)
  const agree = (sums.fair.observed - meanOf(sums.fair.cumulants)) * edge > 0
  return { pValue: agree ? pValueOf(sums.fair) : 1, edge, ...roisOf(whole) }
}

type Label = typeof WhaleLabel.Type

/** Among the labelled wallets, the share that may be labelled by chance. */
const falseShareMax = 0.05

/**
 * The label of each judged wallet: Benjamini-Hochberg at 0.05 over all of them (Controlling the false
 * discovery rate, Journal of the Royal Statistical Society B 57, 1995). A wallet is followed or faded
 * only if that would have paid after fees.
 */
export function labels(judged: ReadonlyMap<string, Judgement>): ReadonlyMap<string, Label> {
  const rising = [...judged.values()].map(({ pValue }) => pValue).sort((a, b) => a - b)
  const last = rising.findLastIndex((p, i) => p <= falseShareMax * (i + 1) / rising.length)
  const limit = rising[last] ?? -1
  return new Map([...judged].map(([wallet, judgement]) => [wallet, labelOf(judgement, limit)]))
}

function labelOf({ pValue, edge, followRoi, fadeRoi }: Judgement, limit: number): Label {
  if (pValue > limit) return "neutral"
  if (edge > 0 && followRoi > 0) return "follow"
  return edge < 0 && fadeRoi > 0 ? "fade" : "neutral"
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
