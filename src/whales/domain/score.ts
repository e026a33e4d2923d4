/**
 * What a wallet's entries in resolved markets add up to: sums that a resolution changes, never a
 * history that has to be read again.
 *
 * @module
 */
import { type Entry, isHedge } from "./entry.ts"
import {
  addNullSums,
  eventSums,
  type FavouredSide,
  noNullSums,
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

/** What one wallet's counted entries in one resolved market came to. Plain JSON. */
export interface MarketScore {
  /** Entries in a market that was cancelled; they count nowhere else. */
  readonly cancelled: number
  /** The bands that have entries. */
  readonly bands: ReadonlyArray<{ readonly band: number; readonly sums: BandSums }>
  /** All entries, hedges included: hedged ones are mostly losers, so a record without them looks too good. */
  readonly favoured: FavouredSide
}

/** What adds up over wallets too: the sums of each odds band, and counts. Plain JSON. */
export interface WalletTotals {
  readonly cancelled: number
  /** One for each odds band, in order. */
  readonly bands: ReadonlyArray<BandSums>
}

/**
 * Everything a calibration is computed from, of one wallet. Plain JSON, of bounded size.
 *
 * With n entries of an event and D the sum of payout less price over them: the squared deviation of
 * all events from any common edge e is `deviationSquares` - 2 e `deviationCounts` + e^2
 * `countSquares`.
 */
export interface WalletSums {
  readonly totals: WalletTotals
  /** Events with counted entries. */
  readonly events: number
  /** Sums over events of D^2, D n and n^2. */
  readonly deviationSquares: number
  readonly deviationCounts: number
  readonly countSquares: number
  readonly fair: NullSums
}

export const noTotals: WalletTotals = {
  cancelled: 0,
  bands: Array.from({ length: bandCount }, () => noBandSums),
}

export const noSums: WalletSums = {
  totals: noTotals,
  events: 0,
  deviationSquares: 0,
  deviationCounts: 0,
  countSquares: 0,
  fair: noNullSums,
}

/**
 * The score of entries in a market that paid `payouts`, or was cancelled (null); `feeRate` is the
 * venue's taker rate. Hedges are left out of the figures by this function, but not of what the null
 * model is asked: who gives up what falls by buying the other side would win all that is left.
 */
export function marketScore(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number] | null,
  feeRate: number,
): MarketScore {
  const chosen = entries.filter((entry) => !isHedge(entry))
  if (payouts === null) return { cancelled: chosen.length, bands: [], favoured: noSide }
  const bands = new Map<number, BandSums>()
  for (const { price, stakeUsd, outcome } of chosen) {
    const band = bandOf(price, bandEdges)
    const sums = entrySums(price, stakeUsd, payouts[outcome], feeRate)
    bands.set(band, addBandSums(bands.get(band) ?? noBandSums, sums, 1))
  }
  return {
    cancelled: 0,
    bands: [...bands].map(([band, sums]) => ({ band, sums })).sort((a, b) => a.band - b.band),
    favoured: favouredSide(entries, payouts),
  }
}

const noSide: FavouredSide = { weight: 0, price: 0.5, paid: 0 }

/** All entries of one market as so many more on one side than on the other, at their mean opening price. */
function favouredSide(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number],
): FavouredSide {
  const first = entries.filter(({ outcome }) => outcome === 0).length
  const outcome = 2 * first >= entries.length ? 0 : 1
  const weight = Math.abs(2 * first - entries.length)
  const edges = entries.reduce((sum, entry) => sum + payouts[entry.outcome] - entry.openingPrice, 0)
  if (weight === 0) return { ...noSide, beside: edges }
  const priceOf = ({ outcome: bought, openingPrice }: Entry) =>
    bought === outcome ? openingPrice : 1 - openingPrice
  const price = entries.reduce((sum, entry) => sum + priceOf(entry), 0) / entries.length
  const paid = payouts[outcome]
  // All on one side there is nothing beside it, but for crumbs of rounding.
  const beside = weight === entries.length ? 0 : edges - weight * (paid - price)
  return { weight, price, paid, beside }
}

/**
 * The sums after one event of the wallet changed: `before` are the scores of all its markets in that
 * event that are counted in `sums`, `after` those that shall be.
 */
export function recount(
  sums: WalletSums,
  before: ReadonlyArray<MarketScore>,
  after: ReadonlyArray<MarketScore>,
): WalletSums {
  const moved = addEvent(addEvent(sums, before, -1), after, 1)
  if (moved.events > 0) return moved
  // Taking away what was added leaves crumbs of rounding: with the last event they go too.
  const fair = moved.fair.most > 0 ? moved.fair : noNullSums
  return { ...noSums, totals: { ...noTotals, cancelled: moved.totals.cancelled }, fair }
}

function addEvent(
  sums: WalletSums,
  markets: ReadonlyArray<MarketScore>,
  times: 1 | -1,
): WalletSums {
  let bands = sums.totals.bands
  let cancelled = sums.totals.cancelled
  let count = 0
  let deviation = 0
  for (const market of markets) {
    cancelled += times * market.cancelled
    for (const part of market.bands) {
      bands = bands.map((band, i) => i === part.band ? addBandSums(band, part.sums, times) : band)
      count += part.sums.entries
      deviation += part.sums.paid - part.sums.price
    }
  }
  const sides = markets.map(({ favoured }) => favoured)
  // Hedges alone, as many on either side, leave nothing: else crumbs could not be told from them.
  const asked = count > 0 || sides.some(({ weight }) => weight > 0)
  const fair = asked ? addNullSums(sums.fair, eventSums(sides), times) : sums.fair
  if (count === 0) return { ...sums, totals: { cancelled, bands }, fair }
  return {
    totals: { cancelled, bands },
    events: sums.events + times,
    deviationSquares: sums.deviationSquares + times * deviation ** 2,
    deviationCounts: sums.deviationCounts + times * deviation * count,
    countSquares: sums.countSquares + times * count ** 2,
    fair,
  }
}
