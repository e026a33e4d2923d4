/**
 * The store of positions and their entries.
 *
 * A position is one wallet in one market. New activity makes it stale: its entries must be recomputed.
 * The mark is written in the transaction that adds the activity and carries a version, so a
 * recomputation removes only the mark it has read, and a crash leaves the mark for the next tick.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { NumberedActivityEvent } from "../markets/domain/activity.ts"
import type { MarketFacts, MarketId } from "../markets/domain/market.ts"
import { type OpenEntry, type StoredEntry } from "./domain/storedEntry.ts"

/** A position with activity added after its entries were computed. */
export interface StalePosition {
  readonly wallet: string
  readonly market: MarketFacts
  /** The number of changes of its activity. */
  readonly version: number
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  readonly entries: ReadonlyArray<StoredEntry>
}

/** A position with an entry that must be published in the feed. */
export interface DuePosition extends Omit<StalePosition, "activity"> {
  readonly boughtBoth: boolean
  readonly farmed: boolean
}

export interface ComputedPosition extends Omit<DuePosition, "market"> {
  readonly marketId: MarketId
  /** Whether one of the entries must be published in the feed. */
  readonly due: boolean
}

export class EntryStore extends Context.Service<EntryStore, {
  /** Stale positions whose market's facts are known, newest activity first. */
  readonly stale: (limit: number) => Effect.Effect<ReadonlyArray<StalePosition>>
  /**
   * Saves the entries of positions, each given once, and removes their stale mark unless their activity changed
   * meanwhile. A wallet becomes uncounted when its entries in an ended market change or none is left.
   * Ignores positions computed from less activity than the stored ones, and markets whose facts are unknown.
   */
  readonly saveEntries: (positions: ReadonlyArray<ComputedPosition>) => Effect.Effect<void>
  /** Positions with an entry that must be published. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<DuePosition>>
  /**
   * Entries in one market, the largest stake first, at most `limit`. Empty when the market has ended;
   * without hedges, and without wallets whose history is still being read.
   */
  readonly entriesIn: (
    marketId: MarketId,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<OpenEntry>>
}>()("bellwether/whales/EntryStore") {}
