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
import type { EpochMs } from "../../core/domain/time.ts"
import { addEvidence, type Bet, eventEvidence, type EvidenceSums, noEvidence } from "./evidence.ts"
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
  /** Absent while its event waits for other markets, and when it was made too late (`eventScores`). */
  readonly bet?: Bet
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
  readonly evidence: EvidenceSums
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
  evidence: noEvidence,
}

/** A wallet's counted entries in one market of an event. */
export interface EnteredMarket {
  readonly entries: ReadonlyArray<Entry>
  /** Null while it is open. `payouts` is null when it was cancelled, `at` when the time is unknown. */
  readonly ended: {
    readonly payouts: readonly [number, number] | null
    readonly at: EpochMs | null
    /** Its result may not count yet (`due.ts`). */
    readonly waits: boolean
  } | null
  readonly feeRate: number
}

/**
 * The scores of a wallet's markets in one event, in order; null for one without entries, open, or whose
 * result may not count yet.
 * `selectedAt` is when the wallet was selected, by its results until then.
 *
 * The evidence must not depend on results, at any time. So a market's bet is its first entry that is no
 * sweep; a wallet that buys both outcomes first, at one instant and price, makes none. Bets made after
 * the event's first market had ended are left out, and the others count together once the results of all
 * their markets may count. Otherwise a wallet that buys on in an event that goes badly would put off or
 * dilute its losses.
 */
export function eventScores(
  markets: ReadonlyArray<EnteredMarket>,
  selectedAt: EpochMs,
): ReadonlyArray<MarketScore | null> {
  const firstEnd = Math.min(...markets.map(endOf))
  const bets = markets.map(({ entries }) => {
    const [first, ...others] = entries.filter((entry) => !isSweep(entry)).sort(byOpening)
    if (first === undefined || first.firstFillAt > firstEnd) return null
    const isOpposed = others.some((entry) =>
      byOpening(first, entry) === 0 && entry.outcome !== first.outcome
    )
    return isOpposed ? null : first
  })
  const waits = markets.some(({ ended }, i) => (ended?.waits ?? true) && bets[i] !== null)
  return markets.map(({ entries, ended, feeRate }, i) => {
    if (ended === null || ended.waits || entries.length === 0) return null
    const score = marketScore(entries, ended.payouts, feeRate)
    const first = bets[i] ?? null
    if (waits || first === null || ended.payouts === null) return score
    const bet = {
      price: first.openingPrice,
      openedAt: first.firstFillAt,
      paid: ended.payouts[first.outcome],
      early: first.firstFillAt < selectedAt,
    }
    return { ...score, bet }
  })
}

/** Entries of one instant in the order of their prices, whatever the order in which they are known. */
const byOpening = (a: Entry, b: Entry) =>
  a.firstFillAt - b.firstFillAt || a.openingPrice - b.openingPrice

/** When a market ended, at the earliest: with an unknown time, its last buy. */
function endOf({ ended, entries }: EnteredMarket): EpochMs {
  if (ended === null || entries.length === 0) return Infinity
  return ended.at ?? Math.max(...entries.map(({ lastFillAt }) => lastFillAt))
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
    evidence: updated.evidence,
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
  const bets = markets.flatMap(({ bet }) => bet ?? [])
  const evidence = bets.length === 0
    ? sums.evidence
    : addEvidence(sums.evidence, eventEvidence(bets), times)
  const { entries, paid, price } = entered
  if (entries === 0) {
    return { ...sums, totals: { ...sums.totals, cancelled, bands, sweeps }, evidence }
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
    evidence,
  }
}
