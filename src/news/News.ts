/**
 * The news: every source read once a slot, kept for a week, and found again for a market.
 *
 * A source that fails is counted and named; the others are kept all the same. Whoever uses the news
 * says how much of it was heard: `coverage` goes with every answer.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Metric, Option } from "effect"
import { type Headline, newsRetentionMs, newStories } from "./domain/headline.ts"
import { newsIndex, type NewsSubject, related, topicsOf } from "./domain/relation.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { type NewsSource, NewsSources, NewsUnavailable } from "./NewsSources.ts"
import { NewsStore } from "./NewsStore.ts"
import { type Rejections, tally } from "../core/stages.ts"

/** How much of the news was heard. */
interface NewsCoverage {
  /** How many sources there are; 0 means that news is off. */
  readonly sources: number
  /** How many of them answered in the last two hours. */
  readonly answered: number
  /** When one last answered; null when none ever did. */
  readonly lastAt: EpochMs | null
}

/** Headlines, and of how many sources. */
export interface NewsFound {
  readonly headlines: ReadonlyArray<Headline>
  readonly coverage: NewsCoverage
}

/** What one reading of every source came to. */
export interface NewsReport {
  readonly slot: EpochMs
  readonly sources: number
  readonly answered: number
  /** How many were not known. */
  readonly headlines: number
  /** Rows that became no headline, by reason. */
  readonly rejected: Rejections
  /** The names of the sources that gave nothing. */
  readonly failed: ReadonlyArray<string>
  readonly seconds: number
}

export class News extends Context.Service<News, {
  /** Asks every source once and keeps what is new. Never fails: what went wrong is in the report. */
  readonly update: (slot: EpochMs) => Effect.Effect<NewsReport>
  /** Published since `since`, newest first, at most `limit`. */
  readonly recent: (since: EpochMs, limit: number) => Effect.Effect<NewsFound>
  /** Published since `since` and about the market, the closest first, at most `limit`. */
  readonly relatedTo: (
    market: NewsSubject,
    since: EpochMs,
    limit: number,
  ) => Effect.Effect<NewsFound>
  /** Forgets headlines older than a week. */
  readonly prune: Effect.Effect<void>
}>()("bellwether/news/News") {
  static readonly layer = Layer.effect(
    News,
    Effect.gen(function* () {
      const sources = yield* NewsSources
      const store = yield* NewsStore
      const markets = yield* MarketStore
      const coverage = coverageOf(sources, store)
      const [index, invalidate] = yield* Effect.cachedInvalidateWithTTL(
        readIndex(store, markets),
        (exit) => Exit.isSuccess(exit) ? indexFor : Duration.zero,
      )

      const recent = Effect.fn("News.recent")(function* (since: EpochMs, limit: number) {
        if (sources.length === 0) return { headlines: [], coverage: silence }
        const now = yield* Clock.currentTimeMillis
        const headlines = yield* store.between({ from: since, to: now }, limit)
        return { headlines, coverage: yield* coverage }
      })

      const relatedTo = Effect.fn("News.relatedTo")(
        function* (market: NewsSubject, since: EpochMs, limit: number) {
          if (sources.length === 0) return { headlines: [], coverage: silence }
          const found = related(yield* index, market, since, limit)
          return { headlines: found.map(({ headline }) => headline), coverage: yield* coverage }
        },
      )

      const topics = Effect.gen(function* () {
        const liquid = yield* markets.mostLiquid(topicMarketsMax)
        return topicsOf(yield* index, liquid, topicsMax)
      })

      return News.of({
        update: (slot) =>
          topics.pipe(
            Effect.flatMap((topics) => update(sources, store, topics, slot)),
            Effect.ensuring(invalidate),
          ),
        recent,
        relatedTo,
        prune: Effect.gen(function* () {
          yield* store.prune((yield* Clock.currentTimeMillis) - newsRetentionMs, headlinesMax)
        }),
      })
    }),
  )
}

/** Headlines that are kept; ten sources of some hundred a day give a tenth of it in a week. */
const headlinesMax = 50_000
/** Headlines that are compared with markets, the newest; the questions that tell how rare a word is. */
const indexedMax = 4_000
const questionsMax = 1_000
/** How long a replica that did not read the sources itself goes on with what it knows. */
const indexFor = Duration.minutes(5)
/** Subjects a source is asked for, and the most liquid markets that they are taken from. */
const topicsMax = 40
const topicMarketsMax = 200
/** A source that answered within it counts as heard: eight readings of a quarter of an hour. */
const heardWithin = 2 * hour
/** Sources that are asked at the same time. */
const askedAtOnce = 4
/** How long one source may take, its tries and pauses included. */
const sourceTime = Duration.minutes(3)

const silence: NewsCoverage = { sources: 0, answered: 0, lastAt: null }

type Store = NewsStore["Service"]

const readIndex = Effect.fnUntraced(function* (store: Store, markets: MarketStore["Service"]) {
  const now = yield* Clock.currentTimeMillis
  const headlines = yield* store.between({ from: now - newsRetentionMs, to: now }, indexedMax)
  const liquid = yield* markets.mostLiquid(questionsMax)
  return newsIndex(headlines, liquid.map(({ question }) => question))
})

const coverageOf = (sources: ReadonlyArray<NewsSource>, store: Store) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const names = new Set(sources.map(({ name }) => name))
    const answers = (yield* store.sources).flatMap(({ name, answeredAt }) =>
      names.has(name) && answeredAt !== null ? [answeredAt] : []
    )
    return {
      sources: sources.length,
      answered: answers.filter((at) => at > now - heardWithin).length,
      lastAt: answers.reduce<EpochMs | null>((last, at) => Math.max(last ?? at, at), null),
    }
  })

const update = Effect.fn("News.update")(function* (
  sources: ReadonlyArray<NewsSource>,
  store: Store,
  topics: ReadonlyArray<ReadonlyArray<string>>,
  slot: EpochMs,
) {
  const started = yield* Clock.currentTimeMillis
  const failed: Array<string> = []
  const rejected: Record<string, number> = {}
  const read = yield* Effect.forEach(
    sources,
    Effect.fnUntraced(function* (source) {
      const answer = yield* heard(source, topics)
      yield* store.heard(source.name, started, Option.isSome(answer))
      if (Option.isNone(answer)) {
        failed.push(source.name)
        return []
      }
      tally(rejected, answer.value.rejected)
      return answer.value.rows
    }),
    { concurrency: askedAtOnce },
  )
  const week = { from: started - newsRetentionMs, to: started + hour }
  const known = yield* store.between(week, headlinesMax)
  const headlines = yield* store.add(newStories(known, read.flat()), started)
  const report: NewsReport = {
    slot,
    sources: sources.length,
    answered: sources.length - failed.length,
    headlines,
    rejected,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* Metric.update(headlinesKept, headlines)
  return report
})

/** What a source gave; none when it failed, broke or took too long, which is counted. */
const heard = (source: NewsSource, topics: ReadonlyArray<ReadonlyArray<string>>) =>
  source.read(topics).pipe(
    Effect.timeoutOrElse({
      duration: sourceTime,
      orElse: () =>
        Effect.fail(new NewsUnavailable({ source: source.name, reason: "it took too long" })),
    }),
    Effect.map(Option.some),
    Effect.tapError(({ reason }) =>
      Effect.logWarning(`The news source ${source.name} gave nothing: ${reason}`)
    ),
    Effect.catchCause((cause) =>
      (Cause.hasDies(cause)
        ? Effect.logWarning(`The news source ${source.name} broke`, cause)
        : Effect.void).pipe(
          Effect.andThen(
            Metric.update(sourceFailures.pipe(Metric.withAttributes({ source: source.name })), 1),
          ),
          Effect.as(Option.none()),
        )
    ),
  )

const headlinesKept = Metric.counter("news_headlines_total", {
  description: "Headlines that were new",
  incremental: true,
})
const sourceFailures = Metric.counter("news_source_failures_total", {
  description: "Readings of a news source that gave nothing",
  incremental: true,
})
