/**
 * The news: every source read once a slot, kept for a week, and found again for a market.
 *
 * A source that fails is counted and named; the others are kept all the same. Whoever uses the news
 * says how much of it was heard: `coverage` goes with every answer.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Option } from "effect"
import type { Market } from "../domain/market.ts"
import type { Headline } from "../domain/news.ts"
import { type EpochMs, hour } from "../domain/time.ts"
import { type NewsSource, NewsSources } from "./NewsSources.ts"
import { NewsStore } from "./NewsStore.ts"
import { type Rejections, tally } from "./Tick.ts"

/** How much of the news was heard. */
export interface NewsCoverage {
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

/** What of a market says which headlines are about it. */
export type NewsSubject = Pick<Market, "question" | "category" | "outcomes" | "eventSlug">

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
}>()("bellwether/services/News") {
  static readonly layer = Layer.effect(
    News,
    Effect.gen(function* () {
      const sources = yield* NewsSources
      const store = yield* NewsStore
      const coverage = coverageOf(sources, store)

      const recent = Effect.fn("News.recent")(function* (since: EpochMs, limit: number) {
        if (sources.length === 0) return { headlines: [], coverage: silence }
        const now = yield* Clock.currentTimeMillis
        const headlines = yield* store.between({ from: since, to: now }, limit)
        return { headlines, coverage: yield* coverage }
      })

      return News.of({
        update: (slot) => update(sources, store, slot),
        recent,
        relatedTo: () => Effect.map(coverage, (coverage) => ({ headlines: [], coverage })),
        prune: Effect.gen(function* () {
          yield* store.prune((yield* Clock.currentTimeMillis) - kept)
        }),
      })
    }),
  )
}

/** Headlines are forgotten after it. */
const kept = 7 * 24 * hour
/** A source that answered within it counts as heard: eight readings of a quarter of an hour. */
const heardWithin = 2 * hour
/** Sources that are asked at the same time. */
const askedAtOnce = 4
/** How long one source may take, its tries and pauses included. */
const sourceTime = Duration.minutes(3)

const silence: NewsCoverage = { sources: 0, answered: 0, lastAt: null }

type Store = NewsStore["Service"]

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
  slot: EpochMs,
) {
  const started = yield* Clock.currentTimeMillis
  const failed: Array<string> = []
  const rejected: Record<string, number> = {}
  const read = yield* Effect.forEach(
    sources,
    Effect.fnUntraced(function* (source) {
      const answer = yield* heard(source)
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
  const headlines = yield* store.add(read.flat(), started)
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
const heard = (source: NewsSource) =>
  source.read([]).pipe(
    Effect.timeout(sourceTime),
    Effect.map(Option.some),
    Effect.catchCause((cause) =>
      Effect.logWarning(`The news source ${source.name} gave nothing`, cause).pipe(
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
