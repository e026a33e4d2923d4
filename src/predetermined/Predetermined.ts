/**
 * Finds live markets whose outcome is already known, and publishes them as predetermined items. It
 * loads the input of the pure rules (`domain/predetermined.ts`), cheapest first.
 *
 * An item is appended to the feed before its market is stored as published. After a crash between the
 * two the question is asked again, and the feed skips the item, because its dedupe key names the market.
 * A market whose proposal is not available waits for the next tick, because no item may contradict the
 * venue. A tick continues without the news, or without the rules of a market.
 *
 * @module
 */
import { Cause, Clock, Context, Duration, Effect, Layer, Metric, Option, Result } from "effect"
import type { Proposal } from "../markets/domain/proposal.ts"
import type { MarketId } from "../markets/domain/market.ts"
import { judgeDetection, predeterminedItem, rulesDetection } from "./domain/predetermined.ts"
import { day, type EpochMs } from "../core/domain/time.ts"
import { ContestedRecord } from "./ContestedRecord.ts"
import { Detector } from "./Detector.ts"
import { DetectionStore } from "./DetectionStore.ts"
import { FeedStore } from "../feed/FeedStore.ts"
import { MarketStore } from "../markets/MarketStore.ts"
import { News } from "../news/News.ts"
import {
  type DetectionProgress,
  type DetectionServices,
  findCandidates,
  newsByMarket,
  openMarkets,
  type PricedCandidate,
  readProposals,
  withNewEvidence,
  withOpenPrice,
} from "./candidates.ts"
import { type Rejections, stages, tally } from "../core/stages.ts"
import { VenueClient } from "../markets/VenueClient.ts"

const questionConcurrency = 4
const answerTimeout = Duration.seconds(45)
/** How long the detection of a market without an item is stored. */
const unpublishedRetentionMs = 30 * day

const stageLimits = {
  markets: Duration.seconds(30),
  news: Duration.seconds(30),
  proposals: Duration.minutes(1),
  candidates: Duration.seconds(10),
  books: Duration.seconds(30),
  rules: Duration.seconds(20),
  questions: Duration.minutes(4),
  pruning: Duration.seconds(10),
} as const
type Stage = keyof typeof stageLimits

/** The counts of one tick. */
interface PredeterminedReport {
  readonly slot: EpochMs
  /** Live markets with a recent, open price. */
  readonly markets: number
  readonly withNewEvidence: number
  /** Questions put to the detector, and those without an answer. */
  readonly questions: number
  readonly unanswered: number
  /** Titles of the published items. */
  readonly items: ReadonlyArray<string>
  /** Rejected markets and answers, by reason. */
  readonly rejected: Rejections
  readonly failed: ReadonlyArray<Stage>
  readonly seconds: number
}

export class Predetermined extends Context.Service<Predetermined, {
  /** Never fails: the report lists the failed stages. */
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
          record: yield* ContestedRecord,
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
  const progress: DetectionProgress = {
    ...{ markets: 0, withNewEvidence: 0, questions: 0, unanswered: 0, items: [], rejected: {} },
  }
  const failed: Array<Stage> = []
  const stage = stages("Predetermined", stageLimits, stageFailures, failed)

  const markets = yield* stage("markets", openMarkets(services, slot, tickIntervalMs, progress), [])
  const news = yield* stage("news", newsByMarket(services, markets, slot), new Map())
  const candidates = yield* stage("candidates", findCandidates(services, markets, news, slot), [])
  const proposals = new Map<MarketId, Proposal | null>()
  yield* stage("proposals", readProposals(services, candidates, proposals, progress), undefined)
  const now = yield* Clock.currentTimeMillis
  const supported = yield* withNewEvidence(services, candidates, proposals, now, progress)
  const chosen = yield* stage("books", withOpenPrice(services, supported, now, progress), [])
  const rules = yield* stage("rules", readRules(services, chosen), new Map())
  yield* stage("questions", putQuestions(services, chosen, rules, progress), undefined)
  yield* stage("pruning", services.detections.prune(slot - unpublishedRetentionMs), 0)

  const report: PredeterminedReport = {
    slot,
    ...progress,
    failed,
    seconds: ((yield* Clock.currentTimeMillis) - started) / 1000,
  }
  yield* measure(report)
  return report
})

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
  progress: DetectionProgress,
) =>
  Effect.forEach(
    chosen,
    (one) => putQuestion(services, one, rules.get(one.market.id) ?? "", progress),
    { concurrency: questionConcurrency, discard: true },
  )

/**
 * Asks the detector, judges its answer, publishes the item and stores the result, in this order. Without
 * an accepted answer, an unchallenged proposal is published as contested. Without any answer and such a
 * proposal, the question is asked again at the next tick.
 */
const putQuestion = Effect.fnUntraced(function* (
  { detector, feed, detections, record }: DetectionServices,
  { market, key, priced }: PricedCandidate,
  rules: string,
  progress: DetectionProgress,
) {
  const question = { ...priced.question, rules }
  progress.questions += 1
  const answer = yield* detector.detect(question).pipe(
    Effect.timeout(answerTimeout),
    Effect.map(Option.some),
    Effect.catchTag("ModelFailed", ({ reason }) =>
      // Logged once per tick, so that a model that is down does not fill the log.
      Effect.as(
        progress.unanswered === 0
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
  const save = (evidenceKey: string | null, result: string) =>
    detections.save([{ marketId: market.id, evidenceKey, result }], now)
  if (Option.isNone(answer)) progress.unanswered += 1
  // That the venue's proposal is contested is true, whatever a model makes of it.
  const byRules = judgeDetection(question, rulesDetection(question))
  const byAnswer = Option.match(answer, {
    onNone: () => byRules,
    onSome: (given) => judgeDetection(question, given),
  })
  const judged = Result.isSuccess(byRules) && Result.isFailure(byAnswer) ? byRules : byAnswer
  if (Result.isFailure(judged)) {
    if (Option.isNone(answer)) return yield* save(null, "unanswered")
    tally(progress.rejected, { [judged.failure]: 1 })
    return yield* save(key, judged.failure)
  }
  const detection = {
    ...{ ...priced, question, accepted: judged.success },
    detector: judged.success.kind === "evidence" ? detector.name : "rules",
    record: yield* record.read,
  }
  const added = yield* feed.append([predeterminedItem(detection, now)])
  progress.items.push(...added.map(({ title }) => title))
  yield* save(key, "published")
})

const stageFailures = Metric.counter("predetermined_stage_failures_total", {
  description: "Failed stages of ticks that look for decided outcomes, by stage",
  incremental: true,
})
const rejections = Metric.counter("predetermined_rejections_total", {
  description: "Detection candidates that were rejected, by reason",
  incremental: true,
})
const questions = Metric.counter("predetermined_questions_total", {
  description: "Questions that were put to the detector",
  incremental: true,
})
const unanswered = Metric.counter("predetermined_unanswered_total", {
  description: "Questions that the detector did not answer",
  incremental: true,
})
const itemsPublished = Metric.counter("predetermined_items_total", {
  description: "Predetermined items that were published",
  incremental: true,
})
const tickSeconds = Metric.gauge("predetermined_tick_seconds", {
  description: "Duration of the last tick that looked for decided outcomes",
})

const measure = (report: PredeterminedReport) =>
  Effect.all([
    Metric.update(tickSeconds, report.seconds),
    Metric.update(questions, report.questions),
    Metric.update(unanswered, report.unanswered),
    Metric.update(itemsPublished, report.items.length),
    ...Object.entries(report.rejected).map(([reason, count]) =>
      Metric.update(rejections.pipe(Metric.withAttributes({ reason })), count)
    ),
  ])
