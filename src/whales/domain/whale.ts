/**
 * What is published of a tracked wallet: how its entries fared when held to resolution.
 *
 * @module
 */
import { Schema } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"

/** A wallet with fewer resolved entries has no row: too little to say anything. */
export const resolvedEntriesMin = 30
/**
 * Rows of the table. Every payment keeps the bytes it bought, so the table has to end somewhere: a
 * thousand rows are 1.4 MB, kept as 0.3.
 */
export const tableRowsMax = 500

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** `schema`, with a sentence for whoever reads the contract. */
const explained = <S extends Schema.Top>(schema: S, description: string) =>
  schema.annotate({ description })

/** What a row says in the words of the calibration that an entry carries. */
const { label, resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh, followRoi, fadeRoi } =
  FrozenCalibration.fields
const winRateLow = explained(Rate, "Lower end of its 95 % interval (Wilson)")
const winRateHigh = explained(Rate, "Upper end of its 95 % interval (Wilson)")

/** Entries within one band of entry prices. */
export const OddsBand = Schema.Struct({
  band: Schema.String,
  from: explained(Rate, "Included"),
  to: explained(Rate, "Not included, but for 1"),
  entries: Count,
  meanEntryPrice,
  winRate,
  winRateLow,
  winRateHigh,
  followRoi,
  fadeRoi,
}).annotate({ identifier: "OddsBand" })

/** One wallet of the calibration table, as it is on the wire. */
export const WhaleRow = Schema.Struct({
  pseudonym: Schema.String,
  wallet: Schema.String,
  resolved,
  winRate,
  fadeRoi,
  label,
  source: explained(
    Schema.Literals(["volume", "profit"]),
    "The leaderboards it was found on; one found for its profit is judged by later entries only",
  ),
  marketMaker: explained(Schema.Boolean, "Makes markets: its entries are never told in the feed"),
  events: explained(Count, "Events its resolved entries are spread over"),
  winRateLow,
  winRateHigh,
  mirrorRoi: followRoi,
  meanEntryPrice,
  edge,
  edgeLow,
  edgeHigh,
  stakeUsd: explained(Schema.Finite, "Cost of its resolved entries, fees not included"),
  openEntries: explained(Count, "Entries in markets that have not ended, sold since or not"),
  oddsBands: explained(
    Schema.Array(OddsBand),
    "Its resolved entries by entry price; a band without entries is left out",
  ),
}).annotate({ identifier: "Whale" })
export type WhaleRow = typeof WhaleRow.Type

/** A wallet's row, and when it was computed. */
export interface CalibratedWhale {
  readonly computedAt: EpochMs
  readonly row: WhaleRow
}

/** The table as it is sold. */
export interface CalibrationTable {
  /** When the newest row was computed. */
  readonly computedAt: EpochMs
  /** Never empty; the largest stake first. */
  readonly wallets: readonly [WhaleRow, ...ReadonlyArray<WhaleRow>]
  /** Wallets that have a row to show and found no place: those with the smallest stakes. */
  readonly omitted: number
}

/** The table of these wallets; null while none may be sold. */
export function calibrationTable(whales: ReadonlyArray<CalibratedWhale>): CalibrationTable | null {
  const rows = publishable(whales.map(({ row }) => row))
  const [first, ...rest] = rows.slice(0, tableRowsMax).map(rounded)
  if (first === undefined) return null
  return {
    computedAt: computedAtOf(whales) ?? 0,
    wallets: [first, ...rest],
    omitted: rows.length - 1 - rest.length,
  }
}

/** When the newest of these was computed; null when there is none. */
export function computedAtOf(whales: ReadonlyArray<CalibratedWhale>): EpochMs | null {
  return whales.reduce<EpochMs | null>(
    (newest, { computedAt }) => newest === null || computedAt > newest ? computedAt : newest,
    null,
  )
}

/** The rows that may be sold, the largest stake first: an order that no outcome has a say in. */
export function publishable(rows: ReadonlyArray<WhaleRow>): ReadonlyArray<WhaleRow> {
  return rows
    .filter(({ resolved }) => resolved >= resolvedEntriesMin)
    .sort((a, b) => b.stakeUsd - a.stakeUsd || (a.wallet < b.wallet ? -1 : 1))
}

/** A rate, a price or a return as it is shown: to a hundredth of a percent. */
export const shownRate = (rate: number): number => Math.round(rate * 10_000) / 10_000

/** USD as they are shown: to the cent. */
export const shownUsd = (usd: number): number => Math.round(usd * 100) / 100

/** More digits would be noise, and half of the bytes. */
function rounded(row: WhaleRow): WhaleRow {
  return {
    ...row,
    winRate: shownRate(row.winRate),
    fadeRoi: shownRate(row.fadeRoi),
    winRateLow: shownRate(row.winRateLow),
    winRateHigh: shownRate(row.winRateHigh),
    mirrorRoi: shownRate(row.mirrorRoi),
    meanEntryPrice: shownRate(row.meanEntryPrice),
    edge: shownRate(row.edge),
    edgeLow: shownRate(row.edgeLow),
    edgeHigh: shownRate(row.edgeHigh),
    stakeUsd: shownUsd(row.stakeUsd),
    oddsBands: row.oddsBands.map(roundedBand),
  }
}

/** A frozen calibration as an item shows it: the figures of the table it was taken from. */
export function shownCalibration(frozen: FrozenCalibration): FrozenCalibration {
  return {
    ...frozen,
    winRate: shownRate(frozen.winRate),
    meanEntryPrice: shownRate(frozen.meanEntryPrice),
    edge: shownRate(frozen.edge),
    edgeLow: shownRate(frozen.edgeLow),
    edgeHigh: shownRate(frozen.edgeHigh),
    followRoi: shownRate(frozen.followRoi),
    fadeRoi: shownRate(frozen.fadeRoi),
  }
}

export function roundedBand(band: typeof OddsBand.Type): typeof OddsBand.Type {
  return {
    ...band,
    meanEntryPrice: shownRate(band.meanEntryPrice),
    winRate: shownRate(band.winRate),
    winRateLow: shownRate(band.winRateLow),
    winRateHigh: shownRate(band.winRateHigh),
    followRoi: shownRate(band.followRoi),
    fadeRoi: shownRate(band.fadeRoi),
  }
}
