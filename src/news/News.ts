/**
 * The news: reads every source once per slot, keeps headlines for a week, and finds the stories about a
 * market. Stories that share names or numbers with a question are shown to a model, once each; without
 * one they stay a match of words.
 *
 * A source that fails is counted and reported, and does not affect the others. `coverage` is part of
 * every result, so that a product can state how many sources answered.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Layer, Metric, Option } from "effect"
import { newsRetentionMs } from "./domain/headline.ts"
import { type Match, newsIndex, related, topicsOf } from "./domain/match.ts"
import {
  decidedOutcome,
  type ReadingTask,
  type RelatedStory,
  siblingsMax,
  storiesAskedMax,
  type Verdict,
} from "./domain/reading.ts"
import { cachedFor } from "../core/cachedFor.ts"
import { type EpochMs, hour } from "../core/domain/time.ts"
import type { Market, MarketId } from "../markets/domain/market.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { VenueClient } from "../markets/VenueClient.ts"
import { NewsReader } from "./NewsReader.ts"
import { type NewsSource, NewsSources } from "./NewsSources.ts"
import { NewsStore, type StoredVerdict } from "./NewsStore.ts"
import { mapParts } from "../core/domain/parts.ts"
import { transientFault } from "../core/httpReading.ts"
import { inSlices } from "../core/slices.ts"
import { type Rejections, tally } from "../core/stages.ts"

interface NewsCoverage {
  /** The number of configured sources; 0 means that news is off. */
  readonly sources: number
  /** How many of them answered in the last two hours. */
  readonly answered: number
}

interface StoriesFound {
  /** One list for each market, in their order. A story can be in several. */
  readonly stories: ReadonlyArray<ReadonlyArray<RelatedStory>>
  readonly coverage: NewsCoverage
}

/** How much one search may ask the model about pairs that it has not read. */
interface ReadingEffort {
  /** Questions, each about one market. */
  readonly questions: number
  /** How long the search waits for all of them; what is answered later is lost. */
  readonly time: Duration.Duration
}

/** While a buyer or a digest waits. */
const briefly: ReadingEffort = { questions: 8, time: Duration.seconds(10) }
/** Once per tick of predetermined outcomes. */
export const thoroughly: ReadingEffort = { questions: 20, time: Duration.minutes(3) }

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
  /**
   * The stories about each of the markets with a publication since `since`: those that decide it first,
   * then those that were read, then by shared words; at most `limit` for each. Their first publications may be
   * older. A story that was found to be about something else is left out.
   */
  readonly storiesAbout: (
    markets: ReadonlyArray<Market>,
    since: EpochMs,
    limit: number,
    effort?: ReadingEffort,
  ) => Effect.Effect<StoriesFound>
  /** The clause of a market's rules, as far as it is known. */
  readonly clause: NewsReader["Service"]["clause"]
  /** Deletes headlines older than a week. */
  readonly prune: Effect.Effect<void>
}>()("bellwether/news/News") {
  static readonly layer = Layer.effect(
    News,
    Effect.gen(function* () {
      const sources = yield* NewsSources
      const store = yield* NewsStore
      const markets = yield* MarketStore
      const reader = yield* NewsReader
      const read = readingOf(store, reader, yield* VenueClient)
      const [current, invalidate] = yield* cachedFor(readNews(store, markets), indexTtl)

      const storiesAbout = Effect.fn("News.storiesAbout")(
        function* (
          subjects: ReadonlyArray<Market>,
          since: EpochMs,
          limit: number,
          effort: ReadingEffort = briefly,
        ) {
          if (sources.length === 0) return { stories: subjects.map(() => []), coverage: noCoverage }
          const { index, liquid, answered } = yield* current
          const matches = yield* inSlices(() =>
            mapParts(
              subjects,
              (market) => related(index, market, since, Math.max(limit, matchesMax)),
            )
          )
          const pairs = subjects.map((market, n) => ({ market, matches: matches[n] ?? [] }))
          const verdicts = yield* read(pairs, [...liquid, ...subjects], effort)
          const recent = sources.filter(({ name }) => answered.includes(name))
          return {
            stories: pairs.map((pair) => storiesOf(pair, verdicts, limit)),
            coverage: { sources: sources.length, answered: recent.length },
          }
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
        storiesAbout,
        clause: reader.clause,
        prune: Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => store.prune(now - newsRetentionMs, headlinesMax),
        ),
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
/** Stories of one market that are read; and questions to the model at once. */
const matchesMax = storiesAskedMax
const questionConcurrency = 4
/** For one source, retries and pauses included. */
const sourceTimeout = Duration.minutes(3)

/** For the venue's rules of the markets that are asked about. */
const rulesTime = Duration.seconds(3)

const noCoverage: NewsCoverage = { sources: 0, answered: 0 }

type Store = NewsStore["Service"]

/** The index of the headlines, and which sources had answered by then. */
const readNews = Effect.fnUntraced(function* (store: Store, markets: MarketStore["Service"]) {
  const now = yield* Clock.currentTimeMillis
  // Before the headlines: a source counts as answered only with what it answered.
  const answered = yield* store.answered(now - answerAgeMsMax)
  const headlines = yield* store.since(now - newsRetentionMs, indexedMax)
  const liquid = yield* markets.mostLiquid(questionsMax, now)
  const index = yield* inSlices(() => newsIndex(headlines))
  return { index, liquid, answered }
})

interface Pairs {
  readonly market: Market
  readonly matches: ReadonlyArray<Match>
}

/** The known verdicts, by market and then by address. */
type Verdicts = ReadonlyMap<MarketId, ReadonlyMap<string, Verdict>>

const byMarket = (rows: ReadonlyArray<StoredVerdict>): Verdicts =>
  new Map(
    [...Map.groupBy(rows, ({ marketId }) => marketId)]
      .map(([id, of]) => [id, new Map(of.map(({ url, verdict }) => [url, verdict]))]),
  )

/**
 * Gives the verdicts on pairs, the stored ones and those of a model that is asked about the others: the
 * markets with a listed story first, in the order of the pairs.
 */
const readingOf = (
  store: Store,
  reader: NewsReader["Service"],
  venue: VenueClient["Service"],
) =>
  Effect.fnUntraced(function* (
    pairs: ReadonlyArray<Pairs>,
    known: ReadonlyArray<Market>,
    { questions, time }: ReadingEffort,
  ) {
    const related = pairs.filter(({ matches }) => matches.length > 0)
    const verdicts = byMarket(yield* store.verdicts(related.map(({ market }) => market.id)))
    if (reader.name === null) return verdicts
    const unread = related.map(({ market, matches }) => ({
      market,
      matches: matches.filter(({ url }) => verdicts.get(market.id)?.has(url) !== true),
    })).filter(({ matches }) => matches.length > 0)
    const isUrgent = ({ matches }: Pairs) => matches.some(({ isListed }) => isListed)
    const asked = unread.toSorted((a, b) => Number(isUrgent(b)) - Number(isUrgent(a)))
      .slice(0, questions)
    if (asked.length === 0) return verdicts
    const rules = yield* venue.rules(asked.map(({ market }) => market.id)).pipe(
      Effect.timeout(rulesTime),
      Effect.map(({ rows }) => new Map(rows.map(({ marketId, text }) => [marketId, text]))),
      // A headline can be read without the rules.
      Effect.catch(() => Effect.succeed(new Map<MarketId, string>())),
    )
    const events = Map.groupBy(known, ({ eventSlug }) => eventSlug.toLowerCase())
    yield* Effect.forEach(asked, ({ market, matches: [first, ...others] }) => {
      if (first === undefined) return Effect.void
      const siblings = (events.get(market.eventSlug.toLowerCase()) ?? [])
        .filter(({ id }) => id !== market.id).slice(0, siblingsMax)
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        ask(store, reader, {
          market,
          siblings,
          now,
          rules: rules.get(market.id) ?? "",
          stories: [first, ...others.slice(0, storiesAskedMax - 1)],
        }))
    }, { concurrency: questionConcurrency, discard: true }).pipe(Effect.timeoutOption(time))
    return byMarket(yield* store.verdicts(related.map(({ market }) => market.id)))
  })

/** Asks one question and stores the verdicts; none when the model does not answer. */
const ask = Effect.fnUntraced(function* (
  store: Store,
  reader: NewsReader["Service"],
  task: ReadingTask,
) {
  const verdicts = yield* reader.read(task).pipe(
    Effect.catch(({ reason }) =>
      Effect.as(Effect.logWarning(`The news was not read: ${reason}`), [])
    ),
  )
  const rows = verdicts.flatMap((verdict, n): ReadonlyArray<StoredVerdict> => {
    const url = task.stories[n]?.url
    return url === undefined || verdict === null ? [] : [{ marketId: task.market.id, url, verdict }]
  })
  yield* store.addVerdicts(rows, yield* Clock.currentTimeMillis)
})

/** A market's stories with what was read in them; without a reading only where enough words are shared. */
function storiesOf(
  { market, matches }: Pairs,
  verdicts: Verdicts,
  limit: number,
): ReadonlyArray<RelatedStory> {
  const of = verdicts.get(market.id)
  const rank = (story: RelatedStory) =>
    decidedOutcome(market, story) !== null ? 0 : story.reading !== null ? 1 : 2
  return matches.flatMap(({ isListed, ...story }): ReadonlyArray<RelatedStory> => {
    const verdict = of?.get(story.url) ?? "refused"
    if (verdict === "unrelated" || verdict === "refused" && !isListed) return []
    return [{ ...story, reading: verdict === "refused" ? null : verdict }]
  }).toSorted((a, b) => rank(a) - rank(b)).slice(0, limit)
}

const update = Effect.fn("News.update")(function* (
  sources: ReadonlyArray<NewsSource>,
  store: Store,
  topics: ReadonlyArray<ReadonlyArray<string>>,
  slot: EpochMs,
) {
  const started = yield* Clock.currentTimeMillis
  const rejected: Record<string, number> = {}
  const answers = yield* Effect.forEach(sources, (source) => readSource(source, topics), {
    concurrency: sourceConcurrency,
  })
  for (const answer of answers) tally(rejected, answer?.rejected ?? {})
  const failed = sources.flatMap(({ name }, n) =>
    // What is read in part says nothing of what is absent.
    (answers[n] ?? null) === null || answers[n]?.rejected["no_answer"] !== undefined ? [name] : []
  )
  const headlines = yield* store.add(answers.flatMap((answer) => answer?.rows ?? []), started)
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
  return report
})

/** Null when the source failed or timed out, or its adapter died; this is logged and counted. */
const readSource = (source: NewsSource, topics: ReadonlyArray<ReadonlyArray<string>>) =>
  source.read(topics).pipe(
    Effect.timeoutOrElse({
      duration: sourceTimeout,
      orElse: () => Effect.fail(transientFault("timed out")),
    }),
    Effect.catchCause((cause) => {
      const reason = Option.getOrUndefined(Cause.findErrorOption(cause))?.reason
      return Effect.logWarning(
        `Cannot read the news source ${source.name}: ${reason ?? Cause.pretty(cause)}`,
      ).pipe(
        Effect.andThen(
          Metric.update(Metric.withAttributes(sourceFailures, { source: source.name }), 1),
        ),
        Effect.as(null),
      )
    }),
  )

const sourceFailures = Metric.counter("news_source_failures_total", {
  description: "Failed reads of a news source",
  incremental: true,
})
