/**
 * A tracked wallet's row of the calibration table: how its entries fared when held to resolution, and
 * what of that an entry carries.
 *
 * @module
 */
import { Schema } from "effect"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"
import { isMarketMaker } from "./entry.ts"
import { type Judgement, resolvedEntriesMin, ruleVersion } from "./label.ts"
import {
  Count,
  explained,
  OddsBand,
  roundBand,
  roundRate,
  winRateHigh,
  winRateLow,
} from "./oddsBands.ts"
import type { Rates } from "./rates.ts"
import type { TrackedWallet } from "./tracking.ts"

/**
 * Rows of the table. Every payment keeps the bytes it bought, so the table has to end somewhere: a
 * thousand rows are 1.4 MB, kept as 0.3.
 */
export const tableRowsMax = 500

/** What a row says in the words of the calibration that an entry carries. */
const { label, resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh, followRoi, fadeRoi } =
  FrozenCalibration.fields

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

/** USD as they are shown: to the cent. */
export const roundUsd = (usd: number): number => Math.round(usd * 100) / 100

/** More digits would be noise, and half of the bytes. */
function rounded(row: WhaleRow): WhaleRow {
  return {
    ...row,
    winRate: roundRate(row.winRate),
    fadeRoi: roundRate(row.fadeRoi),
    winRateLow: roundRate(row.winRateLow),
    winRateHigh: roundRate(row.winRateHigh),
    mirrorRoi: roundRate(row.mirrorRoi),
    meanEntryPrice: roundRate(row.meanEntryPrice),
    edge: roundRate(row.edge),
    edgeLow: roundRate(row.edgeLow),
    edgeHigh: roundRate(row.edgeHigh),
    stakeUsd: roundUsd(row.stakeUsd),
    oddsBands: row.oddsBands.map(roundBand),
  }
}

/** A frozen calibration as an item shows it: the figures of the table it was taken from. */
export function roundCalibration(frozen: FrozenCalibration): FrozenCalibration {
  return {
    ...frozen,
    winRate: roundRate(frozen.winRate),
    meanEntryPrice: roundRate(frozen.meanEntryPrice),
    edge: roundRate(frozen.edge),
    edgeLow: roundRate(frozen.edgeLow),
    edgeHigh: roundRate(frozen.edgeHigh),
    followRoi: roundRate(frozen.followRoi),
    fadeRoi: roundRate(frozen.fadeRoi),
  }
}

/** What a row says that is not in the wallet's figures: it may change without another calibration. */
type WhaleFacts = Pick<WhaleRow, "pseudonym" | "source" | "marketMaker" | "openEntries">

/** What is known of a wallet besides its figures. */
export function whaleFacts(tracked: TrackedWallet, openEntries: number): WhaleFacts {
  return {
    pseudonym: tracked.name,
    source: tracked.source,
    marketMaker: isMarketMaker(tracked),
    openEntries,
  }
}

/** The row of a wallet with these figures. */
export function whaleRow(
  wallet: string,
  rates: Rates,
  label: WhaleRow["label"],
  facts: WhaleFacts,
): WhaleRow {
  const { cancelled: _, followRoi, ...figures } = rates
  return { wallet, ...facts, ...figures, mirrorRoi: followRoi, label }
}

/** What an entry carries of its wallet's row, computed at `computedAt`. */
export function freeze({ row, computedAt }: CalibratedWhale): FrozenCalibration {
  const { label, resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh } = row
  return {
    ...{ label, resolved, winRate, meanEntryPrice, edge, edgeLow, edgeHigh },
    followRoi: row.mirrorRoi,
    fadeRoi: row.fadeRoi,
    computedAt: isoTime(computedAt),
    ruleVersion,
  }
}

/**
 * What an entry that began at `at` is given: the newest of these calibrations that stood before it.
 * Null when none did: one computed later may hold what the entry's own market came to.
 */
export function calibrationBefore(
  held: ReadonlyArray<CalibratedWhale>,
  at: EpochMs,
): FrozenCalibration | null {
  const before = held.filter(({ computedAt }) => computedAt < at)
  const newest = before.toSorted((a, b) => b.computedAt - a.computedAt)[0]
  return newest === undefined ? null : freeze(newest)
}

/** Whether a row holds the figures its wallet's label is decided by now. */
export function hasSameFigures(row: WhaleRow, { edge, followRoi, fadeRoi }: Judgement): boolean {
  return row.edge === edge && row.mirrorRoi === followRoi && row.fadeRoi === fadeRoi
}

/** What has to be written: rows that are new or say something else, and wallets without one. */
interface Rewritten {
  readonly changed: ReadonlyArray<CalibratedWhale>
  readonly gone: ReadonlyArray<string>
}

/**
 * The rows that change at `at`: those of wallets with new `rates`, and those whose label or facts are
 * others by now. `computedAt` moves with rates and label alone, for they are what an entry is given.
 */
export function rewritten(
  held: ReadonlyMap<string, CalibratedWhale>,
  labels: ReadonlyMap<string, WhaleRow["label"]>,
  rates: ReadonlyMap<string, Rates>,
  facts: ReadonlyMap<string, WhaleFacts>,
  at: EpochMs,
): Rewritten {
  const changed: Array<CalibratedWhale> = []
  for (const [wallet, label] of labels) {
    const before = held.get(wallet)
    const figures = rates.get(wallet)
    const known = facts.get(wallet)
    if (known === undefined) continue
    if (figures !== undefined) {
      changed.push({ computedAt: at, row: whaleRow(wallet, figures, label, known) })
    } else if (before !== undefined && !agree(before.row, { ...known, label })) {
      const computedAt = before.row.label === label ? before.computedAt : at
      changed.push({ computedAt, row: { ...before.row, ...known, label } })
    }
  }
  return { changed, gone: [...held.keys()].filter((wallet) => !labels.has(wallet)) }
}

function agree(row: WhaleRow, now: WhaleFacts & Pick<WhaleRow, "label">): boolean {
  return row.label === now.label && row.pseudonym === now.pseudonym &&
    row.source === now.source && row.marketMaker === now.marketMaker &&
    row.openEntries === now.openEntries
}
