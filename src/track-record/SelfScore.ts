/**
 * The service keeps score of itself: every item of its feed that can turn out right or wrong is taken
 * up, looked at when the time has come, and counted, whatever came of it.
 *
 * Three stages, each with its time limit. Whatever a stage leaves, or a crash, is found by the next
 * tick; any number of replicas may run it at once.
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

/** Items read from the feed at once, and such pages in one tick. */
const pageItems = 500
const pagesMax = 20
/** Markets looked up, and series read, at the same time. */
const readConcurrency = 4

/** Markets asked how they ended, in one tick. */
const marketsMax = 1_000
/** How often the market of a told outcome is asked whether it has ended. */
const askEvery = 30 * minute
/** How long a venue is asked again after an end, or a look at a mover, and how often. */
const correctedFor = 7 * day
const correctedEvery = day
/** A mover is judged by its series alone when its market could not be asked about for so long. */
const askedWithin = day

/** Checks judged at once, and such batches in one tick. */
const checksBatch = 200
const batchesMax = 20

const stageLimits = {
  taking: Duration.seconds(30),
  asking: Duration.minutes(2),
  judging: Duration.minutes(1),
} as const
type Stage = keyof typeof stageLimits

/** What one tick saw and did. */
export interface ScoreReport {
  readonly slot: EpochMs
  /** Items of the feed taken up, of any type. */
  readonly taken: number
  /** Markets of which there was another word than before on how they ended. */
  readonly resolved: number
  /** Verdicts written, by what they say. */
  readonly judged: Rejections
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

/** What was done so far; it grows in place, so that a stage cut short tells what it did. */
interface Progress {
  taken: number
  resolved: number
  readonly judged: Record<string, number>
  readonly rejected: Record<string, number>
}

export class SelfScore extends Context.Service<SelfScore, {
  /** Brings the scores up to the slot. Never fails: what went wrong is in the report. */
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
  const done: Progress = { taken: 0, resolved: 0, judged: {}, rejected: {} }
  const failed: Array<Stage> = []
  const stage = stages("SelfScore", stageLimits, stageFailures, failed)
  yield* stage("taking", takeUp(services, done), undefined)
  yield* stage("asking", ask(services, slot, done), undefined)
  yield* stage("judging", judge(services, slot, done), undefined)
  const report: ScoreReport = {
    slot,
    ...done,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* measure(report)
  return report
})

/** Takes up what came into the feed, in its order; stops when another replica does so too. */
const takeUp = Effect.fnUntraced(function* (services: Services, done: Progress) {
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
    if (!(yield* scores.take(from, last.feedIndex, checks))) return
    done.taken += items.length
  }
})

/** The markets that items are about, by slug: an item does not say its market's identity. */
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

const ask = Effect.fnUntraced(
  function* ({ venue, scores }: Services, slot: EpochMs, done: Progress) {
    const markets = yield* scores.dueMarkets({
      limit: marketsMax,
      now: slot,
      askedBefore: slot - askEvery,
      endedAfter: slot - correctedFor,
      askedAgainBefore: slot - correctedEvery,
    })
    yield* requestInBatches(
      markets,
      done.rejected,
      venue.resolutions,
      (rows, asked, at) =>
        Effect.map(scores.saveResolutions(rows, asked, at), (news) => {
          done.resolved += news
        }),
    )
  },
)

const judge = Effect.fnUntraced(function* (services: Services, slot: EpochMs, done: Progress) {
  const { scores } = services
  for (let batch = 0; batch < batchesMax; batch++) {
    const checks = yield* scores.due({
      now: slot,
      overdueBefore: slot - askedWithin,
      limit: checksBatch,
    })
    if (checks.length === 0) return
    const judged = yield* Effect.forEach(checks, (due) => judgeOne(services, due), {
      concurrency: readConcurrency,
    })
    const written = yield* scores.saveVerdicts(judged)
    if (written === 0) return
    for (const { verdict } of judged) if (verdict !== null) tally(done.judged, { [verdict]: 1 })
  }
})

/** A mover keeps the point it was first judged by: its series is forgotten sooner than its score. */
const judgeOne = Effect.fnUntraced(function* (
  { markets }: Services,
  { check, version, resolution, judged, point: held }: DueCheck,
) {
  if (check.kind === "predetermined") {
    return { check, version, point: null, verdict: outcomeVerdict(check, resolution) }
  }
  const { marketId, at } = check
  const point = judged || marketId === null ? held : pointAt(
    at,
    yield* markets.series(marketId, { from: at - priceOffsetMsMax, to: at + priceOffsetMsMax }),
  )
  const verdict = moverVerdict(check, priceOfOutcomeAt(at, point, resolution))
  return { check, version, point, verdict } satisfies JudgedCheck
})

const stageFailures = Metric.counter("score_stage_failures_total", { incremental: true })
const verdicts = Metric.counter("score_verdicts_total", {
  description: "Verdicts on the service's own items, corrected ones again",
  incremental: true,
})
const tickSeconds = Metric.gauge("score_tick_seconds")

const measure = ({ seconds, judged }: ScoreReport) =>
  Effect.all([
    Metric.update(tickSeconds, seconds),
    ...Object.entries(judged).map(([verdict, count]) =>
      Metric.update(verdicts.pipe(Metric.withAttributes({ verdict })), count)
    ),
  ])
