/**
 * The sums of a wallet's entries in resolved markets. A resolution updates the sums, so the wallet's
 * history is never read again.
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

/** The score of one wallet's counted entries in one resolved market. Stored as JSON. */
export interface MarketScore {
  /** Entries in a cancelled market; they count nowhere else. */
  readonly cancelled: number
  /** The bands that have entries. */
  readonly bands: ReadonlyArray<{ readonly band: number; readonly sums: BandSums }>
  /** Entries opened at or above 0.95; they count nowhere else. Absent without any. */
  readonly sweeps?: BandSums
}

/** The sums that can be added over wallets. */
export interface WalletTotals {
  readonly cancelled: number
  /** One for each odds band, in order. */
  readonly bands: ReadonlyArray<BandSums>
  readonly sweeps: BandSums
  /** Over the events of each wallet. */
  readonly returns: ReturnSums
}

/** Everything that a wallet's calibration is computed from, of bounded size. */
export interface WalletSums {
  readonly totals: WalletTotals
  /** Of payout minus price, over the events with counted entries. */
  readonly edges: ClusterSums
}

export const noTotals: WalletTotals = {
  cancelled: 0,
  bands: Array.from({ length: bandCount }, () => noBandSums),
  sweeps: noBandSums,
  returns: noReturns,
}

export const noSums: WalletSums = {
  totals: noTotals,
  edges: noClusters,
}

/**
 * The score of entries in a market that paid `payouts`, or was cancelled (null). `feeRate` is the
 * venue's taker rate. Hedges are left out; sweeps have sums of their own.
 */
export function marketScore(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number] | null,
  feeRate: number,
): MarketScore {
  const chosen = entries.filter((entry) => !isHedge(entry))
  if (payouts === null) return { cancelled: chosen.length, bands: [] }
  const sumsOf = ({ price, stakeUsd, outcome }: Entry) =>
    entrySums(price, stakeUsd, payouts[outcome], feeRate)
  const bands = new Map<number, BandSums>()
  for (const entry of chosen.filter((entry) => !isSweep(entry))) {
    const band = bandOf(entry.price, bandEdges)
    bands.set(band, addBandSums(bands.get(band) ?? noBandSums, sumsOf(entry), 1))
  }
  const sweeps = chosen.filter(isSweep)
    .reduce((sums, entry) => addBandSums(sums, sumsOf(entry), 1), noBandSums)
  return {
    cancelled: 0,
    bands: [...bands].map(([band, sums]) => ({ band, sums })).sort((a, b) => a.band - b.band),
    ...sweeps.entries > 0 ? { sweeps } : {},
  }
}

/**
 * The wallet's sums after one of its events changed. `before`: the scores of that event's markets that
 * `sums` contains; `after`: the scores that replace them.
 */
export function recount(
  sums: WalletSums,
  before: ReadonlyArray<MarketScore>,
  after: ReadonlyArray<MarketScore>,
): WalletSums {
  const updated = addEvent(addEvent(sums, before, -1), after, 1)
  if (updated.edges.clusters > 0) return updated
  // Subtraction leaves rounding errors. When the last event is removed, they are cleared.
  const { cancelled, sweeps } = updated.totals
  return {
    totals: { ...noTotals, cancelled, sweeps: sweeps.entries > 0 ? sweeps : noBandSums },
    edges: noClusters,
  }
}

function addEvent(
  sums: WalletSums,
  markets: ReadonlyArray<MarketScore>,
  times: 1 | -1,
): WalletSums {
  let { bands, cancelled, sweeps } = sums.totals
  let entered = noBandSums
  for (const market of markets) {
    cancelled += times * market.cancelled
    if (market.sweeps !== undefined) sweeps = addBandSums(sweeps, market.sweeps, times)
    for (const part of market.bands) {
      bands = bands.map((band, i) => i === part.band ? addBandSums(band, part.sums, times) : band)
      entered = addBandSums(entered, part.sums, 1)
    }
  }
  const { entries, paid, price } = entered
  if (entries === 0) {
    return { ...sums, totals: { ...sums.totals, cancelled, bands, sweeps } }
  }
  // Of n entries with the mean price p, the deviations add up to at most n sqrt(p (1 - p)).
  const edges = clusterOf(entries, paid - price, Math.sqrt(Math.max(0, price * (entries - price))))
  return {
    totals: {
      cancelled,
      bands,
      sweeps,
      returns: addReturns(sums.totals.returns, eventReturns(entered), times),
    },
    edges: addClusters(sums.edges, edges, times),
  }
}
