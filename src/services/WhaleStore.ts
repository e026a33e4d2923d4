/**
 * The port to the memory of calibrated wallets.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../domain/time.ts"
import type { WhaleRow } from "../domain/whale.ts"

export interface CalibratedWhale {
  readonly computedAt: EpochMs
  readonly row: WhaleRow
}

export class WhaleStore extends Context.Service<WhaleStore, {
  /** Every calibrated wallet, in no particular order; some have too few entries to be sold. */
  readonly calibrated: Effect.Effect<ReadonlyArray<CalibratedWhale>>
}>()("bellwether/services/WhaleStore") {}
