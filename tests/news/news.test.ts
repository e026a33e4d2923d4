/**
 * The news service: which headlines it keeps, the coverage it reports, and independent sources.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, Layer, References, Schema } from "effect"
import { TestClock } from "effect/testing"
import type { Headline } from "../../src/news/domain/headline.ts"
import { day, hour, minute, second } from "../../src/core/domain/time.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { MarketId } from "../../src/markets/domain/market.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import type { ReadingTask, Verdict } from "../../src/news/domain/reading.ts"
import { News } from "../../src/news/News.ts"
import { NewsReader } from "../../src/news/NewsReader.ts"
import { Model, ModelFailed } from "../../src/writing/Model.ts"
import { permanentFault } from "../../src/core/httpReading.ts"
import { type NewsSource, NewsSources } from "../../src/news/NewsSources.ts"
import { NewsStore } from "../../src/news/NewsStore.ts"
import { test } from "../support/effect.ts"
import { market, now } from "../support/movers/market.ts"
import { memoryNews } from "../support/news/memoryNews.ts"

const headline = (title: string, ago = hour): Headline => ({
  title,
  url: `https://a.example/${title.replaceAll(/\W/g, "-")}`,
  source: "A",
  publishedAt: now - ago,
})
const answering = (name: string, rows: () => ReadonlyArray<Headline>): NewsSource => ({
  name,
  read: () => Effect.sync(() => ({ rows: rows(), rejected: { no_time: 1 } })),
})
const failing: NewsSource = {
  name: "failing",
  read: () => Effect.fail(permanentFault("status 503")),
}
const broken: NewsSource = { name: "broken", read: () => Effect.die("a defect") }
const silent: NewsSource = { name: "silent", read: () => Effect.never }

const markets = [
  market({ question: "Will Imre Nagybanya resign?", liquidityUsd: 9 }),
  market({ question: "Will the lighthouse of Skerryvore be lit?", liquidityUsd: 5 }),
]
const marketStore = Layer.mock(MarketStore, {
  mostLiquid: (limit) => Effect.succeed(markets.slice(0, limit)),
})

const venue = Layer.mock(VenueClient, {
  wallets: null,
  rules: (ids) =>
    Effect.succeed({
      rows: ids.map((marketId) => ({ marketId, text: `Rules of ${marketId}` })),
      rejected: {},
    }),
})

const newsOf = (sources: ReadonlyArray<NewsSource>, reader = NewsReader.layerNone) =>
  News.layer.pipe(
    Layer.provide(Layer.succeed(NewsSources, sources)),
    Layer.provide([marketStore, venue, reader]),
  )

/** The titles of all stored headlines, and the coverage of any search. */
const stored = Effect.flatMap(
  NewsStore,
  (store) => Effect.map(store.since(0, 10), (all) => all.map(({ title }) => title)),
)
const coverageNow = Effect.flatMap(
  News,
  (news) => Effect.map(news.storiesAbout([], 0, 1), ({ coverage }) => coverage),
)

/** Runs `body` with a service over these sources and an empty store. */
const withNews = (
  sources: ReadonlyArray<NewsSource>,
  body: Effect.Effect<void, unknown, News | NewsStore>,
  reader = NewsReader.layerNone,
) =>
  TestClock.setTime(now).pipe(
    Effect.andThen(body),
    Effect.provide(Layer.provideMerge(newsOf(sources, reader), memoryNews)),
    Effect.orDie,
  )

test("update() stores new headlines once when other sources fail, die or time out", () => {
  const rows = [headline("One"), headline("Two"), {
    ...headline("One"),
    url: "https://a.example/1",
  }]
  const sources = [failing, answering("A", () => rows), broken, silent]
  return withNews(
    sources,
    Effect.gen(function* () {
      const news = yield* News
      const fiber = yield* Effect.forkChild(news.update(now))
      yield* TestClock.adjust(10 * minute)
      const report = yield* Fiber.join(fiber)
      equal([report.sources, report.answered, report.headlines], [4, 1, 2])
      equal(report.failed.toSorted(), ["broken", "failing", "silent"])
      equal(report.rejected, { no_time: 1 })
      const coverage = yield* coverageNow
      equal((yield* stored).length, 2)
      equal([coverage.sources, coverage.answered], [4, 1])
    }),
  )
})

test("coverage counts the sources that answered in two hours", () =>
  withNews(
    [answering("A", () => []), answering("B", () => []), failing],
    Effect.gen(function* () {
      const news = yield* News
      const store = yield* NewsStore
      yield* store.saveRead("no longer configured", now, true)
      const coverage = coverageNow
      equal(yield* coverage, { sources: 3, answered: 0 })
      yield* news.update(now)
      equal(yield* coverage, { sources: 3, answered: 2 })
      yield* TestClock.adjust(2 * hour - 1)
      equal(yield* coverage, { sources: 3, answered: 2 })
      yield* TestClock.adjust(5 * minute)
      equal(yield* coverage, { sources: 3, answered: 0 })
    }),
  ))

test("without sources news is off, even when headlines are stored", () =>
  withNews(
    [],
    Effect.gen(function* () {
      const news = yield* News
      yield* Effect.flatMap(NewsStore, (store) => store.add([headline("Old")], now))
      equal(yield* news.storiesAbout([market({ question: "Old" })], 0, 10), {
        ...{ stories: [[]], coverage: { sources: 0, answered: 0 } },
      })
      const { sources, failed, headlines } = yield* news.update(now)
      equal([sources, failed, headlines], [0, [], 0])
    }),
  ))

const resigns = "Will Imre Nagybanya resign by December 31?"

test("storiesAbout() finds new headlines at once on the updating replica, later on others", () => {
  let rows = [headline("Elsewhere it rains")]
  const sources = [answering("A", () => rows)]
  return withNews(
    sources,
    Effect.gen(function* () {
      const news = yield* News
      const store = yield* NewsStore
      const other = yield* Effect.provide(
        News,
        Layer.fresh(newsOf(sources)).pipe(Layer.provide(Layer.succeed(NewsStore, store))),
      )
      const titles = (from: typeof news, since: number) =>
        Effect.map(
          from.storiesAbout([market({ question: resigns })], since, 1),
          ({ stories: [stories = []] }) => stories.map(({ title }) => title),
        )
      yield* news.update(now)
      equal([yield* titles(news, 0), yield* titles(other, 0)], [[], []])
      rows = [
        headline("Nagybanya in May", 2 * hour),
        headline("Imre Nagybanya resigns"),
      ]
      yield* news.update(now)
      equal(yield* titles(news, 0), ["Imre Nagybanya resigns"])
      equal(yield* titles(news, now - minute), [])
      equal(yield* titles(other, 0), [])
      yield* TestClock.adjust(5 * minute)
      equal(yield* titles(other, 0), ["Imre Nagybanya resigns"])
    }),
  )
})

/** A reader with the given verdicts by title; it notes what it was asked. */
const readerOf = (verdicts: Readonly<Record<string, Verdict>>) => {
  const asked: Array<ReadingTask> = []
  const layer = Layer.mock(NewsReader, {
    name: "model",
    read: (task) =>
      Effect.sync(() => {
        asked.push(task)
        return task.stories.map(({ title }) => verdicts[title] ?? "unrelated")
      }),
  })
  return { asked, layer }
}
const about = (decides: boolean): Verdict => ({
  ...{ outcome: "Yes", bears: "for", decides, quote: "Nagybanya" },
})
const story = (title: string, ago: number) => headline(title, ago * minute)

test("a pair is read once, by any replica: decisive stories come first, unrelated ones not at all", () => {
  const sources = [answering("A", () => [
    story("Imre Nagybanya may resign, aide says", 4),
    story("Nagybanya resigns", 3),
    story("Imre Nagybanya opens a school and will not resign from its board", 2),
    story("Imre Nagybanya and those who resign", 1),
  ])]
  const { asked, layer } = readerOf({
    "Imre Nagybanya may resign, aide says": about(false),
    "Nagybanya resigns": about(true),
    "Imre Nagybanya and those who resign": "refused",
  })
  return withNews(
    sources,
    Effect.gen(function* () {
      const news = yield* News
      const store = yield* NewsStore
      yield* news.update(now)
      const rival = market({ id: MarketId.make("m2"), question: "Will Odile Farkas resign?" })
      const search = (from: typeof news) =>
        Effect.map(
          from.storiesAbout([market({ question: resigns }), rival], 0, 9),
          ({ stories }) =>
            stories.map((of) => of.map(({ title, reading }) => [title, reading?.decides])),
        )
      const expected = [[
        ["Nagybanya resigns", true],
        ["Imre Nagybanya may resign, aide says", false],
        ["Imre Nagybanya and those who resign", undefined],
      ], []]
      equal(yield* search(news), expected)
      equal(asked.map(({ stories, rules, siblings }) => [stories.length, rules, siblings.length]), [
        [4, "Rules of m1", 1],
      ])
      const other = yield* Effect.provide(
        News,
        Layer.fresh(newsOf(sources, layer)).pipe(Layer.provide(Layer.succeed(NewsStore, store))),
      )
      equal([yield* search(news), yield* search(other), asked.length], [expected, expected, 1])
    }),
    layer,
  )
})

test("a reader that fails is asked again, and one that never answers is not waited for", () => {
  let answer: Effect.Effect<ReadonlyArray<Verdict | null>, ModelFailed> = Effect.fail(
    new ModelFailed({ reason: "down" }),
  )
  let calls = 0
  const layer = Layer.mock(NewsReader, {
    name: "model",
    read: () =>
      Effect.suspend(() => {
        calls += 1
        return answer
      }),
  })
  return withNews(
    [answering("A", () => [story("Imre Nagybanya resigns", 1)])],
    Effect.gen(function* () {
      const news = yield* News
      yield* news.update(now)
      const markets = Array.from(
        { length: 40 },
        (_, n) => market({ id: MarketId.make(`m${n}`), question: resigns }),
      )
      const readings = Effect.map(
        news.storiesAbout(markets, 0, 9),
        ({ stories }) => stories.filter(([first]) => (first?.reading ?? null) !== null).length,
      )
      equal([yield* readings, calls], [0, 8])
      answer = Effect.succeed([null])
      equal([yield* readings, yield* readings], [0, 0])
      answer = Effect.never
      const waiting = yield* Effect.forkChild(readings)
      yield* TestClock.adjust(10 * second)
      equal(yield* Fiber.join(waiting), 0)
      answer = Effect.succeed([about(true)])
      equal([yield* readings, yield* readings], [8, 16])
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")),
    layer,
  )
})

test("update() gives the sources topics of the most liquid markets", () => {
  const requested: Array<ReadonlyArray<ReadonlyArray<string>>> = []
  const source: NewsSource = {
    name: "A",
    read: (topics) =>
      Effect.sync(() => {
        requested.push(topics)
        return { rows: [], rejected: {} }
      }),
  }
  return withNews(
    [source],
    Effect.gen(function* () {
      yield* Effect.flatMap(News, ({ update }) => update(now))
      equal(requested, [[["Imre", "Nagybanya"], ["Skerryvore", "lighthouse"]]])
    }),
  )
})

test("prune() keeps a week of headlines", () =>
  withNews(
    [answering("A", () => [headline("New"), headline("Old", 7 * day - minute)])],
    Effect.gen(function* () {
      const news = yield* News
      yield* news.update(now)
      yield* news.prune
      equal((yield* stored).length, 2)
      yield* TestClock.adjust(2 * minute)
      yield* news.prune
      equal(yield* stored, ["New"])
    }),
  ))

test("a clause that the model quotes too late is that of the fixed phrases, and serves the next", () => {
  let asked = 0
  const answer = {
    ...{ source: "The harbour log", series: null, deadline: null, comparison: null },
    ...{ rounding: null, revision: null, void: null },
  }
  const model = Layer.succeed(Model, {
    name: "slow",
    generate: ({ shape }) => {
      asked++
      const decoded = Effect.orDie(Schema.decodeUnknownEffect(shape)(answer))
      return Effect.delay(decoded, "20 seconds")
    },
  })
  return Effect.gen(function* () {
    const { clause } = yield* NewsReader
    const source = Effect.map(
      clause("Will it be lit?", "The harbour log decides, as published."),
      ({ source }) => source,
    )
    const first = yield* Effect.forkChild(source)
    yield* TestClock.adjust("12 seconds")
    equal(yield* Fiber.join(first), null)
    yield* TestClock.adjust("8 seconds")
    equal([yield* source, asked], ["The harbour log", 1])
  }).pipe(Effect.provide(NewsReader.layerModel.pipe(Layer.provide(model))))
})
