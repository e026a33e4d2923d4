/**
 * The store of tracked wallets and their activity.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { NumberedActivityEvent } from "../markets/domain/activity.ts"
import type { HistoryState, TrackedWallet, TrackingSource } from "./domain/tracking.ts"

/** A wallet's activity in a range that was read without a gap, and the resulting state. */
export interface HistoryUpdate {
  readonly wallet: string
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  /** The range that is known after this update, which includes the range known before. */
  readonly readFrom: EpochMs
  readonly readTo: EpochMs
  readonly history: HistoryState
}

export class WalletStore extends Context.Service<WalletStore, {
  /**
   * Tracks new wallets, and renames tracked ones; each is given once. A wallet is never removed. When a wallet of a profit
   * board is found on a volume board, its source becomes `volume` and the wallet becomes uncounted.
   * Returns how many wallets are new.
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
   * Adds activity and updates `readFrom`, `readTo` and `history`, in one transaction. Known events
   * change nothing. Several processes may read one wallet at once: the stored range only grows, and a
   * range with a gap of a second or more to the stored one changes neither range nor history. A history
   * goes from `reading` to `whole` to `truncated` and never back.
   */
  readonly saveRead: (read: HistoryUpdate) => Effect.Effect<{ readonly added: number }>
}>()("bellwether/whales/WalletStore") {}
