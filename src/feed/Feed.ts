/**
 * The feed as its readers see it: where it stands, how fresh it is, and its items.
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

/** The feed is called stale when the last good tick is older than this many cadences. */
const staleAfterCadences = 2
/** Nothing is sold from the feed when the last good tick is older than this many cadences. */
const unsoldAfterCadences = 6
/** The job whose slots are ticks. */
export const tickJob = "tick"

const pulseMovers = 3

/** Where the feed stands now. */
export interface FeedIndex {
  readonly status: FeedStatus
  readonly index: number
  /** When the newest item was made; for an empty feed the last good tick, or null before it. */
  readonly lastUpdated: EpochMs | null
  readonly todayByType: Readonly<Record<FeedType, number>>
  /** When the last good tick ended; null before the first. */
  readonly lastTickAt: EpochMs | null
  /** False when the last good tick is so old that nothing is sold. */
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
  /** Never refused: an old feed says so by its `status`. */
  readonly index: Effect.Effect<FeedIndex>
  /** The strongest moves of the last 24 hours, at most three, one a market. */
  readonly pulse: Effect.Effect<ReadonlyArray<PulseMover>>
  /** The newest item, and how fresh the feed is that it stands in. */
  readonly latest: Effect.Effect<
    { readonly status: FeedStatus; readonly item: FeedItem },
    SignalNotFound | DataStale
  >
  readonly byIndex: (feedIndex: number) => Effect.Effect<FeedItem, SignalNotFound | DataStale>
  /** Ascending. With `since`: the first `count` after it. Without: the newest `count`. */
  readonly page: (query: FeedPageQuery) => Effect.Effect<ReadonlyArray<FeedItem>, DataStale>
}>()("bellwether/feed/Feed") {
  /** `cadenceMs` is the time between two ticks. */
  static readonly layer = (options: { readonly cadenceMs: number }) =>
    Layer.effect(Feed, make(options.cadenceMs))
}

const make = Effect.fnUntraced(function* (cadenceMs: number) {
  const store = yield* FeedStore
  const slots = yield* JobSlots
  const lastTick = Effect.map(slots.lastOk(tickJob), Option.getOrNull)

  const startedAt = yield* Clock.currentTimeMillis

  const statusAt = (at: EpochMs | null, now: EpochMs): FeedStatus =>
    isOlder(at ?? startedAt, now, staleAfterCadences * cadenceMs)
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
        unsoldAfterCadences * cadenceMs,
      ),
    }
  })

  const pulse = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return strongestMoves(yield* store.moversSince(now - day), pulseMovers)
  })

  // Without a remembered tick the newest item dates the feed; an empty feed says so itself.
  const sellable = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const at = (yield* lastTick) ?? (yield* store.head(now)).lastItemAt
    if (at !== null && isOlder(at, now, unsoldAfterCadences * cadenceMs)) {
      return yield* new DataStale({
        retryAfterSeconds: Math.ceil(cadenceMs / second),
      })
    }
    return statusAt(at, now)
  })

  const found = (index: number | null, item: Option.Option<FeedItem>) =>
    Option.match(item, {
      onNone: () => Effect.fail(new SignalNotFound({ index })),
      onSome: (item) => Effect.succeed(item),
    })

  const latest = Effect.gen(function* () {
    const status = yield* sellable
    const item = yield* found(null, yield* store.latest)
    return { status, item }
  })

  const byIndex = Effect.fnUntraced(function* (feedIndex: number) {
    yield* sellable
    return yield* found(feedIndex, yield* store.byIndex(feedIndex))
  })

  const page = (query: FeedPageQuery) => Effect.andThen(sellable, store.page(query))

  return Feed.of({ index, pulse, latest, byIndex, page })
})

/** Whether the last good tick is older than `ageMs`, or there was none. */
function isOlder(at: EpochMs | null, now: EpochMs, ageMs: number): boolean {
  return at === null || now - at > ageMs
}
