/**
 * An entry as it is remembered: what was known of its wallet before it, and whether it was told.
 *
 * @module
 */
import type { Entry } from "./entry.ts"
import type { EpochMs } from "./time.ts"
import type { FrozenCalibration } from "./whale.ts"

export interface HeldEntry extends Entry {
  /**
   * When its first fill was when it was first seen: with wallet, market and outcome its name for
   * ever, whatever earlier fill turns up later.
   */
  readonly openedAt: EpochMs
  /** The wallet's calibration as it stood before the entry; null when there was none. */
  readonly calibration: FrozenCalibration | null
  /** Whether the feed has carried it. */
  readonly emitted: boolean
}
