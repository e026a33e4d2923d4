/**
 * The store of what resolved entries add up to: each wallet's sums, and what is not counted yet.
 *
 * A change of a position's entries once its market has ended, or of how the market ended, makes the
 * position uncounted: its wallet's sums have to be moved. The mark is made in the transaction that makes
 * the change and carries its number, so a count takes only the mark it saw, and a crash loses none.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { MarketId } from "../markets/domain/market.ts"
import type { Resolution } from "../markets/domain/resolution.ts"
import type { Judgement } from "./domain/label.ts"
import type { StoredEntry } from "./domain/storedEntry.ts"
import type { MarketScore, WalletSums, WalletTotals } from "./domain/score.ts"

/** One wallet in one event, some of whose markets have to be counted again. */
export interface UncountedEvent {
  readonly wallet: string
  /** Entries opened before this do not count; null when all do. */
  readonly countFrom: EpochMs | null
  /** Every position of the wallet in the event that is counted or has to be. */
  readonly positions: ReadonlyArray<{
    readonly marketId: MarketId
    readonly version: number
    readonly feeRate: number
    readonly entries: ReadonlyArray<StoredEntry>
    readonly resolution: Resolution | null
    /** What its wallet's sums hold of it; null when nothing. */
    readonly counted: MarketScore | null
    /** False for a sibling that stands as it is. */
    readonly changed: boolean
  }>
}

/** The sums of a wallet as they were read; null while none of its positions is counted. */
export interface StoredSums {
  /** Which change of them this is: 0 before the first. */
  readonly version: number
  readonly sums: WalletSums | null
}

/** What the sums of a wallet become. */
export interface CountedWallet {
  readonly wallet: string
  /** Of the sums that were moved: others may have moved them since. */
  readonly version: number
  readonly sums: WalletSums
  readonly judgement: Judgement | null
}

/** What becomes of a position that was counted. */
export interface CountedPosition {
  readonly wallet: string
  readonly marketId: MarketId
  readonly version: number
  readonly score: MarketScore | null
}

/** One wallet's part in the judgement of all. */
interface JudgedWallet {
  readonly wallet: string
  readonly judgement: Judgement | null
}

export class CountingStore extends Context.Service<CountingStore, {
  /** Events with uncounted positions, oldest mark first, at most about `limit` positions. */
  readonly uncounted: (limit: number) => Effect.Effect<ReadonlyArray<UncountedEvent>>
  /** The sums of these wallets, each of which is there when it is tracked. */
  readonly sums: (
    wallets: ReadonlyArray<string>,
  ) => Effect.Effect<ReadonlyMap<string, StoredSums>>
  /**
   * Moves the sums and judgements of wallets together with what was counted of their positions, all in
   * one transaction. Returns false, and changes nothing, when the version of a position, or of a
   * wallet's sums, is another by now.
   */
  readonly saveCounted: (
    positions: ReadonlyArray<CountedPosition>,
    wallets: ReadonlyArray<CountedWallet>,
  ) => Effect.Effect<boolean>
  /** Every wallet with counted positions; those with a truncated or unread history are absent. */
  readonly judged: Effect.Effect<ReadonlyArray<JudgedWallet>>
  /** What the same wallets' sums hold that adds up over wallets. */
  readonly totals: Effect.Effect<ReadonlyArray<WalletTotals>>
}>()("bellwether/whales/CountingStore") {}
