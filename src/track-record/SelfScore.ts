/**
 * Scores the service's own feed. Every item that can be right or wrong gets checks; each is judged when
 * it is due, and every result is counted.
 *
 * Three stages, each with a time limit. The next tick continues after a failed stage or a crash; any
 * number of replicas may run at the same time.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric } from "effect"
import type { FeedItem } from "../feed/domain/item.ts"
import type { Market } from "../markets/domain/market.ts"
import {
  checksOf,
  moverVerdict,
  outcomeVerdict,
  pointAt,
  priceOffsetMsMax,
  priceOfOutcomeAt,
} from "./domain/selfScore.ts"
import { day, type EpochMs, minute } from "../core/domain/time.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { requestInBatches } from "../markets/requestInBatches.ts"
import { type DueCheck, type JudgedCheck, ScoreStore } from "./ScoreStore.ts"
import { type Rejections, stages, tally } from "../core/stages.ts"
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

const stageLimits = {
  reading: Duration.seconds(30),
  resolutions: Duration.minutes(2),
  judging: Duration.minutes(1),
} as const
type Stage = keyof typeof stageLimits

/** The counts of one tick. */
export interface ScoreReport {
  readonly slot: EpochMs
  /** Feed items read, of any type. */
  readonly itemsRead: number
  /** Markets with a new or changed resolution. */
  readonly resolved: number
  /** Saved verdicts, by verdict. */
  readonly verdicts: Readonly<Record<string, number>>
  readonly rejected: Rejections
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

interface Services {
  readonly venue: VenueClient["Service"]
  readonly markets: MarketStore["Service"]
  readonly feed: FeedStore["Service"]
  readonly scores: ScoreStore["Service"]
}

/** The counts so far. They are mutated in place, so that an interrupted stage is counted too. */
interface Progress {
  itemsRead: number
  resolved: number
  readonly verdicts: Record<string, number>
  readonly rejected: Record<string, number>
}

export class SelfScore extends Context.Service<SelfScore, {
  /** Updates the scores. Never fails: the report lists the failed stages. */
  readonly tick: (slot: EpochMs) => Effect.Effect<ScoreReport>
}>()("bellwether/track-record/SelfScore") {
  static readonly layer = Layer.effect(
    SelfScore,
    Effect.gen(function* () {
      const services = {
        venue: yield* VenueClient,
        markets: yield* MarketStore,
        feed: yield* FeedStore,
        scores: yield* ScoreStore,
      }
      return SelfScore.of({ tick: (slot) => tick(services, slot) })
    }),
  )
}

const tick = Effect.fn("SelfScore.tick")(function* (services: Services, slot: EpochMs) {
  const started = yield* Clock.currentTimeMillis
  const progress: Progress = { itemsRead: 0, resolved: 0, verdicts: {}, rejected: {} }
  const failed: Array<Stage> = []
  const stage = stages("SelfScore", stageLimits, stageFailures, failed)
  yield* stage("reading", readFeed(services, progress), undefined)
  yield* stage("resolutions", requestResolutions(services, slot, progress), undefined)
  yield* stage("judging", judge(services, slot, progress), undefined)
  const report: ScoreReport = {
    slot,
    ...progress,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* measure(report)
  return report
})

/** Adds the checks of new feed items, in feed order; stops when another replica has moved the cursor. */
const readFeed = Effect.fnUntraced(function* (services: Services, progress: Progress) {
  const { feed, scores } = services
  for (let page = 0; page < pagesMax; page++) {
    const from = yield* scores.cursor
    const items = yield* feed.page({ since: from, count: pageItems, type: null })
    const last = items.at(-1)
    if (last === undefined) return
    const markets = yield* marketsOf(services, items)
    const checks = items.flatMap((item) =>
      checksOf(item, markets.get(item.data.market.slug) ?? null)
    )
    if (!(yield* scores.addChecks(from, last.feedIndex, checks))) return
    progress.itemsRead += items.length
  }
})

/** The markets of the items, by slug: an item does not contain its market's id. */
const marketsOf = Effect.fnUntraced(function* (
  { markets }: Services,
  items: ReadonlyArray<FeedItem>,
) {
  const slugs = items.flatMap(({ type, data }) => type === "whale_entry" ? [] : [data.market.slug])
  const found = yield* Effect.forEach([...new Set(slugs)], markets.bySlug, {
    concurrency: readConcurrency,
  })
  return new Map<string, Market>(
    found.flatMap((market) => market._tag === "Some" ? [[market.value.slug, market.value]] : []),
  )
})

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

const judge = Effect.fnUntraced(function* (services: Services, slot: EpochMs, progress: Progress) {
  const { scores } = services
  for (let batch = 0; batch < batchesMax; batch++) {
    const checks = yield* scores.dueChecks({
      now: slot,
      overdueBefore: slot - resolutionWaitMsMax,
      limit: checksBatch,
    })
    if (checks.length === 0) return
    const judged = yield* Effect.forEach(checks, (due) => judgeOne(services, due), {
      concurrency: readConcurrency,
    })
    const saved = yield* scores.saveVerdicts(judged)
    if (saved === 0) return
    for (const { verdict } of judged) {
      if (verdict !== null) tally(progress.verdicts, { [verdict]: 1 })
    }
  }
})

/** A mover keeps the point of its first verdict: its series may be pruned before the verdict changes. */
const judgeOne = Effect.fnUntraced(function* (
  { markets }: Services,
  { check, version, resolution, hasVerdict, point: storedPoint }: DueCheck,
) {
  if (check.kind === "predetermined") {
    return { check, version, point: null, verdict: outcomeVerdict(check, resolution) }
  }
  const { marketId, at } = check
  const point = hasVerdict || marketId === null ? storedPoint : pointAt(
    at,
    yield* markets.series(marketId, { from: at - priceOffsetMsMax, to: at + priceOffsetMsMax }),
  )
  const verdict = moverVerdict(check, priceOfOutcomeAt(at, point, resolution))
  return { check, version, point, verdict } satisfies JudgedCheck
})

const stageFailures = Metric.counter("score_stage_failures_total", { incremental: true })
const verdictCount = Metric.counter("score_verdicts_total", {
  description: "Verdicts on the service's own items; a corrected verdict counts again",
  incremental: true,
})
const tickSeconds = Metric.gauge("score_tick_seconds")

const measure = ({ seconds, verdicts }: ScoreReport) =>
  Effect.all([
    Metric.update(tickSeconds, seconds),
    ...Object.entries(verdicts).map(([verdict, count]) =>
      Metric.update(verdictCount.pipe(Metric.withAttributes({ verdict })), count)
    ),
  ])
