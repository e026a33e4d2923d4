/**
 * The news service: which headlines it keeps, the coverage it reports, and independent sources.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Headline } from "../../src/news/domain/headline.ts"
import { day, hour, minute } from "../../src/core/domain/time.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { News, type NewsFound } from "../../src/news/News.ts"
import { type NewsSource, NewsSources, NewsUnavailable } from "../../src/news/NewsSources.ts"
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
  read: () => Effect.fail(new NewsUnavailable({ source: "failing", reason: "status 503" })),
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

const newsOf = (sources: ReadonlyArray<NewsSource>) =>
  News.layer.pipe(Layer.provide(Layer.succeed(NewsSources, sources)), Layer.provide(marketStore))

/** Runs `body` with a service over these sources and an empty store. */
const withNews = (
  sources: ReadonlyArray<NewsSource>,
  body: Effect.Effect<void, unknown, News | NewsStore>,
) =>
  TestClock.setTime(now).pipe(
    Effect.andThen(body),
    Effect.provide(Layer.provideMerge(newsOf(sources), memoryNews)),
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
      const { headlines, coverage } = yield* news.recent(now - day, 10)
      equal(headlines.length, 2)
      equal([coverage.sources, coverage.answered], [4, 1])
    }),
  )
})

test("update() skips a story that is published again, at the same address or another", () => {
  let rows = [headline("One")]
  return withNews(
    [answering("A", () => rows)],
    Effect.gen(function* () {
      const news = yield* News
      equal((yield* news.update(now)).headlines, 1)
      equal((yield* news.update(now)).headlines, 0)
      rows = [{ ...headline("ONE"), url: "https://a.example/again" }, headline("Two")]
      equal((yield* news.update(now)).headlines, 1)
      const { headlines } = yield* news.recent(0, 10)
      equal(headlines.map(({ title }) => title).toSorted(), ["One", "Two"])
    }),
  )
})

test("coverage counts the sources that answered in two hours, and has the last answer's time", () =>
  withNews(
    [answering("A", () => []), answering("B", () => []), failing],
    Effect.gen(function* () {
      const news = yield* News
      const store = yield* NewsStore
      yield* store.saveRead("no longer configured", now, true)
      const coverage = Effect.map(news.recent(0, 1), ({ coverage }) => coverage)
      equal(yield* coverage, { sources: 3, answered: 0, lastAt: null })
      yield* news.update(now)
      equal(yield* coverage, { sources: 3, answered: 2, lastAt: now })
      yield* TestClock.adjust(2 * hour - 1)
      equal(yield* coverage, { sources: 3, answered: 2, lastAt: now })
      yield* TestClock.adjust(1)
      equal(yield* coverage, { sources: 3, answered: 0, lastAt: now })
    }),
  ))

test("without sources news is off, even when headlines are stored", () =>
  withNews(
    [],
    Effect.gen(function* () {
      const news = yield* News
      yield* Effect.flatMap(NewsStore, (store) => store.add([headline("Old")], now))
      const off = { headlines: [], coverage: { sources: 0, answered: 0, lastAt: null } }
      equal(yield* news.recent(0, 10), off)
      equal(yield* news.relatedTo(market({ question: "Old" }), 0, 10), off)
      const { sources, failed, headlines } = yield* news.update(now)
      equal([sources, failed, headlines], [0, [], 0])
    }),
  ))

test("relatedTo() finds new headlines at once on the updating replica, later on others", () => {
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
      const subject = market({ question: "Will Imre Nagybanya resign?" })
      const titles = (from: typeof news, since: number) =>
        Effect.map(
          from.relatedTo(subject, since, 1),
          ({ headlines }) => headlines.map(({ title }) => title),
        )
      yield* news.update(now)
      equal([yield* titles(news, 0), yield* titles(other, 0)], [[], []])
      rows = [
        headline("Nagybanya will resign in May", 2 * hour),
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

test("storiesAbout() gives each market its stories, with the first publication and its siblings", () => {
  const event = { eventSlug: "next-keeper" }
  const subjects = [
    market({ question: "Will Imre Nagybanya be the next keeper of Skerryvore in 2027?", ...event }),
    market({ question: "Will Odile Farkas be the next keeper of Skerryvore?", ...event }),
    market({ question: "Will the harbour of Ostrava close?", eventSlug: "harbour" }),
  ]
  const copy = (source: string, ago: number): Headline => ({
    title: "Imre Nagybanya a favourite for next keeper of Skerryvore",
    url: `https://${source.toLowerCase()}.example/1`,
    source,
    publishedAt: now - ago,
  })
  const family = {
    ...headline("Imre Nagybanya once was keeper of Skerryvore in 2019"),
    source: "B",
  }
  const rows = [
    ...[copy("Late", minute), copy("First", 50 * minute), copy("Middle", 20 * minute)],
    family,
  ]
  const layer = News.layer.pipe(
    Layer.provide(Layer.succeed(NewsSources, [answering("A", () => rows)])),
    Layer.provide(Layer.mock(MarketStore, { mostLiquid: () => Effect.succeed(subjects) })),
    Layer.provide(memoryNews),
  )
  return TestClock.setTime(now).pipe(
    Effect.andThen(Effect.gen(function* () {
      const news = yield* News
      yield* news.update(now)
      const { stories, coverage } = yield* news.storiesAbout(subjects, now - hour, 5)
      equal(
        stories.map((found) => found.map(({ strength, source }) => [strength, source])),
        [[["direct", "First"], ["family", "B"]], [["sibling", "B"], ["sibling", "First"]], []],
      )
      equal(stories[0]?.[0]?.outlets.map(({ source }) => source), ["First", "Middle", "Late"])
      equal(coverage.answered, 1)
      const [subject] = subjects
      ok(subject !== undefined)
      // The first publication is never lost to the limit, nor to `since` while a later one is in it.
      for (const since of [now - hour, now - 30 * minute, now - 2 * minute]) {
        const found: NewsFound = yield* news.relatedTo(subject, since, 1)
        equal(found.headlines.map(({ source }) => source), ["First"])
      }
      equal((yield* news.relatedTo(subject, now, 1)).headlines, [])
      const all: NewsFound = yield* news.relatedTo(subject, 0, 9)
      equal(all.headlines.map(({ source }) => source), ["First", "Middle", "Late"])
    })),
    Effect.provide(layer),
    Effect.orDie,
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
      equal(requested, [[["Imre Nagybanya", "resign"], ["Skerryvore", "lighthouse"]]])
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
      equal((yield* news.recent(0, 10)).headlines.length, 2)
      yield* TestClock.adjust(2 * minute)
      yield* news.prune
      const { headlines } = yield* news.recent(0, 10)
      ok(headlines.length === 1 && headlines[0]?.title === "New")
    }),
  ))
