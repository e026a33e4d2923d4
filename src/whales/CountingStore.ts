/**
 * The store of each wallet's sums over resolved entries, and of the positions not counted yet.
 *
 * A position becomes uncounted when its entries change after its market has ended, or when the market's
 * resolution changes: its wallet's sums must be updated. The mark is written in the transaction of the
 * change and carries a version, so a count removes only the mark that it read, and a crash loses no mark.
 * A result that may not count yet (`domain/due.ts`) keeps its mark until it may.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { MarketId } from "../markets/domain/market.ts"
import type { Resolution } from "../markets/domain/resolution.ts"
import type { Bet } from "./domain/evidence.ts"
import type { StoredEntry } from "./domain/storedEntry.ts"
import type { MarketScore, WalletSums } from "./domain/score.ts"

/** One wallet in one event with uncounted positions. */
export interface UncountedEvent {
  readonly wallet: string
  /** Entries opened before this do not count; null when all count. */
  readonly countFrom: EpochMs | null
  /** The positions of the wallet in the event that are counted, or may count. */
  readonly positions: ReadonlyArray<{
    readonly marketId: MarketId
    readonly version: number
    readonly feeRate: number
    readonly entries: ReadonlyArray<StoredEntry>
    readonly resolution: Resolution | null
    /** Its score in the wallet's sums; null when they do not contain it. */
    readonly counted: MarketScore | null
    /** False for a sibling that is counted and unchanged. */
    readonly changed: boolean
  }>
}

/** What a wallet is judged by besides its sums. */
interface WalletBets {
  /** When it was selected. */
  readonly selectedAt: EpochMs
  readonly bets: ReadonlyArray<Bet>
}

export interface StoredSums {
  /** The number of changes; 0 before the first. */
  readonly version: number
  /** Null while no position is counted. */
  readonly sums: WalletSums | null
}

/** The new sums of a wallet. */
export interface CountedWallet {
  readonly wallet: string
  /** The version of the sums that were read, for optimistic locking. */
  readonly version: number
  readonly sums: WalletSums
}

/** The new score of a position. */
export interface CountedPosition {
  readonly wallet: string
  readonly marketId: MarketId
  readonly version: number
  readonly score: MarketScore | null
}

export class CountingStore extends Context.Service<CountingStore, {
  /**
   * Events with uncounted positions that may count at `at`, the earliest due first, then the oldest mark;
   * at most about `limit` positions.
   */
  readonly uncounted: (
    limit: number,
    at: EpochMs,
  ) => Effect.Effect<ReadonlyArray<UncountedEvent>>
  /** The sums of these wallets; wallets that are not tracked are absent. */
  readonly sums: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, StoredSums>>
  /**
   * Saves the sums of wallets together with the scores of their positions, in one transaction. Returns
   * false, and changes nothing, when the version of a position or of a wallet's sums has changed.
   */
  readonly saveCounted: (
    positions: ReadonlyArray<CountedPosition>,
    wallets: ReadonlyArray<CountedWallet>,
  ) => Effect.Effect<boolean>
  /** The sums of every wallet with counted positions and a `whole` history, by address. */
  readonly counted: Effect.Effect<
    ReadonlyMap<string, { readonly version: number; readonly sums: WalletSums }>
  >
  /** The bets of these wallets (`domain/evidence.ts`), in no order. */
  readonly bets: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, WalletBets>>
}>()("bellwether/whales/CountingStore") {}
