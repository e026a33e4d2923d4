/**
 * The feed as its readers see it: its newest index, its freshness, its items and their chain of hashes.
 *
 * Paid reads fail once the data they rest on is too old (`core/domain/freshness.ts`). Free
 * reads return the status `stale`, or `starting` while a new service waits for its first good tick.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Option, Record } from "effect"
import {
  type FeedAsOf,
  type FeedItem,
  type FeedStatus,
  type FeedType,
  SignalNotFound,
} from "./domain/item.ts"
import { type ChainHead, type ChainProof, dailyHeadsMax, headStatement } from "./domain/chain.ts"
import { type MoverItem, type PulseMover, strongestMoves } from "./domain/pulse.ts"
import {
  type DataStale,
  dataStale,
  type Input,
  inputs,
  isTooOld,
} from "../core/domain/freshness.ts"
import { day, type EpochMs, isoTime } from "../core/domain/time.ts"
import { Freshness } from "../core/Freshness.ts"
import { isTrading, slugKey } from "../markets/domain/market.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { SigningKey } from "../signing/SigningKey.ts"
import { type DailyHead, FeedStore } from "./FeedStore.ts"

/** The feed is stale when the last good tick is older than this many tick intervals. */
const staleAfterTicks = 2
/** The input that the items of each type rest on. */
const inputOf: Readonly<Record<FeedType, Input>> = {
  mover: inputs.feed,
  whale_entry: inputs.whaleEntries,
  predetermined: inputs.predetermined,
}

const pulseMoversMax = 3
/** Markets whose mids are read for the pulse: those of the newest movers. */
const pulseMarketsMax = 100

/** The state of the feed now. */
export interface FeedIndex {
  readonly status: FeedStatus
  readonly index: number
  /** The newest item of the chain of hashes. */
  readonly head: ChainHead
  /** When the newest item was created; in an empty feed `lastTickAt`. */
  readonly lastUpdated: EpochMs | null
  readonly todayByType: Readonly<Record<FeedType, number>>
  /** When the last good tick ended; null before the first. */
  readonly lastTickAt: EpochMs | null
  readonly asOf: FeedAsOf
  /** False when tracked wallets were not read recently enough for whale entries. */
  readonly walletsFresh: boolean
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
  /** The strongest moves of the last 24 hours up to now, at most three, one per market. */
  readonly pulse: Effect.Effect<ReadonlyArray<PulseMover>>
  /** The newest item, and the status of the feed. */
  readonly latest: Effect.Effect<
    { readonly status: FeedStatus; readonly item: FeedItem; readonly asOf: FeedAsOf },
    SignalNotFound | DataStale
  >
  readonly byIndex: (feedIndex: number) => Effect.Effect<FeedItem, SignalNotFound>
  readonly asOf: Effect.Effect<FeedAsOf>
  /**
   * Ascending. With `since`: the first `count` after it. Without: the newest `count`. A query for one
   * type also fails when the data of that type is too old.
   */
  readonly page: (query: FeedPageQuery) => Effect.Effect<ReadonlyArray<FeedItem>, DataStale>
  /**
   * The path from the head of the chain to an item, the newest for null; none for an item that is not
   * in the feed.
   */
  readonly proof: (feedIndex: number | null) => Effect.Effect<Option.Option<ChainProof>>
  /** The newest signed heads of the chain, newest first, at most `dailyHeadsMax`. */
  readonly dailyHeads: Effect.Effect<ReadonlyArray<DailyHead>>
  /** Signs the head of yesterday, unless that was done. */
  readonly signDay: Effect.Effect<void>
}>()("bellwether/feed/Feed") {
  static readonly layer = (options: { readonly tickIntervalMs: number }) =>
    Layer.effect(Feed, make(options.tickIntervalMs))
}

const make = Effect.fnUntraced(function* (tickIntervalMs: number) {
  const store = yield* FeedStore
  const markets = yield* MarketStore
  const freshness = yield* Freshness
  const key = yield* SigningKey
  const lastTick = freshness.asOf(inputs.feed)
  const asOf = asOfTypes(freshness)

  const startedAt = yield* Clock.currentTimeMillis
  const statusAt = (at: EpochMs | null, now: EpochMs): FeedStatus =>
    now - (at ?? startedAt) > staleAfterTicks * tickIntervalMs
      ? "stale"
      : at === null
      ? "starting"
      : "live"

  const index = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // All at once: a busy embedded store answers one statement at a time.
    const reads = [store.head(now - now % day), asOf] as const
    const [head, readAt] = yield* Effect.all(reads, { concurrency: 2 })
    const lastTickAt = epochMsOrNull(readAt.mover)
    const age = { now, tickIntervalMs }
    return {
      status: statusAt(lastTickAt, now),
      ...{ index: head.index, head: head.chain },
      lastUpdated: head.lastItemAt ?? lastTickAt,
      todayByType: head.todayByType,
      lastTickAt,
      asOf: readAt,
      walletsFresh: !isTooOld(inputs.whaleEntries, epochMsOrNull(readAt.whale_entry), age),
    }
  })

  const pulse = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const movers = yield* store.moversSince(now - day)
    const mids = yield* midsOf(markets, movers, (yield* lastTick) ?? now, tickIntervalMs)
    return strongestMoves(movers, mids, pulseMoversMax)
  })

  // A feed that never had an item or a tick passes: its reads sell nothing.
  const sellableStatus = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const at = yield* lastTick
    if (isTooOld(inputs.feed, at, { now, tickIntervalMs })) {
      const empty = at === null && (yield* store.head(now)).index === 0
      if (!empty) return yield* dataStale(inputs.feed, at, tickIntervalMs)
    }
    return statusAt(at, now)
  })

  const latest = Effect.gen(function* () {
    const status = yield* sellableStatus
    const item = yield* orNotFound(null, yield* newest(store))
    return { status, item, asOf: yield* asOf }
  })

  // An item says when it was published, so it does not become old while ticks are late.
  const byIndex = (feedIndex: number) =>
    Effect.flatMap(store.byIndex(feedIndex), (item) => orNotFound(feedIndex, item))

  const page = Effect.fnUntraced(function* (query: FeedPageQuery) {
    yield* sellableStatus
    if (query.type !== null && query.type !== "mover") yield* freshness.fresh(inputOf[query.type])
    return yield* store.page(query)
  })

  return Feed.of({ index, pulse, latest, byIndex, page, asOf, ...chainOf(store, key) })
})

const chainOf = (store: FeedStore["Service"], { sign }: SigningKey["Service"]) => ({
  proof: store.proof,
  dailyHeads: store.dailyHeads(dailyHeadsMax),
  signDay: Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const yesterday = now - now % day - day
    yield* store.addDailyHead(yesterday, (head) => sign(headStatement(isoTime(yesterday), head)))
  }).pipe(Effect.withSpan("Feed.signDay")),
})

/** The mids of the traded markets of these movers, by `slugKey`, as the last good tick read them. */
const midsOf = Effect.fnUntraced(function* (
  markets: MarketStore["Service"],
  movers: ReadonlyArray<MoverItem>,
  lastTickAt: EpochMs,
  tickIntervalMs: number,
) {
  const slugs = [...new Set(movers.map(({ data }) => slugKey(data.market.slug)))]
  const stored = yield* Effect.forEach(
    slugs.slice(0, pulseMarketsMax),
    (slug) => Effect.map(markets.bySlug(slug), Option.map((market) => ({ slug, market }))),
  )
  const traded = stored.flatMap(Option.toArray).filter(({ market }) => isTrading(market))
  const points = yield* markets.lastMids(traded.map(({ market }) => market.id), {
    notBefore: lastTickAt - staleAfterTicks * tickIntervalMs,
    atOrBefore: lastTickAt,
  })
  return new Map(traded.flatMap(({ slug, market }) => {
    const point = points.get(market.id)
    return point === undefined ? [] : [[slug, point.mid] as const]
  }))
})

const newest = ({ page }: FeedStore["Service"]) =>
  Effect.map(page({ since: null, count: 1, type: null }), ([item]) => Option.fromUndefinedOr(item))

const orNotFound = (index: number | null, item: Option.Option<FeedItem>) =>
  Option.match(item, {
    onNone: () => Effect.fail(new SignalNotFound({ index })),
    onSome: (item) => Effect.succeed(item),
  })

const epochMsOrNull = (at: string | null): EpochMs | null => at === null ? null : Date.parse(at)

/** When the part of each type was last read in full. */
const asOfTypes = ({ asOf }: Freshness["Service"]): Effect.Effect<FeedAsOf> =>
  Effect.map(
    Effect.all(Record.map(inputOf, asOf), { concurrency: "unbounded" }),
    Record.map((at) => at === null ? null : isoTime(at)),
  )
