/**
 * Digests of a simulated venue: its real jobs read a day, then a window of four hours, and each digest
 * makes the eight points.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Clock, Duration, Effect, Layer, Option, References } from "effect"
import { TestClock } from "effect/testing"
import { hour, minute } from "../../src/core/domain/time.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"
import { digestPage } from "../../src/digest/domain/page.ts"
import { digestOf } from "../../src/digest/domain/text.ts"
import { reportPage } from "../../src/research/domain/page.ts"
import * as research from "../../src/research/reading.ts"
import type { Fact } from "../../src/writing/domain/facts.ts"
import { readMaterial } from "../../src/digest/reading.ts"
import { FeedStore } from "../../src/feed/FeedStore.ts"
import * as feedStore from "../../src/feed/postgres/feedStore.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import * as marketStore from "../../src/markets/postgres/marketStore.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { Ingestion } from "../../src/movers/Ingestion.ts"
import { News } from "../../src/news/News.ts"
import { NewsReader } from "../../src/news/NewsReader.ts"
import * as newsStore from "../../src/news/postgres/newsStore.ts"
import * as jobStore from "../../src/postgres/jobSlots.ts"
import * as simulatedNews from "../../src/venues/simulated/news.ts"
import { devWorld, layer as venueLayer } from "../../src/venues/simulated/venue.ts"
import { sampleScorecard } from "../support/catalog/samples.ts"
import { EntryStore } from "../../src/whales/EntryStore.ts"
import { WalletStore } from "../../src/whales/WalletStore.ts"
import { WhaleMarketStore } from "../../src/whales/WhaleMarketStore.ts"
import { wordCount } from "../../src/writing/domain/page.ts"
import { eightPoints } from "../support/digest/eightPoints.ts"
import { test } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import { embeddedStore } from "../support/stores.ts"
import { postgresWhales } from "../support/whales/whaleStores.ts"

const start = Date.UTC(2026, 10, 28, 19, 50)
const tick = Duration.minutes(10)

const jobsOf = (seed: number) => {
  const world = devWorld(seed)
  return Ingestion.layer({ tick }).pipe(
    Layer.provideMerge(News.layer),
    Layer.provide(NewsReader.layerNone),
    Layer.provide(simulatedNews.layer(world)),
    Layer.provideMerge(venueLayer(world)),
    Layer.provideMerge(Layer.mergeAll(
      ...[feedStore.layer, marketStore.layer, newsStore.layer, postgresWhales, jobStore.layer],
    )),
    Layer.provide(embeddedStore),
  )
}

/** The digest of the window since `last`, after the jobs ran at each of these times. */
const digestAfter = Effect.fnUntraced(function* (
  last: Parameters<typeof readMaterial>[1],
  times: ReadonlyArray<number>,
) {
  for (const at of times) {
    yield* TestClock.setTime(at)
    yield* (yield* News).update(at)
    yield* (yield* Ingestion).tick(at)
  }
  const lastOk = () => Effect.map(Clock.currentTimeMillis, Option.some)
  const ports = {
    feed: yield* FeedStore,
    markets: yield* MarketStore,
    venue: yield* VenueClient,
    whales: yield* EntryStore,
    trackRecord: { scorecard: Effect.succeed(sampleScorecard(start)) },
    wallets: yield* WalletStore,
    whaleMarkets: yield* WhaleMarketStore,
    news: yield* News,
    slots: { ...(yield* JobSlots), lastOk },
  }
  const until = yield* Clock.currentTimeMillis
  const { feedIndex, material } = yield* readMaterial(ports, last, until)
  const page = digestPage(material)
  const metadata = { slot: until, createdAt: until, narrator: "template", venue: "Venue" }
  const digest = digestOf(page, [], { ...metadata, methodUrl: null })
  const words = wordCount(digest.fullAnalysis)
  const freshness = { fresh: () => Effect.succeed(until), asOf: () => Effect.succeed(until) }
  let compared = 0
  for (const { market } of material.markets) {
    const stated = page.facts.find(isMoveOf(market.slug))
    if (stated === undefined) continue
    const required = research.readRequired(ports, market)
    const report = reportPage(
      yield* research.readMaterial({ ...ports, freshness }, market, required),
    )
    const own = report.facts.find(isMoveOf(market.slug))
    // The price now is that of the moment of each reading, and a title names its market.
    const [one, other] = [own, stated].map((it) =>
      it?.statement.replace(/; now .*$/, ".").replace(/ in “[^”]*”(?: \([^)]*\))?/, "")
    )
    equal(one, other)
    compared++
  }
  return { end: { until, feedIndex, digest }, compared, material, page, words }
})

const isMoveOf = (slug: string) => ({ kind, subject, values }: Fact) =>
  kind === "price" && subject === slug && values["change"] !== undefined

for (const seed of sized({ short: [1], full: [1, 2, 3, 4, 5, 6] })) {
  test(`digests of the simulated venue make the eight points (seed ${seed})`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const jobs = yield* Layer.build(Layer.fresh(jobsOf(seed)))
      const run = (...given: Parameters<typeof digestAfter>) =>
        Effect.provide(digestAfter(...given), jobs)
      const day = yield* run(null, [start, start + 10 * minute])
      const next = start + 4 * hour
      const window = yield* run(day.end, [next - 20 * minute, next - 10 * minute, next])
      for (const { material, page, words } of [day, window]) {
        equal(eightPoints(material, page), [])
        equal(material.coverage.missing, [])
        ok(words <= 800, `${words} words`)
      }
      ok(seed !== 1 || day.compared > 0, "moves of a digest that a report states too")
      ok(day.words >= 400 && day.material.moves.length > 3, `${day.words} words`)
      const { from } = window.material
      ok(window.material.moves.every(({ step }) => step === null || step.to > from))
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
}
