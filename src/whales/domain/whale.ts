/**
 * A tracked wallet's row of the calibration table: the results of its entries held to resolution. Each
 * published entry carries a part of its wallet's row.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { described, walletName } from "../../core/domain/fields.ts"
import { Count } from "../../core/domain/number.ts"
import { type EpochMs, isoTime } from "../../core/domain/time.ts"
import { studentQuantile } from "../../core/domain/student.ts"
import { FrozenCalibration } from "../../feed/domain/item.ts"
import { isFarm, isMarketMaker } from "./entry.ts"
import { eventsMin, resolvedEntriesMin, ruleVersion } from "./label.ts"
import { endOf, OddsBand, roundFigures, Sweeps, winRateHigh, winRateLow } from "./oddsBands.ts"
import type { Rates } from "./rates.ts"
import { type MeasuredEdge, type Skill, skillAmong } from "./skill.ts"
import type { TrackedWallet } from "./tracking.ts"

/**
 * Rows of one answer. Every payment stores the response it bought, so it has a limit: a thousand rows
 * are 1.4 MB, 0.3 MB compressed.
 */
export const tableRowsMax = 500

/** The fields that a row shares with the calibration of an entry. */
const shared = Struct.omit(FrozenCalibration.fields, ["followRoi", "computedAt", "ruleVersion"])

/** One wallet of the calibration table: a wire shape. */
export const WhaleRow = Schema.Struct({
  pseudonym: walletName.pseudonym,
  wallet: walletName.wallet,
  ...shared,
  source: described(
    Schema.Literals(["volume", "profit"]),
    "The leaderboard it was found on; a wallet found for its profit is judged by later entries only",
  ),
  marketMaker: described(
    Schema.Boolean,
    "A market maker: its entries are never published in the feed",
  ),
  events: described(
    Count,
    "Independent events of its resolved entries: one day of a competition, and one week of prices that move together, are one",
  ),
  winRateLow,
  winRateHigh,
  mirrorRoi: FrozenCalibration.fields.followRoi,
  mirrorRoiLow: endOf("Lower", "mirrorRoi, per USD; null without a counted entry"),
  mirrorRoiHigh: endOf("Upper", "mirrorRoi, per USD; null without a counted entry"),
  fadeRoiLow: endOf("Lower", "fadeRoi, per USD; null where fadeRoi is"),
  fadeRoiHigh: endOf("Upper", "fadeRoi, per USD; null where fadeRoi is"),
  stakeUsd: described(Schema.Finite, "Cost of its resolved entries, USD, without fees"),
  openEntries: described(
    Count,
    "Entries in markets that have not ended, including those sold since",
  ),
  oddsBands: described(
    Schema.Array(OddsBand),
    "Its resolved entries by entry price; bands without entries are left out",
  ),
  sweeps: Sweeps,
}).annotate({ identifier: "Whale" })
export type WhaleRow = typeof WhaleRow.Type

/** A row as it is sold: its skill depends on all rows, so it is added when the table is read. */
export interface TableRow extends WhaleRow, Skill {}

/** A wallet's row, and when it was computed. */
export interface CalibratedWhale {
  readonly computedAt: EpochMs
  readonly row: WhaleRow
}

/** The table whose rows are sold. */
export interface CalibrationTable {
  /** When the newest row was computed. */
  readonly computedAt: EpochMs
  /** Every publishable row, the largest stake first; never empty. */
  readonly wallets: ReadonlyArray<TableRow>
}

/** The table of these wallets; null when no row is publishable. */
export function calibrationTable(whales: ReadonlyArray<CalibratedWhale>): CalibrationTable | null {
  const rows = publishable(whales.map(({ row }) => row))
  if (rows.length === 0) return null
  const skillOf = skillAmong(rows.map(measuredEdge))
  const wallets = rows.map((row) => roundFigures({ ...row, ...skillOf(measuredEdge(row)) }))
  return { computedAt: computedAtOf(whales) ?? 0, wallets }
}

/** Which rows of the table a buyer wants; null is no condition. */
export interface RowFilter {
  readonly label: WhaleRow["label"] | null
  /** An address, in any case. */
  readonly wallet: string | null
  readonly limit: number | null
}

/**
 * The matching rows with the largest stakes, at most `limit` and `tableRowsMax`, and how many matching
 * ones are left out; null when none matches.
 */
export function matchingRows({ wallets }: CalibrationTable, { label, wallet, limit }: RowFilter) {
  const address = wallet?.toLowerCase()
  const matching = wallets.filter((row) =>
    (label === null || row.label === label) && (address === undefined || row.wallet === address)
  )
  const [first, ...rest] = matching.slice(0, limit ?? tableRowsMax)
  if (first === undefined) return null
  return { wallets: [first, ...rest] as const, omitted: matching.length - 1 - rest.length }
}

/** Why a tracked wallet has no row; null for a farm, which is no longer tracked. */
export function whyNotJudged(tracked: TrackedWallet): string | null {
  if (isFarm(tracked)) return null
  const why = tracked.history === "whole"
    ? `fewer than ${resolvedEntriesMin} resolved entries in ${eventsMin} events are counted so far`
    : "its whole history has not been read"
  return `This wallet is tracked, but has no row in the calibration table: ${why}`
}

/** When the newest of these was computed; null without any. */
export function computedAtOf(whales: ReadonlyArray<CalibratedWhale>): EpochMs | null {
  return whales.reduce<EpochMs | null>(
    (newest, { computedAt }) => newest === null || computedAt > newest ? computedAt : newest,
    null,
  )
}

/** The rows that may be sold, the largest stake first: an order independent of outcomes. */
export function publishable(rows: ReadonlyArray<WhaleRow>): ReadonlyArray<WhaleRow> {
  return rows
    .filter(({ resolved }) => resolved >= resolvedEntriesMin)
    .sort((a, b) => b.stakeUsd - a.stakeUsd || (a.wallet < b.wallet ? -1 : 1))
}

/** The standard error that the interval of the edge was made of. */
function measuredEdge({ edge, edgeLow, edgeHigh, events }: WhaleRow): MeasuredEdge {
  return { edge, error: Math.max(edge - edgeLow, edgeHigh - edge) / studentQuantile(events - 1) }
}

/** The fields of a row that may change without a new calibration. */
type WhaleFacts = Pick<WhaleRow, "pseudonym" | "source" | "marketMaker" | "openEntries">

/** The facts of a wallet's row. */
export function whaleFacts(tracked: TrackedWallet, openEntries: number): WhaleFacts {
  return {
    pseudonym: tracked.name,
    source: tracked.source,
    marketMaker: isMarketMaker(tracked),
    openEntries,
  }
}

export function whaleRow(
  wallet: string,
  rates: Rates,
  label: WhaleRow["label"],
  facts: WhaleFacts,
): WhaleRow {
  const { cancelled: _, followRoi, intervals, ...figures } = rates
  const { followRoiLow, followRoiHigh, ...others } = intervals
  return {
    wallet,
    ...facts,
    ...figures,
    ...others,
    label,
    mirrorRoi: followRoi,
    mirrorRoiLow: followRoiLow,
    mirrorRoiHigh: followRoiHigh,
  }
}

/** The calibration that an entry carries: a part of its wallet's row. */
export function freeze({ row, computedAt }: CalibratedWhale): FrozenCalibration {
  return {
    ...Struct.pick(row, Struct.keys(shared)),
    followRoi: row.mirrorRoi,
    computedAt: isoTime(computedAt),
    ruleVersion,
  }
}

/**
 * The calibration of an entry that began at `at`: the newest one computed before it, or null. A later
 * one may already contain the result of the entry's market.
 */
export function calibrationBefore(
  calibrations: ReadonlyArray<CalibratedWhale>,
  at: EpochMs,
): FrozenCalibration | null {
  const before = calibrations.filter(({ computedAt }) => computedAt < at)
  const newest = before.toSorted((a, b) => b.computedAt - a.computedAt)[0]
  return newest === undefined ? null : freeze(newest)
}

interface RowChanges {
  /** New and changed rows. */
  readonly changed: ReadonlyArray<CalibratedWhale>
  /** Wallets whose row is removed. */
  readonly removed: ReadonlyArray<string>
}

/**
 * What changes in the table at `at`, when these are its new rows. `computedAt` changes only with figures
 * and label, because only these are part of an entry.
 */
export function rowChanges(
  stored: ReadonlyArray<CalibratedWhale>,
  rows: ReadonlyArray<WhaleRow>,
  at: EpochMs,
): RowChanges {
  const before = new Map(stored.map((whale) => [whale.row.wallet, whale]))
  const changed = rows.flatMap((row): ReadonlyArray<CalibratedWhale> => {
    const known = before.get(row.wallet)
    if (known === undefined) return [{ computedAt: at, row }]
    if (isSame(known.row, row)) return []
    const { pseudonym, source, marketMaker, openEntries } = row
    const facts: WhaleFacts = { pseudonym, source, marketMaker, openEntries }
    return [{ computedAt: isSame({ ...known.row, ...facts }, row) ? known.computedAt : at, row }]
  })
  const kept = new Set(rows.map(({ wallet }) => wallet))
  return { changed, removed: [...before.keys()].filter((wallet) => !kept.has(wallet)) }
}

/** Rows are stored as JSON, so they are compared as JSON: it takes a twentieth of `Equal.equals`. */
const isSame = (a: WhaleRow, b: WhaleRow): boolean => JSON.stringify(a) === JSON.stringify(b)
