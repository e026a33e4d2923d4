/**
 * The store of positions and of the entries made of them.
 *
 * A position is one wallet in one market. New activity makes it stale: its entries have to be
 * recomputed. The mark is made in the transaction that adds the activity and carries its number, so
 * whoever recomputes a position takes only the mark it saw, and a crash anywhere leaves it for the next.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { NumberedActivityEvent } from "../markets/domain/activity.ts"
import type { MarketFacts, MarketId } from "../markets/domain/market.ts"
import { type OpenEntry, type StoredEntry } from "./domain/storedEntry.ts"

/** A position with activity that came in since its entries were made. */
export interface StalePosition {
  readonly wallet: string
  readonly market: MarketFacts
  /** Which change of its activity this is. */
  readonly version: number
  readonly activity: ReadonlyArray<NumberedActivityEvent>
  readonly entries: ReadonlyArray<StoredEntry>
}

/** A position with an entry that waits to be published in the feed. */
export interface DuePosition extends Omit<StalePosition, "activity"> {
  readonly boughtBoth: boolean
}

export interface ComputedPosition {
  readonly wallet: string
  readonly marketId: MarketId
  readonly version: number
  readonly entries: ReadonlyArray<StoredEntry>
  readonly boughtBoth: boolean
  /** Whether one of the entries waits to be published in the feed. */
  readonly due: boolean
}

export class EntryStore extends Context.Service<EntryStore, {
  /** Stale positions whose market's facts are known, newest activity first: the past can wait. */
  readonly stale: (limit: number) => Effect.Effect<ReadonlyArray<StalePosition>>
  /**
   * Saves the entries of positions, and takes their mark unless their activity changed meanwhile. A
   * position in a market that ended, or that is counted, becomes uncounted when its entries changed.
   * Passed over is what was made of less activity than what is stored, or in a market of unknown facts.
   */
  readonly saveEntries: (positions: ReadonlyArray<ComputedPosition>) => Effect.Effect<void>
  /** Positions with an entry that waits to be published, as they stand now. */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<DuePosition>>
  /**
   * Entries in one market, the largest stake first, at most `limit`: none once it has ended, no hedges,
   * and none of a wallet whose past is still being read.
   */
  readonly entriesIn: (
    marketId: MarketId,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<OpenEntry>>
}>()("bellwether/whales/EntryStore") {}
