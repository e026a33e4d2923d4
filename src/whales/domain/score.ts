/**
 * The sums of a wallet's entries in resolved markets. A resolution updates the sums, so the wallet's
 * history is never read again.
 *
 * @module
 */
import { type Entry, isHedge, isSweep } from "./entry.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import {
  addEvidence,
  type Bet,
  eventEvidence,
  type EvidenceSums,
  noEvidence,
} from "./significance/evidence.ts"
import {
  addNullSums,
  emptyNullSums,
  eventSums,
  type FavouredSide,
  type NullSums,
} from "./significance/nullModel.ts"
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
  /** Includes hedges: most of them lose, so a record without them would look too good. */
  readonly favoured: FavouredSide
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

/**
 * Everything that a wallet's calibration is computed from, of bounded size.
 *
 * Let n be the entries of an event, and D the sum of payout minus price over them. The squared
 * deviation of all events from a common edge e is
 * `deviationSquares` - 2 e `deviationCounts` + e^2 `countSquares`.
 */
export interface WalletSums {
  readonly totals: WalletTotals
  /** Events with counted entries. */
  readonly events: number
  /** Sums over events of D^2, D n and n^2. */
  readonly deviationSquares: number
  readonly deviationCounts: number
  readonly countSquares: number
  /** The sums of the null model, under fair prices. */
  readonly fair: NullSums
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
  events: 0,
  deviationSquares: 0,
  deviationCounts: 0,
  countSquares: 0,
  fair: emptyNullSums,
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
  /** At most one market of a group pays its first outcome; null when it excludes none. */
  readonly exclusiveGroup: string | null
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
  return markets.map(({ entries, ended, feeRate, exclusiveGroup }, i) => {
    if (ended === null || ended.waits || entries.length === 0) return null
    const score = marketScore(entries, ended.payouts, feeRate, exclusiveGroup)
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
 * venue's taker rate. Hedges are left out of the bands but not of `favoured`: a wallet that hedges its
 * losing entries would otherwise keep only winners. Sweeps are left out of both.
 */
export function marketScore(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number] | null,
  feeRate: number,
  exclusiveGroup: string | null = null,
): MarketScore {
  const chosen = entries.filter((entry) => !isHedge(entry))
  if (payouts === null) return { cancelled: chosen.length, bands: [], favoured: noSide }
  const sumsOf = ({ price, stakeUsd, outcome }: Entry) =>
    entrySums(price, stakeUsd, payouts[outcome], feeRate)
  const bands = new Map<number, BandSums>()
  for (const entry of chosen.filter((entry) => !isSweep(entry))) {
    const band = bandOf(entry.price, bandEdges)
    bands.set(band, addBandSums(bands.get(band) ?? noBandSums, sumsOf(entry), 1))
  }
  const sweeps = chosen.filter(isSweep)
    .reduce((sums, entry) => addBandSums(sums, sumsOf(entry), 1), noBandSums)
  const judged = entries.filter((entry) => !isSweep(entry))
  return {
    cancelled: 0,
    bands: [...bands].map(([band, sums]) => ({ band, sums })).sort((a, b) => a.band - b.band),
    ...sweeps.entries > 0 ? { sweeps } : {},
    favoured: favouredSide(judged, payouts, exclusiveGroup),
  }
}

const noSide: FavouredSide = { weight: 0, price: 0.5, paid: 0 }

/** All entries of one market, seen from the outcome with more entries, at their mean opening price. */
function favouredSide(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number],
  exclusiveGroup: string | null,
): FavouredSide {
  if (entries.length === 0) return noSide
  const first = entries.filter(({ outcome }) => outcome === 0).length
  const outcome = 2 * first >= entries.length ? 0 : 1
  const weight = Math.abs(2 * first - entries.length)
  const paid = paidInFull(payouts[outcome], entries)
  const edges = entries.reduce(
    (sum, entry) => sum + (entry.outcome === outcome ? paid : 1 - paid) - entry.openingPrice,
    0,
  )
  if (weight === 0) return { ...noSide, remainder: edges }
  const priceOf = ({ outcome: bought, openingPrice }: Entry) =>
    bought === outcome ? openingPrice : 1 - openingPrice
  const price = entries.reduce((sum, entry) => sum + priceOf(entry), 0) / entries.length
  // With all entries on one side the remainder is 0, apart from rounding errors.
  const remainder = weight === entries.length ? 0 : edges - weight * (paid - price)
  const side = { weight, price, paid, remainder }
  return exclusiveGroup === null ? side : { ...side, exclusive: { group: exclusiveGroup, outcome } }
}

/** Its multiples of whole numbers, modulo 1, are spread evenly over [0, 1). */
const goldenRatio = 0.6180339887498949

/**
 * 0 or 1: a partial payout is drawn by a coin that pays with its probability, because the null model
 * knows only two results. At fair prices the drawn payout has the probability of the price, so the
 * p-value stays exact. The coin depends only on when the entries were opened, so it never changes.
 */
function paidInFull(paid: number, entries: ReadonlyArray<Entry>): number {
  const seconds = entries.reduce((sum, { firstFillAt }) => sum + Math.floor(firstFillAt / 1_000), 0)
  return seconds * goldenRatio % 1 < paid ? 1 : 0
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
  if (updated.events > 0) return updated
  // Subtraction leaves rounding errors. When the last event is removed, they are cleared.
  const { cancelled, sweeps } = updated.totals
  return {
    ...noSums,
    totals: { ...noTotals, cancelled, sweeps: sweeps.entries > 0 ? sweeps : noBandSums },
    fair: updated.fair.weightSum > 0 ? updated.fair : emptyNullSums,
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
  const { entries: count } = entered
  const deviation = times * (entered.paid - entered.price)
  const sides = markets.map(({ favoured }) => favoured)
  // An event with hedges only, as many on each side, is not added: its weight would be 0, and `recount`
  // could not distinguish its remainder from a rounding error.
  const isCounted = count > 0 || sides.some(({ weight }) => weight > 0)
  const fair = isCounted ? addNullSums(sums.fair, eventSums(sides), times) : sums.fair
  const bets = markets.flatMap(({ bet }) => bet ?? [])
  const evidence = bets.length === 0
    ? sums.evidence
    : addEvidence(sums.evidence, eventEvidence(bets), times)
  const returns = count === 0
    ? sums.totals.returns
    : addReturns(sums.totals.returns, eventReturns(entered), times)
  const totals = { cancelled, bands, sweeps, returns }
  if (count === 0) return { ...sums, totals, fair, evidence }
  return {
    totals,
    events: sums.events + times,
    deviationSquares: sums.deviationSquares + times * deviation ** 2,
    deviationCounts: sums.deviationCounts + deviation * count,
    countSquares: sums.countSquares + times * count ** 2,
    fair,
    evidence,
  }
}
