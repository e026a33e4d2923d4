/**
 * The feed as its readers see it: where it stands, how fresh it is, and its items.
 *
 * What is sold is refused once the last good tick is too old; what is free says `stale` instead.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import type { FeedItem, FeedType } from "../domain/feed.ts"
import { type PulseMover, strongestMoves } from "../domain/pulse.ts"
import { day, type EpochMs } from "../domain/time.ts"
import { FeedStore } from "./FeedStore.ts"
import { JobSlots } from "./JobSlots.ts"

/** The feed is called stale when the last good tick is older than this many cadences. */
export const staleAfterCadences = 2
/** Nothing is sold from the feed when the last good tick is older than this many cadences. */
export const unsoldAfterCadences = 6
/** The job whose slots are ticks. */
export const tickJob = "tick"

const pulseMovers = 3

/** There is no such item: it never was, it is no longer kept, or nothing was ever emitted. */
export class SignalNotFound extends Schema.TaggedError<SignalNotFound>()("SignalNotFound", {
  /** Null when the newest item was asked for. */
  feedIndex: Schema.NullOr(Schema.Int),
}) {}

/** The last good tick is too old for its data to be sold. */
export class DataStale extends Schema.TaggedError<DataStale>()("DataStale", {
  ageMs: Schema.Int,
}) {}

export type FeedStatus = "live" | "stale"

/** Where the feed stands now. */
export interface FeedIndex {
  readonly status: FeedStatus
  readonly index: number
  /** When the newest item was made; for an empty feed the last good tick, or null before it. */
  readonly lastUpdated: EpochMs | null
  readonly todayByType: Readonly<Record<FeedType, number>>
  /** When the last good tick ended; null before the first. */
  readonly lastTickAt: EpochMs | null
}

export interface FeedPageQuery {
  /** Items after this index; null for the newest. */
  readonly since: number | null
  /** 1..20. */
  readonly count: number
  readonly type: FeedType | null
}

export class Feed extends Context.Service<Feed, {
  /** Never refused: an old feed says so by its `status`. */
  readonly index: Effect.Effect<FeedIndex>
  /** The strongest moves of the last 24 hours, at most three, one a market. */
  readonly pulse: Effect.Effect<ReadonlyArray<PulseMover>>
  readonly latest: Effect.Effect<FeedItem, SignalNotFound | DataStale>
  readonly byIndex: (feedIndex: number) => Effect.Effect<FeedItem, SignalNotFound | DataStale>
  /** Ascending. With `since`: the first `count` after it. Without: the newest `count`. */
  readonly page: (query: FeedPageQuery) => Effect.Effect<ReadonlyArray<FeedItem>, DataStale>
}>()("bellwether/services/Feed") {
  /** `cadenceMs` is the time between two ticks. */
  static readonly layer = (options: { readonly cadenceMs: number }) =>
    Layer.effect(
      Feed,
      Effect.gen(function* () {
        const store = yield* FeedStore
        const slots = yield* JobSlots
        const lastTick = Effect.map(slots.lastOk(tickJob), Option.getOrNull)

        const index = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const head = yield* store.head(now - now % day)
          const lastTickAt = yield* lastTick
          const status: FeedStatus =
            isOlder(lastTickAt, now, staleAfterCadences * options.cadenceMs)
              ? "stale"
              : "live"
          return {
            status,
            index: head.index,
            lastUpdated: head.lastItemAt ?? lastTickAt,
            todayByType: head.todayByType,
            lastTickAt,
          }
        })

        const pulse = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          return strongestMoves(yield* store.moversSince(now - day), pulseMovers)
        })

        // Without a remembered tick the newest item dates the feed; an empty feed says so itself.
        const fresh = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const at = (yield* lastTick) ?? (yield* store.head(now)).lastItemAt
          if (at !== null && isOlder(at, now, unsoldAfterCadences * options.cadenceMs)) {
            return yield* new DataStale({ ageMs: Math.round(now - at) })
          }
        })

        const orNotFound =
          (feedIndex: number | null) => (found: Effect.Effect<Option.Option<FeedItem>>) =>
            Effect.flatMap(
              found,
              Option.match({
                onNone: () => Effect.fail(new SignalNotFound({ feedIndex })),
                onSome: (item) => Effect.succeed(item),
              }),
            )

        return Feed.of({
          index,
          pulse,
          latest: Effect.andThen(fresh, orNotFound(null)(store.latest)),
          byIndex: (feedIndex) =>
            Effect.andThen(fresh, orNotFound(feedIndex)(store.byIndex(feedIndex))),
          page: (query) => Effect.andThen(fresh, store.page(query)),
        })
      }),
    )
}

/** Whether the last good tick is older than `ageMs`, or there was none. */
function isOlder(at: EpochMs | null, now: EpochMs, ageMs: number): boolean {
  return at === null || now - at > ageMs
}
