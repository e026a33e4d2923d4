/**
 * The store of tracked wallets: which they are, and what has been read of their activity.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { NumberedActivityEvent } from "../markets/domain/activity.ts"
import type { HistoryState, TrackedWallet, TrackingSource } from "./domain/tracking.ts"

/** A stretch of a wallet's activity, read without a gap, and what is known of its history with it. */
export interface HistoryUpdate {
  readonly wallet: string
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  /** The stretch everything is known of from now on, the one known before included. */
  readonly readFrom: EpochMs
  readonly readTo: EpochMs
  readonly history: HistoryState
}

export class WalletStore extends Context.Service<WalletStore, {
  /**
   * Tracks the wallets that are not tracked yet, and renames those that are. A wallet never loses its
   * place; one of a profit board that turns up on a volume board counts as found there from then on,
   * and its positions become uncounted. Returns how many are new.
   */
  readonly track: (
    wallets: ReadonlyArray<{
      readonly wallet: string
      readonly name: string
      readonly source: TrackingSource
    }>,
    at: EpochMs,
  ) => Effect.Effect<number>
  /** Every tracked wallet, by address. */
  readonly tracked: Effect.Effect<ReadonlyArray<TrackedWallet>>
  /**
   * Adds activity (rows already known change nothing) and moves the markers, in one transaction. Several
   * may read one wallet at once, each from what it knew: the markers only ever move apart, and neither
   * they nor the history move for a stretch that leaves a gap of a second or more to the one known; a
   * history goes from `reading` to `whole` to `truncated` and never back.
   */
  readonly saveRead: (read: HistoryUpdate) => Effect.Effect<{ readonly added: number }>
}>()("bellwether/whales/WalletStore") {}
