/**
 * The news: reads every source once per slot, keeps headlines for a week, and finds those about a
 * market.
 *
 * A source that fails is counted and reported, and does not affect the others. `coverage` is part of
 * every result, so that a product can state how many sources answered.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Exit, Layer, Metric, Option } from "effect"
import { type Headline, newsRetentionMs, newStories } from "./domain/headline.ts"
import type { RelatedStory } from "./domain/reading.ts"
import { newsIndex, related, topicsOf } from "./domain/relation.ts"
import type { NewsSubject } from "./domain/subject.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { type NewsSource, NewsSources, NewsUnavailable } from "./NewsSources.ts"
import { NewsStore, type SourceStatus } from "./NewsStore.ts"
import { inSlices } from "../core/slices.ts"
import { type Rejections, tally } from "../core/stages.ts"

interface NewsCoverage {
  /** The number of configured sources; 0 means that news is off. */
  readonly sources: number
  /** How many of them answered in the last two hours. */
  readonly answered: number
  /** When any of them last answered; null when none ever did. */
  readonly lastAt: EpochMs | null
}

export interface NewsFound {
  readonly headlines: ReadonlyArray<Headline>
  readonly coverage: NewsCoverage
}

interface StoriesFound {
  /** One list for each subject, in their order. A story can be in several. */
  readonly stories: ReadonlyArray<ReadonlyArray<RelatedStory>>
  readonly coverage: NewsCoverage
}

/** The counts of one update. */
interface NewsReport {
  readonly slot: EpochMs
  readonly sources: number
  readonly answered: number
  /** New headlines. */
  readonly headlines: number
  /** Rows rejected by reason. */
  readonly rejected: Rejections
  /** The names of the sources that failed. */
  readonly failed: ReadonlyArray<string>
  readonly seconds: number
}

export class News extends Context.Service<News, {
  /** Reads every source once and stores new headlines. Never fails: the report lists failed sources. */
  readonly update: (slot: EpochMs) => Effect.Effect<NewsReport>
  /** Published since `since`, newest first, at most `limit`. */
  readonly recent: (since: EpochMs, limit: number) => Effect.Effect<NewsFound>
  /**
   * The stories about each of the subjects with a publication since `since`: direct ones first, then by
   * score, then the earliest; at most `limit` for each. Their first publications may be older.
   */
  readonly storiesAbout: (
    subjects: ReadonlyArray<NewsSubject>,
    since: EpochMs,
    limit: number,
  ) => Effect.Effect<StoriesFound>
  /**
   * The publications of the direct and sibling stories of `storiesAbout`, at most `limit`: each story's
   * first publication comes before any other of its publications.
   */
  readonly relatedTo: (
    market: NewsSubject,
    since: EpochMs,
    limit: number,
  ) => Effect.Effect<NewsFound>
  /** Deletes headlines older than a week. */
  readonly prune: Effect.Effect<void>
}>()("bellwether/news/News") {
  static readonly layer = Layer.effect(
    News,
    Effect.gen(function* () {
      const sources = yield* NewsSources
      const store = yield* NewsStore
      const markets = yield* MarketStore
      const [current, invalidate] = yield* Effect.cachedInvalidateWithTTL(
        readNews(store, markets),
        (exit) => Exit.isSuccess(exit) ? indexTtl : Duration.zero,
      )

      const recent = Effect.fn("News.recent")(function* (since: EpochMs, limit: number) {
        if (sources.length === 0) return { headlines: [], coverage: noCoverage }
        const now = yield* Clock.currentTimeMillis
        const headlines = yield* store.between({ from: since, to: now }, limit)
        return { headlines, coverage: coverageOf(sources, yield* store.sources, now) }
      })

      const storiesAbout = Effect.fn("News.storiesAbout")(
        function* (subjects: ReadonlyArray<NewsSubject>, since: EpochMs, limit: number) {
          if (sources.length === 0) return { stories: subjects.map(() => []), coverage: noCoverage }
          const found = yield* current
          const stories = yield* inSlices(function* () {
            const lists: Array<ReadonlyArray<RelatedStory>> = []
            for (const subject of subjects) {
              lists.push(yield* related(found.index, subject, since, limit))
              yield
            }
            return lists
          })
          const now = yield* Clock.currentTimeMillis
          return { stories, coverage: coverageOf(sources, found.statuses, now) }
        },
      )

      const relatedTo = Effect.fn("News.relatedTo")(
        function* (market: NewsSubject, since: EpochMs, limit: number) {
          const { stories: [stories = []], coverage } = yield* storiesAbout([market], since, limit)
          return { headlines: publicationsOf(stories, limit), coverage }
        },
      )

      const topics = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const liquid = yield* markets.mostLiquid(topicMarketsMax, now)
        return topicsOf((yield* current).index, liquid, topicsMax)
      })

      return News.of({
        update: (slot) =>
          topics.pipe(
            Effect.flatMap((topics) => update(sources, store, topics, slot)),
            Effect.ensuring(invalidate),
          ),
        recent,
        storiesAbout,
        relatedTo,
        prune: Effect.gen(function* () {
          yield* store.prune((yield* Clock.currentTimeMillis) - newsRetentionMs, headlinesMax)
        }),
      })
    }),
  )
}

/** Stored headlines; ten sources with about a hundred a day produce a tenth of this in a week. */
const headlinesMax = 50_000
/** The newest headlines in the index; and markets that give the rarity of words, and the siblings. */
const indexedMax = 4_000
const questionsMax = 1_000
/** A replica that did not read the sources itself sees new headlines and answers after this time. */
const indexTtl = Duration.minutes(5)
/** Topics given to the sources, and the most liquid markets that they come from. */
const topicsMax = 40
const topicMarketsMax = 200
/** A source counts as answered for this long after an answer: eight updates. */
const answerAgeMsMax = 2 * hour
const sourceConcurrency = 4
/** For one source, retries and pauses included. */
const sourceTimeout = Duration.minutes(3)

const noCoverage: NewsCoverage = { sources: 0, answered: 0, lastAt: null }

type Store = NewsStore["Service"]

/** The index of the headlines, and when each source had answered by then. */
const readNews = Effect.fnUntraced(function* (store: Store, markets: MarketStore["Service"]) {
  const now = yield* Clock.currentTimeMillis
  // Before the headlines: a source counts as answered only with what it answered.
  const statuses = yield* store.sources
  const headlines = yield* store.between({ from: now - newsRetentionMs, to: now }, indexedMax)
  const liquid = yield* markets.mostLiquid(questionsMax, now)
  return { index: yield* inSlices(() => newsIndex(headlines, liquid)), statuses }
})

/**
 * The publications of the stories that are not only of the market's family: the first of each story, the
 * strongest story first, then the second ones, and so on.
 */
function publicationsOf(
  stories: ReadonlyArray<RelatedStory>,
  limit: number,
): ReadonlyArray<Headline> {
  return stories.filter(({ strength }) => strength !== "family")
    .flatMap(({ outlets }) => outlets.map((headline, nth) => ({ headline, nth })))
    .toSorted((a, b) => a.nth - b.nth).slice(0, limit).map(({ headline }) => headline)
}

function coverageOf(
  sources: ReadonlyArray<NewsSource>,
  statuses: ReadonlyArray<SourceStatus>,
  now: EpochMs,
): NewsCoverage {
  const names = new Set(sources.map(({ name }) => name))
  const answers = statuses.flatMap(({ name, answeredAt }) =>
    names.has(name) && answeredAt !== null ? [answeredAt] : []
  )
  return {
    sources: sources.length,
    answered: answers.filter((at) => at > now - answerAgeMsMax).length,
    lastAt: answers.reduce<EpochMs | null>((last, at) => Math.max(last ?? at, at), null),
  }
}

const update = Effect.fn("News.update")(function* (
  sources: ReadonlyArray<NewsSource>,
  store: Store,
  topics: ReadonlyArray<ReadonlyArray<string>>,
  slot: EpochMs,
) {
  const started = yield* Clock.currentTimeMillis
  const failed: Array<string> = []
  const rejected: Record<string, number> = {}
  const rows = yield* Effect.forEach(
    sources,
    Effect.fnUntraced(function* (source) {
      const answer = yield* readSource(source, topics)
      if (Option.isNone(answer)) {
        failed.push(source.name)
        return []
      }
      tally(rejected, answer.value.rejected)
      return answer.value.rows
    }),
    { concurrency: sourceConcurrency },
  )
  const week = { from: started - newsRetentionMs, to: started + hour }
  const known = yield* store.between(week, headlinesMax)
  const fresh = yield* inSlices(() => newStories(known, rows.flat()))
  const headlines = yield* store.add(fresh, started)
  // After the headlines, so that no reader counts an answer without them.
  yield* Effect.forEach(
    sources,
    ({ name }) => store.saveRead(name, started, !failed.includes(name)),
    { discard: true },
  )
  const report: NewsReport = {
    slot,
    sources: sources.length,
    answered: sources.length - failed.length,
    headlines,
    rejected,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* Metric.update(newHeadlines, headlines)
  return report
})

/** None when the source failed or timed out, or its adapter died; this is logged and counted. */
const readSource = (source: NewsSource, topics: ReadonlyArray<ReadonlyArray<string>>) =>
  source.read(topics).pipe(
    Effect.timeoutOrElse({
      duration: sourceTimeout,
      orElse: () => Effect.fail(new NewsUnavailable({ source: source.name, reason: "timed out" })),
    }),
    Effect.map(Option.some),
    Effect.tapError(({ reason }) =>
      Effect.logWarning(`Cannot read the news source ${source.name}: ${reason}`)
    ),
    Effect.catchCause((cause) =>
      (Cause.hasDies(cause)
        ? Effect.logWarning(`The news source ${source.name} failed unexpectedly`, cause)
        : Effect.void).pipe(
          Effect.andThen(
            Metric.update(sourceFailures.pipe(Metric.withAttributes({ source: source.name })), 1),
          ),
          Effect.as(Option.none()),
        )
    ),
  )

const newHeadlines = Metric.counter("news_headlines_total", {
  description: "New headlines",
  incremental: true,
})
const sourceFailures = Metric.counter("news_source_failures_total", {
  description: "Failed reads of a news source",
  incremental: true,
})
