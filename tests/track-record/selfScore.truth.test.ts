/**
 * The service's score of itself over simulated days equals an independent recount from the feed, the
 * series and the final resolutions.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as feedStore from "../../src/feed/postgres/feedStore.ts"
import * as marketStore from "../../src/markets/postgres/marketStore.ts"
import * as scoreStore from "../../src/track-record/postgres/scoreStore.ts"
import * as simulated from "../../src/venues/simulated/venue.ts"
import { makeWorld } from "../../src/venues/simulated/world.ts"
import type { FeedItem } from "../../src/feed/domain/item.ts"
import type { Resolution } from "../../src/markets/domain/resolution.ts"
import type { Horizon, MoveTotals } from "../../src/track-record/domain/moverDrift.ts"
import { selfScore } from "../../src/track-record/domain/selfScore.ts"
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
import { test } from "../support/effect.ts"
import { type JudgedMove, totalsOfMoves } from "../support/track-record/moveTotals.ts"
import { embeddedStore } from "../support/stores.ts"

/** Short-lived markets, so that many end; late prices and wrong proposals are frequent. */
const world = makeWorld({
  ...{ seed: 13, markets: 90, lifeDays: [3, 6], jumpsPerMarketDay: 3, laggardShare: 1 },
  ...{ wrongProposalShare: 0.3, wrongContestedShare: 0.5 },
})
const start = Math.ceil(world.options.origin / day) * day
const tickIntervalMs = 30 * minute
const tick = Duration.millis(tickIntervalMs)
/** Ticks of the feed; then the days until the final resolution of every market is requested. */
const ticks = 60 * hour / tickIntervalMs
const daysAfter = 10

const noNews = Layer.mock(News, {
  storiesAbout: (markets) =>
    Effect.succeed({
      stories: markets.map(() => []),
      coverage: { sources: 0, answered: 0 },
    }),
})

const ports = (store: Context.Context<Layer.Success<typeof embeddedStore>>) =>
  Layer.mergeAll(
    Layer.mergeAll(
      feedStore.layer,
      marketStore.layer,
      Layer.provideMerge(contestedRecord.layer, scoreStore.layer),
    ).pipe(Layer.provide(Layer.succeedContext(store))),
    simulated.layer(world),
    NewsReader.layerNone,
    noNews,
  )

/** Runs all ticks, with new service instances at every tick: nothing stays in memory. */
const simulate = Effect.gen(function* () {
  yield* TestClock.setTime(start - 1)
  // On the live clock: the store's periodic work must not run for every simulated day.
  const context = yield* Layer.build(ports(yield* TestClock.withLive(Layer.build(embeddedStore))))
  const score = (slot: number) =>
    Effect.flatMap(SelfScore, ({ tick }) => tick(slot)).pipe(
      Effect.provide(Layer.fresh(SelfScore.layer.pipe(Layer.provide(Resolving.layer)))),
      Effect.provide(context),
    )
  for (let n = 0; n < ticks; n++) {
    const slot = start + n * tickIntervalMs
    yield* TestClock.setTime(slot)
    yield* Effect.gen(function* () {
      equal((yield* (yield* Ingestion).tick(slot)).failed, [])
      equal((yield* (yield* Predetermined).tick(slot)).failed, [])
    }).pipe(
      Effect.provide(
        Layer.fresh(Layer.merge(Ingestion.layer({ tick }), Predetermined.layer({ tick }))),
      ),
      Effect.provide(context),
    )
    // Two replicas at the same time.
    for (const { failed } of yield* Effect.all([score(slot), score(slot)], { concurrency: 2 })) {
      equal(failed, [])
    }
  }
  for (let days = 1; days <= daysAfter; days++) {
    const slot = start + ticks * tickIntervalMs + days * day
    yield* TestClock.setTime(slot)
    equal((yield* score(slot)).failed, [])
  }
  return context
})

type Ports = Effect.Success<typeof simulate>

/** The verdicts of one item by their definition, without the service's code. */
const recount = Effect.fnUntraced(function* (context: Ports, item: FeedItem) {
  const found = yield* Context.get(context, MarketStore).bySlug(item.data.market.slug)
  const { id } = Option.getOrThrow(found)
  const { rows: [resolution] } = yield* Effect.orDie(
    Context.get(context, VenueClient).resolutions([id]),
  )
  if (item.type === "predetermined") {
    const outcome = item.data.market.outcomes?.indexOf(item.data.outcome) ?? -1
    const kind = item.data.kind === "proposal" ? "contested" : "predetermined"
    return [[kind, verdictOf(resolution, outcome)] as const]
  }
  if (item.type !== "mover") return []
  const { priceStart, priceNow } = item.data
  const verdicts: Array<readonly [`mover_${Horizon}`, string, JudgedMove | null]> = []
  for (const [horizon, after] of [["1h", hour], ["6h", 6 * hour], ["24h", day]] as const) {
    const at = Date.parse(item.createdAt) + after
    const points = yield* Context.get(context, MarketStore).series(id, {
      from: at - 30 * minute,
      to: at + 30 * minute,
    })
    const paid = resolution?.state === "paid" && resolution.resolvedAt !== null
      ? [{ at: resolution.resolvedAt, mid: resolution.payouts[0] }]
      : []
    const next = [...points, ...paid].filter((point) =>
      at < point.at && point.at <= at + 30 * minute
    )
    const price = paid.find((point) => point.at <= at) ??
      points.findLast((point) => point.at <= at) ??
      next.toSorted((a, b) => a.at - b.at)[0]
    const half = (priceStart + priceNow) / 2
    const persisted = price !== undefined &&
      (priceNow > priceStart ? price.mid > half - 1e-9 : price.mid < half + 1e-9)
    const verdict = price === undefined ? "unknown" : persisted ? "persisted" : "reverted"
    const steps = (price: number) => Math.round(price * 20_000)
    const direction = priceNow > priceStart ? 1 : -1
    const drift = direction * steps((price?.mid ?? 0) - priceNow)
    verdicts.push([
      `mover_${horizon}`,
      verdict,
      price === undefined ? null : {
        horizon,
        publishedAt: Date.parse(item.createdAt),
        drift: drift === 0 ? 0 : drift,
        margin: 2 * drift + Math.abs(steps(priceNow - priceStart)),
        eventKey: Option.getOrThrow(found).eventKey,
        phase: item.data.phase,
      },
    ])
  }
  return verdicts
})

function verdictOf(resolution: Resolution | undefined, outcome: number): string {
  if (resolution === undefined) return "open"
  if (resolution.state === "cancelled") return "cancelled"
  const paid = resolution.payouts[outcome]
  return paid === 1 ? "correct" : paid === 0 ? "wrong" : "uneven"
}

test("the scores equal a recount after all final resolutions", () =>
  Effect.gen(function* () {
    const context = yield* simulate
    const items = yield* Context.get(context, FeedStore).page({
      since: 0,
      count: 1_000,
      type: null,
    })
    const counts: Record<
      `mover_${Horizon}` | "predetermined" | "contested",
      Record<string, number>
    > = { mover_1h: {}, mover_6h: {}, mover_24h: {}, predetermined: {}, contested: {} }
    const moves: Array<JudgedMove> = []
    for (const item of items) {
      for (const [kind, verdict, move = null] of yield* recount(context, item)) {
        counts[kind][verdict] = (counts[kind][verdict] ?? 0) + 1
        if (move !== null) moves.push(move)
      }
    }
    const totals = yield* Context.get(context, ScoreStore).moveTotals
    const byKey = (a: MoveTotals, b: MoveTotals) =>
      `${a.horizon} ${a.phase}` < `${b.horizon} ${b.phase}` ? -1 : 1
    equal(totals.toSorted(byKey), totalsOfMoves(moves).toSorted(byKey))
    recordsAreEarlier(items)
    const { resolution } = yield* Context.get(context, ScoreStore).forecastTotals
    const { value: resolved, unknown } = resolution
    const open = resolution.difference.n - resolved
    ok(resolved >= 50 && open >= 50, `${resolved} forecasts resolved, ${open} open`)
    ok(unknown < 0.05 * resolved, `${unknown} unknown`)
    const { contestedMeanPrice, ...stored } = yield* Context.get(context, ScoreStore).counts
    ok((contestedMeanPrice ?? 0.5) > 0 && (contestedMeanPrice ?? 0.5) < 1, "a mean of prices")
    const { movers, predetermined } = selfScore(stored)
    equal(sorted(stored), sorted(counts))
    ok(movers.judgedAfter1h >= 20 && movers.judgedAfter24h >= 10, "too few movers were judged")
    ok(predetermined.emitted > 0, "no outcome was published")
    // Without news every item is the venue's word alone, and none says more than that.
    const { evidence, proposal } = predetermined.byKind
    equal([evidence.emitted, proposal.emitted], [0, predetermined.emitted])
  }))

/** A record that an item shows is of proposals published before it. */
function recordsAreEarlier(items: ReadonlyArray<FeedItem>) {
  const contested = items.flatMap(({ type, data }) => type === "predetermined" ? [data] : [])
  for (const [n, { confidence, kind, proposal, statement, marketPrice }] of contested.entries()) {
    strictEqual(kind, "proposal")
    ok(confidence === "medium" && marketPrice >= 0.9)
    ok(statement.includes(" is proposed, undisputed for ") && proposal !== undefined)
    ok((proposal.record?.proposals ?? 0) <= n, `${proposal.record?.proposals} before item ${n}`)
  }
}

const sorted = (counts: Readonly<Record<string, object>>) =>
  Object.fromEntries(
    Object.entries(counts).map(([kind, of]) => [kind, Object.entries(of).toSorted()]),
  )
