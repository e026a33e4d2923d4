/**
 * From an item through its publication to its score: over simulated days the scores of movers, of
 * predetermined outcomes and of whale entries equal a recount from the feed, the series, the books and
 * the final resolutions, without the service's code.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Context, Duration, Effect, Layer, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../../src/feed/postgres/feedStore.ts"
import * as marketStore from "../../src/markets/postgres/marketStore.ts"
import * as scoreStore from "../../src/track-record/postgres/scoreStore.ts"
import * as whaleMarketStore from "../../src/whales/postgres/whaleMarketStore.ts"
import * as simulated from "../../src/venues/simulated/venue.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import type { FeedItem } from "../../src/feed/domain/item.ts"
import { microstructure } from "../../src/markets/domain/book.ts"
import type { Market } from "../../src/markets/domain/market.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import { averagePriceOf } from "../../src/markets/domain/tradeCosts.ts"
import type { MoveTotals } from "../../src/track-record/domain/moverDrift.ts"
import { day, hour, minute } from "../../src/core/domain/time.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import { Ingestion } from "../../src/movers/Ingestion.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { News } from "../../src/news/News.ts"
import { NewsReader } from "../../src/news/NewsReader.ts"
import { Predetermined } from "../../src/predetermined/Predetermined.ts"
import { ScoreStore } from "../../src/track-record/ScoreStore.ts"
import { Resolving } from "../../src/markets/Resolving.ts"
import * as contestedRecord from "../../src/track-record/contestedRecord.ts"
import { SelfScore } from "../../src/track-record/SelfScore.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { test } from "../support/effect.ts"
import { type JudgedMove, totalsOfMoves } from "../support/track-record/moveTotals.ts"
import { newWhaleItem } from "../support/track-record/whaleItems.ts"
import { embeddedStore } from "../support/stores.ts"

/** Short-lived markets, so that many end; late prices and wrong proposals are frequent. */
const world = makeWorld({
  ...{ seed: 13, markets: 90, lifeDays: [3, 6], jumpsPerMarketDay: 3, laggardShare: 1 },
  ...{ wrongProposalShare: 0.3, wrongContestedShare: 0.5 },
})
const start = Math.ceil(world.options.origin / day) * day
const tick = Duration.minutes(30)
const slots = Array.from({ length: 120 }, (_, n) => start + n * 30 * minute)
const noNews = Layer.mock(News, {
  storiesAbout: (markets) =>
    Effect.succeed({ stories: markets.map(() => []), coverage: { sources: 0, answered: 0 } }),
})

const ports = Layer.mergeAll(
  Layer.mergeAll(
    feedStore.layer,
    marketStore.layer,
    whaleMarketStore.layer,
    Layer.provideMerge(contestedRecord.layer, scoreStore.layer),
  ).pipe(Layer.provide(embeddedStore)),
  simulated.layer(world),
  NewsReader.layerNone,
  noNews,
)
type Ports = Context.Context<Layer.Success<typeof ports>>

const bookAt = (market: Market, outcome: 0 | 1, at: number) => {
  const book = world.book(market.tokenIds[outcome], at)
  return book !== undefined && Result.isSuccess(microstructure(book)) ? book : null
}

/** An entry in each market that moved in the last tick, by one of three labels, on either side. */
const publishEntries = Effect.fnUntraced(function* (context: Ports, slot: number) {
  const { page, append } = Context.get(context, FeedStore)
  const movers = (yield* page({ since: 0, count: 1_000, type: "mover" }))
    .filter(({ createdAt }) => Date.parse(createdAt) > slot - 30 * minute)
  yield* append(
    yield* Effect.forEach(
      movers,
      ({ data, feedIndex }) =>
        Effect.map(marketOf(context, data.market.slug), (market) => {
          const outcome = feedIndex % 2 === 0 ? 0 : 1
          const book = bookAt(market, 0, slot)
          const read = book && Result.getOrThrow(microstructure(book))
          return newWhaleItem({
            ...{ market, outcome, createdAt: slot, entryPrice: 0.4, wallet: `0x${feedIndex}` },
            label: (["follow", "fade", "neutral"] as const)[feedIndex % 3] ?? null,
            book: read && { bid: read.bestBid, ask: read.bestAsk },
          })
        }),
    ),
  )
})

const marketOf = (context: Ports, slug: FeedItem["data"]["market"]["slug"]) =>
  Effect.map(Context.get(context, MarketStore).bySlug(slug), Option.getOrThrow)

/** Runs all ticks, with new service instances at every tick: nothing stays in memory. */
const simulate = Effect.gen(function* () {
  yield* TestClock.setTime(start - 1)
  // On the live clock: the store's periodic work must not run for every simulated day.
  const context = yield* TestClock.withLive(Layer.build(ports))
  const score = Effect.fnUntraced(function* (
    at: number,
    run: (of: SelfScore["Service"]) => Effect.Effect<{ readonly failed: ReadonlyArray<string> }>,
  ) {
    yield* TestClock.setTime(at)
    const one = Effect.flatMap(SelfScore, run).pipe(
      Effect.provide(Layer.fresh(SelfScore.layer.pipe(Layer.provide(Resolving.layer)))),
      Effect.provide(context),
    )
    // Two replicas at the same time.
    const reports = yield* Effect.all([one, one], { concurrency: 2 })
    equal(reports.flatMap(({ failed }) => failed), [])
  })
  for (const slot of slots) {
    yield* TestClock.setTime(slot)
    const services = Layer.merge(Ingestion.layer({ tick }), Predetermined.layer({ tick }))
    yield* Effect.gen(function* () {
      equal((yield* (yield* Ingestion).tick(slot)).failed, [])
      equal((yield* (yield* Predetermined).tick(slot)).failed, [])
    }).pipe(Effect.provide(Layer.fresh(services)), Effect.provide(context))
    if (slot <= start + 58 * hour) yield* publishEntries(context, slot)
    yield* score(slot, ({ tick }) => tick(slot))
    for (const at of [slot, slot + minute]) yield* score(at, ({ readBooks }) => readBooks(at))
  }
  // Until the final resolution of every market was requested.
  for (let days = 1; days <= 10; days++) {
    const at = start + 60 * hour + days * day
    yield* score(at, ({ tick }) => tick(at))
  }
  return context
})

/** The price of the first outcome: the last one before `at`, or the first of the next half hour. */
const priceAt = Effect.fnUntraced(function* (context: Ports, market: Market, at: number) {
  const resolution = yield* resolutionOf(context, market)
  const range = { from: at - 30 * minute, to: at + 30 * minute }
  const points = yield* Context.get(context, MarketStore).series(market.id, range)
  const paid = resolution?.state === "paid" && resolution.resolvedAt !== null
    ? [{ at: resolution.resolvedAt, mid: resolution.payouts[0] }]
    : []
  const next = [...points, ...paid].filter((point) => at < point.at && point.at <= range.to)
  return (paid.find((point) => point.at <= at) ?? points.findLast((point) => point.at <= at) ??
    next.toSorted((a, b) => a.at - b.at)[0])?.mid
})

const resolutionOf = (context: Ports, { id }: Market) =>
  Effect.map(
    Effect.orDie(Context.get(context, VenueClient).resolutions([id])),
    ({ rows }): Resolution | undefined => rows[0],
  )

interface Recounted {
  readonly kind: string
  readonly verdict: string
  readonly moves: ReadonlyArray<JudgedMove>
}

type Mover = Extract<FeedItem, { type: "mover" }>
const horizons = [["1h", hour], ["6h", 6 * hour], ["24h", day]] as const

const recountMover = Effect.fnUntraced(function* (context: Ports, { data, createdAt }: Mover) {
  const { priceStart, priceNow, phase } = data
  const market = yield* marketOf(context, data.market.slug)
  const publishedAt = Date.parse(createdAt)
  return yield* Effect.forEach(
    horizons,
    ([horizon, after]) =>
      Effect.map(priceAt(context, market, publishedAt + after), (price) => {
        const half = (priceStart + priceNow) / 2
        const isUp = priceNow > priceStart
        const steps = (price: number) => Math.round(price * 20_000)
        const drift = (isUp ? 1 : -1) * steps((price ?? 0) - priceNow) || 0
        const margin = 2 * drift + Math.abs(steps(priceNow - priceStart))
        const kept = isUp ? (price ?? 0) > half - 1e-9 : (price ?? 0) < half + 1e-9
        const { eventKey } = market
        const move: JudgedMove = { horizon, publishedAt, drift, margin, eventKey, phase }
        return price === undefined
          ? { kind: `mover_${horizon}`, verdict: "unknown", moves: [] }
          : { kind: `mover_${horizon}`, verdict: kept ? "persisted" : "reverted", moves: [move] }
      }),
  )
})

const recountOutcome = Effect.fnUntraced(
  function* (context: Ports, { data }: Extract<FeedItem, { type: "predetermined" }>) {
    const resolution = yield* resolutionOf(context, yield* marketOf(context, data.market.slug))
    const paid = resolution?.state === "paid"
      ? resolution.payouts[data.market.outcomes?.indexOf(data.outcome) ?? -1]
      : undefined
    const verdict = resolution === undefined || resolution.state === "cancelled"
      ? resolution?.state ?? "open"
      : paid === 1
      ? "correct"
      : paid === 0
      ? "wrong"
      : "uneven"
    const kind = data.kind === "proposal" ? "contested" : "predetermined"
    return { kind, verdict, moves: [] }
  },
)

const micro = (price: number | null) => price === null ? null : Math.round(price * 1e6)

const recountEntry = Effect.fnUntraced(
  function* (context: Ports, item: Extract<FeedItem, { type: "whale_entry" }>) {
    const { data, createdAt, feedIndex } = item
    const market = yield* marketOf(context, data.market.slug)
    const book = data.microstructure
    const bought = market.outcomes.indexOf(data.outcome) === 0 ? 0 : 1
    const resolution = yield* resolutionOf(context, market)
    const first = yield* priceAt(context, market, Date.parse(createdAt) + day)
    return {
      feedIndex,
      label: data.calibration?.label,
      entryPrice: data.entryPrice,
      feeRate: market.takerFeeRate ?? 0,
      asks: book && [micro(book.bestAsk), micro(1 - book.bestBid)],
      result: resolution?.state ?? null,
      payout: resolution?.state === "paid" ? resolution.payouts[bought] : null,
      later: first === undefined ? "unknown" : micro(bought === 0 ? first : 1 - first),
      readings: [1, 60].flatMap((delayMinutes) => {
        const at = Date.parse(createdAt) + delayMinutes * minute
        const books = [bookAt(market, bought, at), bookAt(market, bought === 0 ? 1 : 0, at)]
        const prices = books.flatMap((book) => book ? micro(averagePriceOf(book.asks, 100)) : [])
        return prices.length < 2 ? [] : [{ delayMinutes, prices }]
      }),
    }
  },
)

test("the scores equal a recount after all final resolutions", () =>
  Effect.gen(function* () {
    const context = yield* simulate
    const items = yield* Context.get(context, FeedStore).page({
      ...{ since: 0, count: 1_000, type: null },
    })
    const store = Context.get(context, ScoreStore)
    const entryItems = items.filter((item) => item.type === "whale_entry")
    const recounted: Array<Recounted> = []
    for (const item of items) {
      if (item.type === "mover") recounted.push(...yield* recountMover(context, item))
      if (item.type === "predetermined") recounted.push(yield* recountOutcome(context, item))
    }
    const kinds = ["mover_1h", "mover_6h", "mover_24h", "predetermined", "contested"]
    const counts = kinds.map((kind) => {
      const of = Map.groupBy(recounted.filter((one) => one.kind === kind), (one) => one.verdict)
      return [kind, [...of].map(([verdict, { length }]) => [verdict, length]).toSorted()]
    })
    const { contestedMeanPrice: _, ...stored } = yield* store.counts
    equal(kinds.map((kind) => [kind, Object.entries(Object(stored)[kind]).toSorted()]), counts)
    const byKey = (a: MoveTotals, b: MoveTotals) =>
      `${a.horizon} ${a.phase}` < `${b.horizon} ${b.phase}` ? -1 : 1
    const moves = totalsOfMoves(recounted.flatMap((one) => one.moves))
    equal((yield* store.moveTotals).toSorted(byKey), moves.toSorted(byKey))

    const markets = yield* Effect.forEach(entryItems, ({ data }) =>
      marketOf(context, data.market.slug))
    const resolutions = yield* Effect.forEach(markets, (market) =>
      resolutionOf(context, market))
    yield* Context.get(context, WhaleMarketStore).saveResolutions(
      [...new Map(resolutions.flatMap((one) => one ? [[one.marketId, one] as const] : []))
        .values()],
      ...[[], start + 70 * day] as const,
    )
    const entries = yield* store.entries
    ok(entries.length >= 100 && moves.length === 6, `${entries.length} entries`)
    equal(
      entries.map(({ wallet: _, eventKey: _event, later, readings, asks, ...entry }) => ({
        ...entry,
        asks: asks && asks.map(micro),
        later: typeof later === "number" ? micro(later) : later,
        readings: readings.map((one) => ({ ...one, prices: one.prices.map(micro) })),
      })),
      yield* Effect.forEach(entryItems, (item) => recountEntry(context, item)),
    )
  }))
