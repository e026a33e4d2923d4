/**
 * The port to the stored feed.
 *
 * Items become visible in index order, without gaps, with any number of writers: the appending
 * transaction takes the index from one counter row.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { ChainHead, ChainProof } from "./domain/chain.ts"
import type { FeedHead, FeedHeading, FeedItem, FeedType, NewFeedItem } from "./domain/item.ts"
import type { EpochMs } from "../core/domain/time.ts"

/** Items of one type with an index in `(after, upTo]` that were created at or after `since`. */
export interface FeedRange<Type extends FeedType> {
  readonly type: Type
  readonly after: number
  readonly upTo: number
  readonly since: EpochMs
  readonly limit: number
}

/** The head of the chain at the end of a UTC day. */
export interface DailyHead extends ChainHead {
  readonly day: EpochMs
  readonly madeAt: EpochMs
  readonly jws: string
}

export class FeedStore extends Context.Service<FeedStore, {
  /**
   * Gives each item the next index, in order, in one transaction. An item whose dedupe key is already
   * in the feed is skipped. Returns the new items.
   */
  readonly append: (items: ReadonlyArray<NewFeedItem>) => Effect.Effect<ReadonlyArray<FeedItem>>
  /** The head, counting today's items from `dayStart`. */
  readonly head: (dayStart: EpochMs) => Effect.Effect<FeedHead>
  readonly byIndex: (feedIndex: number) => Effect.Effect<Option.Option<FeedItem>>
  /** Ascending. With `since`: the first `count` after it. Without: the newest `count`. */
  readonly page: (query: {
    readonly since: number | null
    readonly count: number
    readonly type: FeedType | null
  }) => Effect.Effect<ReadonlyArray<FeedItem>>
  /** Movers created at or after `since`, newest first, at most 1,000. */
  readonly moversSince: (
    since: EpochMs,
  ) => Effect.Effect<ReadonlyArray<Extract<FeedItem, { type: "mover" }>>>
  /**
   * The items of a range, newest first, at most `limit`, up to 1,000; `total` counts all of them. The
   * range is by index because an item may become visible later than it was created.
   */
  readonly between: <Type extends FeedType>(
    query: FeedRange<Type>,
  ) => Effect.Effect<{
    readonly items: ReadonlyArray<Extract<FeedItem, { type: Type }>>
    readonly total: number
  }>
  /**
   * What the newest items are about, newest first, at most `count`, up to 1,000: of the markets with
   * this slug without regard to case, or of all for null.
   */
  readonly headings: (query: {
    readonly slug: string | null
    readonly count: number
  }) => Effect.Effect<ReadonlyArray<FeedHeading>>
  /**
   * Deletes the oldest items, up to the first one created at or after `before`, or `pruneStepMs` after
   * the oldest; their indices are never used again, and what the chain needs of them stays. Returns
   * how many.
   */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
  /**
   * The path from the head of the chain to an item, the newest for null; none for an item that is not
   * kept or in the chain.
   */
  readonly proof: (feedIndex: number | null) => Effect.Effect<Option.Option<ChainProof>>
  /**
   * Stores the head of the chain as that of a day (the time of its start), once: the first one stays.
   * `sign` makes its signature.
   */
  readonly addDailyHead: (
    day: EpochMs,
    sign: (head: ChainHead) => string,
  ) => Effect.Effect<void>
  /** The newest daily heads, newest first, at most `limit`. */
  readonly dailyHeads: (limit: number) => Effect.Effect<ReadonlyArray<DailyHead>>
}>()("bellwether/feed/FeedStore") {}
