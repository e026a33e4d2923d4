/**
 * The feed as its readers see it: its newest index, its freshness and its items.
 *
 * Paid reads fail once the last good tick is too old. Free reads return the status `stale`, or
 * `starting` while a new service waits for its first good tick.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import {
  DataStale,
  type FeedItem,
  type FeedStatus,
  type FeedType,
  SignalNotFound,
} from "./domain/item.ts"
import { type PulseMover, strongestMoves } from "./domain/pulse.ts"
import { day, type EpochMs, second } from "../core/domain/time.ts"
import { FeedStore } from "./FeedStore.ts"
import { JobSlots } from "../core/JobSlots.ts"

/** The feed is stale when the last good tick is older than this many tick intervals. */
const staleAfterTicks = 2
/** Paid reads are refused when the last good tick is older than this many tick intervals. */
const unsellableAfterTicks = 6
/** The name of the job that runs the ticks. */
export const tickJob = "tick"

const pulseMoversMax = 3

/** The state of the feed now. */
export interface FeedIndex {
  readonly status: FeedStatus
  readonly index: number
  /** When the newest item was created; in an empty feed `lastTickAt`. */
  readonly lastUpdated: EpochMs | null
  readonly todayByType: Readonly<Record<FeedType, number>>
  /** When the last good tick ended; null before the first. */
  readonly lastTickAt: EpochMs | null
  /** False when the last good tick is too old for paid reads. */
  readonly sellable: boolean
}

interface FeedPageQuery {
  /** Items after this index; null for the newest. */
  readonly since: number | null
  /** 1..20. */
  readonly count: number
  readonly type: FeedType | null
}

export class Feed extends Context.Service<Feed, {
  /** Never refused: an old feed has the status `stale`. */
  readonly index: Effect.Effect<FeedIndex>
  /** The strongest moves of the last 24 hours, at most three, one per market. */
  readonly pulse: Effect.Effect<ReadonlyArray<PulseMover>>
  /** The newest item, and the status of the feed. */
  readonly latest: Effect.Effect<
    { readonly status: FeedStatus; readonly item: FeedItem },
    SignalNotFound | DataStale
  >
  readonly byIndex: (feedIndex: number) => Effect.Effect<FeedItem, SignalNotFound | DataStale>
  /** Ascending. With `since`: the first `count` after it. Without: the newest `count`. */
  readonly page: (query: FeedPageQuery) => Effect.Effect<ReadonlyArray<FeedItem>, DataStale>
}>()("bellwether/feed/Feed") {
  static readonly layer = (options: { readonly tickIntervalMs: number }) =>
    Layer.effect(Feed, make(options.tickIntervalMs))
}

const make = Effect.fnUntraced(function* (tickIntervalMs: number) {
  const store = yield* FeedStore
  const slots = yield* JobSlots
  const lastTick = Effect.map(slots.lastOk(tickJob), Option.getOrNull)

  const startedAt = yield* Clock.currentTimeMillis
  const statusAt = (at: EpochMs | null, now: EpochMs): FeedStatus =>
    isOlder(at ?? startedAt, now, staleAfterTicks * tickIntervalMs)
      ? "stale"
      : at === null
      ? "starting"
      : "live"

  const index = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const head = yield* store.head(now - now % day)
    const lastTickAt = yield* lastTick
    return {
      status: statusAt(lastTickAt, now),
      index: head.index,
      lastUpdated: head.lastItemAt ?? lastTickAt,
      todayByType: head.todayByType,
      lastTickAt,
      sellable: !isOlder(
        lastTickAt ?? head.lastItemAt,
        now,
        unsellableAfterTicks * tickIntervalMs,
      ),
    }
  })

  const pulse = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return strongestMoves(yield* store.moversSince(now - day), pulseMoversMax)
  })

  // Without a known tick the newest item's age counts. An empty feed passes: its reads fail anyway.
  const sellableStatus = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const at = (yield* lastTick) ?? (yield* store.head(now)).lastItemAt
    if (at !== null && isOlder(at, now, unsellableAfterTicks * tickIntervalMs)) {
      return yield* new DataStale({
        retryAfterSeconds: Math.ceil(tickIntervalMs / second),
      })
    }
    return statusAt(at, now)
  })

  const orNotFound = (index: number | null, item: Option.Option<FeedItem>) =>
    Option.match(item, {
      onNone: () => Effect.fail(new SignalNotFound({ index })),
      onSome: (item) => Effect.succeed(item),
    })

  const latest = Effect.gen(function* () {
    const status = yield* sellableStatus
    const item = yield* orNotFound(null, yield* store.latest)
    return { status, item }
  })

  const byIndex = Effect.fnUntraced(function* (feedIndex: number) {
    yield* sellableStatus
    return yield* orNotFound(feedIndex, yield* store.byIndex(feedIndex))
  })

  const page = (query: FeedPageQuery) => Effect.andThen(sellableStatus, store.page(query))

  return Feed.of({ index, pulse, latest, byIndex, page })
})

/** Also true when `at` is null. */
function isOlder(at: EpochMs | null, now: EpochMs, ageMs: number): boolean {
  return at === null || now - at > ageMs
}
