/**
 * The store of the rows of the calibration table: the current and the previous row of each wallet.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { CalibratedWhale } from "./domain/whale.ts"

export class CalibrationStore extends Context.Service<CalibrationStore, {
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
   * Saves changed rows, each with the row it replaces as the previous one, and deletes the rows of
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
