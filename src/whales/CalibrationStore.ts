/**
 * The store of what wallets are worth: the record of each, and the rows of the calibration table.
 *
 * A wallet becomes uncounted when its entries in an ended market change, when it has none left in an
 * open one, or when the resolution of one of its markets changes: its record must be computed again, from
 * all its positions. The mark is written in the transaction of the change and carries a version, so only
 * the record that was computed from the change removes it, and a crash loses no mark. Other changes in
 * open markets concern the evidence alone, which is valid whenever it is computed: they wait.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { MarketId } from "../markets/domain/market.ts"
import type { RecordedPosition, WalletRecord } from "./domain/record.ts"
import type { TrackedWallet } from "./domain/tracking.ts"
import type { CalibratedWhale } from "./domain/whale.ts"

/** A wallet whose record must be computed again. */
export interface UncountedWallet extends Pick<TrackedWallet, "wallet" | "source" | "trackedAt"> {
  /** The number of changes. */
  readonly version: number
}

export interface CountedWallet extends Pick<UncountedWallet, "wallet" | "version"> {
  readonly record: WalletRecord
  /** Markets whose results count for the first time. */
  readonly newlyCounted: ReadonlyArray<MarketId>
  /** When the wallet becomes uncounted without a change; null for never. */
  readonly nextAt: EpochMs | null
}

export class CalibrationStore extends Context.Service<CalibrationStore, {
  /** Uncounted wallets, those counted longest ago first; at most `limit`. */
  readonly uncounted: (
    limit: number,
    at: EpochMs,
  ) => Effect.Effect<ReadonlyArray<UncountedWallet>>
  /** All positions of a wallet that have entries, in a fixed order. Its version must be read before. */
  readonly positions: (wallet: string) => Effect.Effect<ReadonlyArray<RecordedPosition>>
  /** Saves the record computed at `at`. Changes nothing and returns false when the version changed. */
  readonly saveCounted: (counted: CountedWallet, at: EpochMs) => Effect.Effect<boolean>
  /** The record of every wallet with a `whole` history that is no farm, by address. */
  readonly counted: Effect.Effect<ReadonlyMap<string, WalletRecord>>
  /** The current row of every calibrated wallet, unordered; some have too few entries to be sold. */
  readonly calibrated: Effect.Effect<ReadonlyArray<CalibratedWhale>>
  /**
   * Changes with every `saveCounted` and `saveCalibrated` that changes anything. Every replica reads it
   * once a second, and reads the calibrations again when it has changed.
   */
  readonly calibrationVersion: Effect.Effect<string>
  /** The current and the previous calibration: an entry that began between them needs the previous. */
  readonly calibrations: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<CalibratedWhale>>>
  /**
   * Saves changed rows, one of a wallet, each with the row it replaces as the previous one, and deletes the rows of
   * `removed`. A row with the same `computedAt` as the stored one replaces it, and the previous row
   * stays.
   */
  readonly saveCalibrated: (
    whales: ReadonlyArray<CalibratedWhale>,
    removed: ReadonlyArray<string>,
  ) => Effect.Effect<void>
  /** Entries in markets that have not ended, by wallet (hedges too). */
  readonly openEntries: Effect.Effect<ReadonlyMap<string, number>>
}>()("bellwether/whales/CalibrationStore") {}
