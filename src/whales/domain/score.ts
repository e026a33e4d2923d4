/**
 * The sums of a wallet's entries in resolved markets. A resolution updates the sums, so the wallet's
 * history is never read again.
 *
 * @module
 */
import { type Entry, isHedge } from "./entry.ts"
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

/** The score of one wallet's counted entries in one resolved market. Stored as JSON. */
export interface MarketScore {
  /** Entries in a cancelled market; they count nowhere else. */
  readonly cancelled: number
  /** The bands that have entries. */
  readonly bands: ReadonlyArray<{ readonly band: number; readonly sums: BandSums }>
  /** Includes hedges: most of them lose, so a record without them would look too good. */
  readonly favoured: FavouredSide
}

/** The sums that can be added over wallets. */
export interface WalletTotals {
  readonly cancelled: number
  /** One for each odds band, in order. */
  readonly bands: ReadonlyArray<BandSums>
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
  fair: emptyNullSums,
}

/**
 * The score of entries in a market that paid `payouts`, or was cancelled (null). `feeRate` is the
 * venue's taker rate. Hedges are left out of the bands but not of `favoured`: a wallet that hedges its
 * losing entries would otherwise keep only winners.
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

/** All entries of one market, seen from the outcome with more entries, at their mean opening price. */
function favouredSide(
  entries: ReadonlyArray<Entry>,
  payouts: readonly [number, number],
): FavouredSide {
  const first = entries.filter(({ outcome }) => outcome === 0).length
  const outcome = 2 * first >= entries.length ? 0 : 1
  const weight = Math.abs(2 * first - entries.length)
  const edges = entries.reduce((sum, entry) => sum + payouts[entry.outcome] - entry.openingPrice, 0)
  if (weight === 0) return { ...noSide, remainder: edges }
  const priceOf = ({ outcome: bought, openingPrice }: Entry) =>
    bought === outcome ? openingPrice : 1 - openingPrice
  const price = entries.reduce((sum, entry) => sum + priceOf(entry), 0) / entries.length
  const paid = payouts[outcome]
  // With all entries on one side the remainder is 0, apart from rounding errors.
  const remainder = weight === entries.length ? 0 : edges - weight * (paid - price)
  return { weight, price, paid, remainder }
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
  const fair = updated.fair.weightSum > 0 ? updated.fair : emptyNullSums
  return { ...noSums, totals: { ...noTotals, cancelled: updated.totals.cancelled }, fair }
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
  // An event with hedges only, as many on each side, is not added: its weight would be 0, and `recount`
  // could not distinguish its remainder from a rounding error.
  const isCounted = count > 0 || sides.some(({ weight }) => weight > 0)
  const fair = isCounted ? addNullSums(sums.fair, eventSums(sides), times) : sums.fair
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
