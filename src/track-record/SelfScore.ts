/**
 * Scores the service's own feed. Every item that can be right or wrong gets checks; each is judged when
 * it is due, and every result is counted.
 *
 * Three stages, each with a time limit. The next tick continues after a failed stage or a crash; any
 * number of replicas may run at the same time.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import type { FeedItem } from "../feed/domain/item.ts"
import { type Market, slugKey } from "../markets/domain/market.ts"
import { publishedEntry, readingLateMsMax, readingOf } from "./domain/entryScore.ts"
import {
  checksOf,
  moverVerdict,
  outcomeVerdict,
  pointAt,
  priceOfBought,
  priceOffsetMsMax,
  priceOfOutcomeAt,
} from "./domain/selfScore.ts"
import { scoresJob } from "../core/domain/freshness.ts"
import { day, type EpochMs, minute } from "../core/domain/time.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { forecastQuery, horizonMs, isSampleDue, sampleOf, valueOf } from "./domain/forecasts.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { Resolving } from "../markets/Resolving.ts"
import { outcomeOf } from "./domain/moverDrift.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import { type DueCheck, type DueForecast, type JudgedCheck, ScoreStore } from "./ScoreStore.ts"
import { runTick, tally, type TickReport } from "../core/stages.ts"
import { VenueClient } from "../markets/VenueClient.ts"

/** Items in one page of the feed, and pages per tick. */
const pageItems = 500
const pagesMax = 20
const readConcurrency = 4

/** Markets whose resolutions are requested in one tick. */
const marketsMax = 1_000
/** For unresolved markets with a published outcome. */
const requestIntervalMs = 30 * minute
/** How long after a market's end, or a mover check, resolutions are requested again; how often. */
const correctionPeriodMs = 7 * day
const correctionIntervalMs = day
/** After this time without a resolution, a mover is judged by its series alone. */
const resolutionWaitMsMax = day

/** Checks in one batch, and batches per tick. */
const checksBatch = 200
const batchesMax = 20

/** Readings of books in one run: one request of the venue. What remains is due again a minute later. */
const readingsMax = 500

const stageLimits = {
  forecasting: Duration.seconds(30),
  reading: Duration.seconds(30),
  books: Duration.seconds(40),
  resolutions: Duration.minutes(2),
  judging: Duration.minutes(1),
  forecasts: Duration.seconds(30),
} as const
type Stage = keyof typeof stageLimits

/** The job that reads the books after published entries. */
export const readingsJob = "follow-prices"

/**
 * The counts of one tick: feed items read, markets with a new or changed resolution, stored forecasts
 * of resolutions, verdicts. Mutable, so that an interrupted stage is counted too.
 */
const makeProgress = () => ({
  ...{ itemsRead: 0, resolved: 0, forecasts: 0, verdicts: noCounts(), rejected: noCounts() },
  items: Array.of<string>(),
})
type Progress = ReturnType<typeof makeProgress>
type ScoreReport = TickReport<Stage> & Readonly<Omit<Progress, keyof TickReport<Stage>>>

const noCounts = (): Record<string, number> => ({})

/** The counts of one run of `readBooks`: saved readings by state. */
interface ReadingReport extends TickReport<Stage>, Pick<Progress, "itemsRead"> {
  readonly readings: Readonly<Record<string, number>>
}

interface Services {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly scores: ScoreStore["Service"]
  readonly resolving: Resolving["Service"]
}

export class SelfScore extends Context.Service<SelfScore, {
  /** Updates the scores. Never fails: the report lists the failed stages. */
  readonly tick: (slot: EpochMs) => Effect.Effect<ScoreReport>
  /**
   * Reads the books that are due after published whale entries. Must run at least every
   * `readingLateMsMax`. Never fails: the report lists the failed stages.
   */
  readonly readBooks: (slot: EpochMs) => Effect.Effect<ReadingReport>
}>()("bellwether/track-record/SelfScore") {
  static readonly layer = Layer.effect(
    SelfScore,
    Effect.gen(function* () {
      const services = {
        venue: yield* VenueClient,
        markets: yield* MarketStore,
        feed: yield* FeedStore,
        scores: yield* ScoreStore,
        resolving: yield* Resolving,
      }
      return SelfScore.of({
        tick: (slot) => tick(services, slot),
        readBooks: (slot) => readBooks(services, slot),
      })
    }),
  )
}

const tick = (services: Services, slot: EpochMs) => {
  const progress = makeProgress()
  return runTick(
    { name: scoresJob, limits: stageLimits },
    slot,
    progress,
    Effect.fnUntraced(function* (stage) {
      yield* stage("reading", readFeed(services, progress), undefined)
      yield* stage("forecasting", storeForecasts(services, slot, progress), undefined)
      yield* stage("resolutions", requestResolutions(services, slot, progress), undefined)
      yield* stage("judging", judge(services, slot, progress), undefined)
      yield* stage("forecasts", judgeForecasts(services, slot, progress), undefined)
    }),
  )
}

const readBooks = (services: Services, slot: EpochMs) => {
  const readings: Record<string, number> = {}
  const progress = { itemsRead: 0, readings, items: [], rejected: {} }
  return runTick(
    { name: readingsJob, limits: stageLimits },
    slot,
    progress,
    Effect.fnUntraced(function* (stage) {
      yield* stage("reading", readFeed(services, progress), undefined)
      yield* stage("books", readDueBooks(services, progress), undefined)
    }),
  )
}

/** A reading that is too late is missed, and its book is not read. */
const readDueBooks = Effect.fnUntraced(function* (
  { venue, markets, scores }: Services,
  { readings, rejected }: Record<"readings" | "rejected", Record<string, number>>,
) {
  const now = yield* Clock.currentTimeMillis
  const due = yield* scores.dueReadings(now, readingsMax)
  const timely = due.filter(({ dueAt }) => now - dueAt <= readingLateMsMax)
  const listed = yield* markets.byIds([
    ...new Set(timely.flatMap(({ marketId }) => marketId === null ? [] : [marketId])),
  ])
  const tokenOf = new Map([...listed].map(([id, { tokenIds }]) => [id, tokenIds[0]]))
  const books = listed.size === 0
    ? { rows: [], rejected: {} }
    : yield* venue.books([...tokenOf.values()])
  tally(rejected, books.rejected)
  const byToken = new Map(books.rows.map((book) => [book.tokenId, book]))
  const readAt = yield* Clock.currentTimeMillis
  const judged = due.map((reading) => {
    const token = reading.marketId === null ? undefined : tokenOf.get(reading.marketId)
    const book = token === undefined ? undefined : byToken.get(token)
    return { ...reading, result: readingOf(reading, book, readAt) }
  })
  if ((yield* scores.saveReadings(judged)) === 0) return
  for (const { result } of judged) tally(readings, { [result.state]: 1 })
})

/** Adds the checks of new feed items, in feed order; stops when another replica has moved the cursor. */
const readFeed = Effect.fnUntraced(function* (
  services: Services,
  progress: Pick<Progress, "itemsRead">,
) {
  const { feed, scores } = services
  for (let page = 0; page < pagesMax; page++) {
    const from = yield* scores.cursor
    const items = yield* feed.page({ since: from, count: pageItems, type: null })
    const last = items.at(-1)
    if (last === undefined) return
    const markets = yield* marketsOf(services, items)
    const marketOf = ({ data }: FeedItem) => markets.get(slugKey(data.market.slug)) ?? null
    const checks = items.flatMap((item) => checksOf(item, marketOf(item)))
    const entries = items.flatMap((item) =>
      item.type === "whale_entry" ? [publishedEntry(item, marketOf(item))] : []
    )
    if (!(yield* scores.addChecks(from, last.feedIndex, checks, entries))) return
    progress.itemsRead += items.length
  }
})

/** The markets of the items, by slug: an item does not contain its market's id. */
const marketsOf = Effect.fnUntraced(function* (
  { markets }: Services,
  items: ReadonlyArray<FeedItem>,
) {
  const slugs = [...new Set(items.map(({ data }) => slugKey(data.market.slug)))]
  const found = yield* Effect.forEach(slugs, markets.bySlug, {
    concurrency: readConcurrency,
  })
  // By the slug of the item: the market may have another one now.
  return new Map<string, Market>(
    found.flatMap((market, n) => market._tag === "Some" ? [[slugs[n] ?? "", market.value]] : []),
  )
})

/** Stores a sample of forecasts, once in four hours over all replicas. */
const storeForecasts = Effect.fnUntraced(
  function* ({ resolving, scores }: Services, slot: EpochMs, progress: Progress) {
    if (!isSampleDue(yield* scores.forecastsMadeAt, slot)) return
    const sample = sampleOf(yield* resolving.expected(forecastQuery), slot)
    yield* scores.addForecasts(sample)
    progress.forecasts += sample.length
  },
)

const requestResolutions = Effect.fnUntraced(
  function* ({ venue, scores }: Services, slot: EpochMs, progress: Progress) {
    const markets = yield* scores.dueMarkets({
      limit: marketsMax,
      now: slot,
      requestedBefore: slot - requestIntervalMs,
      endedAfter: slot - correctionPeriodMs,
      requestedAgainBefore: slot - correctionIntervalMs,
    })
    yield* requestInBatches(
      markets,
      progress.rejected,
      venue.resolutions,
      (rows, requested, at) =>
        Effect.map(scores.saveResolutions(rows, requested, at), (changed) => {
          progress.resolved += changed
        }),
    )
  },
)

/** Judges what is due in batches, until none is left or another replica has saved a batch. */
const judgeDue = Effect.fnUntraced(function* <Due, Judged>(
  due: Effect.Effect<ReadonlyArray<Due>>,
  judgeOne: (due: Due) => Effect.Effect<Judged>,
  save: (judged: ReadonlyArray<Judged>) => Effect.Effect<number>,
  verdictOf: (judged: Judged) => string | null,
  { verdicts }: Progress,
) {
  for (let batch = 0; batch < batchesMax; batch++) {
    const judged = yield* Effect.forEach(yield* due, judgeOne, { concurrency: readConcurrency })
    if (judged.length === 0 || (yield* save(judged)) === 0) return
    for (const verdict of judged.map(verdictOf)) {
      if (verdict !== null) tally(verdicts, { [verdict]: 1 })
    }
  }
})

const dueAt = (slot: EpochMs) => (
  { now: slot, overdueBefore: slot - resolutionWaitMsMax, limit: checksBatch }
)

const judge = (services: Services, slot: EpochMs, progress: Progress) =>
  judgeDue(
    services.scores.dueChecks(dueAt(slot)),
    (due) => judgeOne(services, due),
    services.scores.saveVerdicts,
    ({ verdict }) => verdict,
    progress,
  )

const judgeForecasts = ({ scores, markets }: Services, slot: EpochMs, progress: Progress) =>
  judgeDue(
    scores.dueForecasts(dueAt(slot)),
    (due) => judgeForecast(markets, due),
    scores.saveForecastVerdicts,
    ({ value }) => value === null ? "forecast_unknown" : "forecast_judged",
    progress,
  )

const judgeForecast = Effect.fnUntraced(function* (
  markets: Services["markets"],
  { forecast, resolution, requested }: DueForecast,
) {
  const at = forecast.madeAt + horizonMs
  const point = forecast.kind === "price"
    ? pointAt(at, yield* markets.series(forecast.marketId, around(at)))
    : null
  return { forecast, value: valueOf(forecast, resolution, { requested, point }) }
})

const around = (at: EpochMs) => ({ from: at - priceOffsetMsMax, to: at + priceOffsetMsMax })

/** A check keeps the point of its first verdict: its series may be pruned before the verdict changes. */
const judgeOne = Effect.fnUntraced(function* (
  { markets }: Services,
  { check, version, resolution, hasVerdict, point: storedPoint }: DueCheck,
) {
  const none = { check, version, point: null, outcome: null, value: null }
  if (check.kind === "predetermined") {
    return { ...none, verdict: outcomeVerdict(check, resolution) } satisfies JudgedCheck
  }
  const { marketId, at } = check
  const point = hasVerdict || marketId === null
    ? storedPoint
    : pointAt(at, yield* markets.series(marketId, around(at)))
  const price = priceOfOutcomeAt(at, point, resolution)
  if (check.kind === "whale_24h") {
    const value = price === null ? null : priceOfBought(check, price)
    const verdict = value === null ? "unknown" : "priced"
    return { ...none, point, verdict, value } satisfies JudgedCheck
  }
  const outcome = price === null ? null : outcomeOf(check, price)
  return { ...none, point, verdict: moverVerdict(check, price), outcome } satisfies JudgedCheck
})
