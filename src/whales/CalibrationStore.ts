/**
 * The store of the rows of the calibration table, each as it stands and as it stood before that.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { CalibratedWhale } from "./domain/whale.ts"

export class CalibrationStore extends Context.Service<CalibrationStore, {
  /** Every calibrated wallet, in no particular order; some have too few entries to be sold. */
  readonly calibrated: Effect.Effect<ReadonlyArray<CalibratedWhale>>
  /**
   * Another word after every `saveCounted` and `saveCalibrated` that changed anything, else the same:
   * what is published of wallets is read again when it has moved. Every replica asks once a second.
   */
  readonly calibrationVersion: Effect.Effect<string>
  /** As it stands, and as it stood before that: what an entry that began between the two is given. */
  readonly calibrations: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<CalibratedWhale>>>
  /**
   * Rewrites what changed and keeps what it replaces; `gone` have no calibration any more. A row
   * with the `computedAt` of the one held says the same of its wallet: it takes that one's place, and
   * what stood before both stays.
   */
  readonly saveCalibrated: (
    whales: ReadonlyArray<CalibratedWhale>,
    gone: ReadonlyArray<string>,
  ) => Effect.Effect<void>
  /** Entries in markets that have not ended, by wallet (hedges too). */
  readonly openEntries: Effect.Effect<ReadonlyMap<string, number>>
}>()("bellwether/whales/CalibrationStore") {}
