/**
 * What is published of a tracked wallet: how its entries fared when held to resolution.
 *
 * @module
 */
import { Schema } from "effect"
import { type EpochMs, IsoTime } from "./time.ts"

/** A wallet with fewer resolved entries has no row: too little to say anything. */
export const resolvedEntriesMin = 30

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const WhaleLabel = Schema.Literals(["follow", "fade", "neutral"])

/** Entries within one band of entry prices. */
export const OddsBand = Schema.Struct({
  band: Schema.String,
  from: Rate,
  to: Rate,
  entries: Count,
  meanEntryPrice: Rate,
  winRate: Rate,
  winRateLow: Rate,
  winRateHigh: Rate,
  followRoi: Schema.Finite,
  fadeRoi: Schema.Finite,
}).annotate({ identifier: "OddsBand" })

/** What an entry carries of its wallet: the calibration as it stood before the entry. */
export const FrozenCalibration = Schema.Struct({
  label: WhaleLabel,
  resolved: Count,
  winRate: Rate,
  meanEntryPrice: Rate,
  edge: Schema.Finite,
  edgeLow: Schema.Finite,
  edgeHigh: Schema.Finite,
  followRoi: Schema.Finite,
  fadeRoi: Schema.Finite,
  computedAt: IsoTime,
  ruleVersion: Schema.String,
})
export type FrozenCalibration = typeof FrozenCalibration.Type

/** One wallet of the calibration table, as it is on the wire. */
export const WhaleRow = Schema.Struct({
  pseudonym: Schema.String,
  wallet: Schema.String,
  resolved: Count,
  winRate: Rate,
  fadeRoi: Schema.Finite,
  label: WhaleLabel,
  /** Why it is tracked: found on a board of volume, or of profit (then only later entries count). */
  source: Schema.Literals(["volume", "profit"]),
  /** Makes markets: its entries are never told in the feed. */
  marketMaker: Schema.Boolean,
  /** Events its resolved entries are spread over. */
  events: Count,
  winRateLow: Rate,
  winRateHigh: Rate,
  mirrorRoi: Schema.Finite,
  meanEntryPrice: Rate,
  edge: Schema.Finite,
  edgeLow: Schema.Finite,
  edgeHigh: Schema.Finite,
  stakeUsd: Schema.Finite,
  openEntries: Count,
  oddsBands: Schema.Array(OddsBand),
}).annotate({ identifier: "Whale" })
export type WhaleRow = typeof WhaleRow.Type

/** A wallet's row, and when it was computed. */
export interface CalibratedWhale {
  readonly computedAt: EpochMs
  readonly row: WhaleRow
}

/** The rows that may be sold, the largest stake first: an order that no outcome has a say in. */
export function publishable(rows: ReadonlyArray<WhaleRow>): ReadonlyArray<WhaleRow> {
  return rows
    .filter(({ resolved }) => resolved >= resolvedEntriesMin)
    .sort((a, b) => b.stakeUsd - a.stakeUsd || (a.wallet < b.wallet ? -1 : 1))
}
