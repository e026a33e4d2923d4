/**
 * From live markets to items that say which outcome exists already: the pure rules of
 * `domain/predetermined.ts`, given what they ask for, cheapest first.
 *
 * An item is in the feed before its market is remembered as told. A crash between the two has the
 * question put again, and the feed leaves the item out: its key names the market. What cannot be had
 * costs its own part: without the venue's proposals a market waits for the next tick, for nobody may
 * contradict the venue unheard; without the news, or the rules of a market, the rest goes on.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Layer, Metric, Option, Result } from "effect"
import type { Proposal } from "../markets/domain/proposal.ts"
import type { MarketId } from "../markets/domain/market.ts"
import { judgeDetection, predeterminedItem, rulesDetection } from "./domain/predetermined.ts"
import { day, type EpochMs } from "../core/domain/time.ts"
import { Detector } from "./Detector.ts"
import { DetectionStore } from "./DetectionStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { News } from "../news/News.ts"
import {
  choose,
  type DetectionProgress,
  type DetectionServices,
  findCandidates,
  newsOf,
  openMarkets,
  type PricedCandidate,
  readProposals,
  withNewEvidence,
} from "./candidates.ts"
import { type Rejections, stages, tally } from "../core/stages.ts"
import { VenueClient } from "../markets/VenueClient.ts"

/** Questions put at once, and how long an answer may take. */
const questionConcurrency = 4
const questionTime = Duration.seconds(45)
/** How long it is remembered about which evidence a market was asked that was never told. */
const untoldKept = 30 * day

const stageLimits = {
  markets: Duration.seconds(30),
  news: Duration.seconds(30),
  proposals: Duration.minutes(1),
  grounds: Duration.seconds(10),
  books: Duration.seconds(30),
  rules: Duration.seconds(20),
  questions: Duration.minutes(4),
  forgetting: Duration.seconds(10),
} as const
type Stage = keyof typeof stageLimits

/** What one tick saw and did. */
export interface PredeterminedReport {
  readonly slot: EpochMs
  /** Live markets with an open price of now. */
  readonly markets: number
  /** Of these, those with reasons to ask that were not asked about before. */
  readonly reasoned: number
  /** Questions put to the detector, and answers it failed to give. */
  readonly asked: number
  readonly unanswered: number
  /** Titles of the items told. */
  readonly items: ReadonlyArray<string>
  /** Markets, questions and answers that went no further, by reason. */
  readonly rejected: Rejections
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

export class Predetermined extends Context.Service<Predetermined, {
  /** Looks for outcomes that exist already. Never fails: what went wrong is in the report. */
  readonly tick: (slot: EpochMs) => Effect.Effect<PredeterminedReport>
}>()("bellwether/predetermined/Predetermined") {
  static readonly layer = (options: { readonly tick: Duration.Duration }) =>
    Layer.effect(
      Predetermined,
      Effect.gen(function* () {
        const services = {
          venue: yield* VenueClient,
          markets: yield* MarketStore,
          feed: yield* FeedStore,
          news: yield* News,
          detector: yield* Detector,
          detections: yield* DetectionStore,
        }
        const tickIntervalMs = Duration.toMillis(options.tick)
        return Predetermined.of({ tick: (slot) => tick(services, slot, tickIntervalMs) })
      }),
    )
}

const tick = Effect.fn("Predetermined.tick")(function* (
  services: DetectionServices,
  slot: EpochMs,
  tickIntervalMs: number,
) {
  const started = yield* Clock.currentTimeMillis
  const done: DetectionProgress = {
    ...{ markets: 0, reasoned: 0, asked: 0, unanswered: 0, items: [], rejected: {} },
  }
  const failed: Array<Stage> = []
  const stage = stages("Predetermined", stageLimits, stageFailures, failed)

  const markets = yield* stage("markets", openMarkets(services, slot, tickIntervalMs, done), [])
  const news = yield* stage("news", newsOf(services, markets, slot), new Map())
  const candidates = yield* stage("grounds", findCandidates(services, markets, news, slot), [])
  const proposals = new Map<MarketId, Proposal | null>()
  yield* stage("proposals", readProposals(services, candidates, proposals, done), undefined)
  const now = yield* Clock.currentTimeMillis
  const reasoned = withNewEvidence(services, candidates, proposals, now, done)
  const chosen = yield* stage("books", choose(services, reasoned, now, done), [])
  const rules = yield* stage("rules", readRules(services, chosen), new Map())
  yield* stage("questions", putQuestions(services, chosen, rules, done), undefined)
  yield* stage("forgetting", services.detections.prune(slot - untoldKept), 0)

  const report: PredeterminedReport = {
    slot,
    ...done,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* measure(report)
  return report
})

/** By which words these markets are decided. */
const readRules = Effect.fnUntraced(function* (
  { venue }: DetectionServices,
  chosen: ReadonlyArray<PricedCandidate>,
) {
  if (chosen.length === 0) return new Map<MarketId, string>()
  const { rows } = yield* venue.rules(chosen.map(({ market }) => market.id))
  return new Map(rows.map(({ marketId, text }) => [marketId, text]))
})

const putQuestions = (
  services: DetectionServices,
  chosen: ReadonlyArray<PricedCandidate>,
  rules: ReadonlyMap<MarketId, string>,
  done: DetectionProgress,
) =>
  Effect.forEach(
    chosen,
    (one) => putQuestion(services, one, rules.get(one.market.id) ?? "", done),
    { concurrency: questionConcurrency, discard: true },
  )

/**
 * Asks, judges, tells, and then remembers. Without an answer the rules judge; what they cannot is asked
 * about again.
 */
const putQuestion = Effect.fnUntraced(function* (
  { detector, feed, detections }: DetectionServices,
  { market, key, priced }: PricedCandidate,
  rules: string,
  done: DetectionProgress,
) {
  const question = { ...priced.question, rules }
  done.asked += 1
  const answer = yield* detector.detect(question).pipe(
    Effect.timeout(questionTime),
    Effect.map(Option.some),
    Effect.catchTag("ModelFailed", ({ reason }) =>
      // Once a tick: a model that is down would else fill the log; the report counts the rest.
      Effect.as(
        done.unanswered === 0
          ? Effect.logWarning(`The detector did not answer: ${reason}`)
          : Effect.void,
        Option.none(),
      )),
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("The detector did not answer", cause), Option.none())
    ),
  )
  const now = yield* Clock.currentTimeMillis
  const remember = (evidenceKey: string | null, verdict: string) =>
    detections.remember([{ marketId: market.id, evidenceKey, verdict }], now)
  if (Option.isNone(answer)) done.unanswered += 1
  // The venue's own word needs nobody to read it.
  const judged = judgeDetection(question, Option.getOrElse(answer, () => rulesDetection(question)))
  if (Result.isFailure(judged)) {
    if (Option.isNone(answer)) return yield* remember(null, "unanswered")
    tally(done.rejected, { [judged.failure]: 1 })
    return yield* remember(key, judged.failure)
  }
  const by = Option.isSome(answer) ? detector.name : "rules"
  const told = { ...priced, question, accepted: judged.success, detector: by }
  const added = yield* feed.append([predeterminedItem(told, now)])
  done.items.push(...added.map(({ title }) => title))
  yield* remember(key, "told")
})

const stageFailures = Metric.counter("predetermined_stage_failures_total", { incremental: true })
const rejections = Metric.counter("predetermined_rejections_total", { incremental: true })
const questionsPut = Metric.counter("predetermined_questions_total", { incremental: true })
const unanswered = Metric.counter("predetermined_unanswered_total", { incremental: true })
const itemsTold = Metric.counter("predetermined_items_total", { incremental: true })
const tickSeconds = Metric.gauge("predetermined_tick_seconds")

const measure = (report: PredeterminedReport) =>
  Effect.all([
    Metric.update(tickSeconds, report.seconds),
    Metric.update(questionsPut, report.asked),
    Metric.update(unanswered, report.unanswered),
    Metric.update(itemsTold, report.items.length),
    ...Object.entries(report.rejected).map(([reason, count]) =>
      Metric.update(rejections.pipe(Metric.withAttributes({ reason })), count)
    ),
  ])
