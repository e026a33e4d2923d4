/**
 * The scheduled jobs of the service, in one table.
 *
 * Jobs are independent: none waits for another. Every replica runs this table. A leased job runs
 * once per slot over all replicas (`core/leasedJobs.ts`), on one whose clock agrees with the store's.
 * The others run on every replica: payments
 * change by compare-and-set, so a second sweep or scan finds nothing to do, and the measurement
 * only reads.
 *
 * @module
 */
import { Cause, Clock, Deferred, Duration, Effect, Option, Schedule, Schema } from "effect"
import { JobSlots } from "../core/JobSlots.ts"
import { StoreClock } from "../core/StoreClock.ts"
import { RateLimits } from "../core/RateLimits.ts"
import { asRun, nothingRead, recordedRun, runEverySlot } from "../core/leasedJobs.ts"
import { predeterminedJob, scoresJob, tickJob, whaleJob } from "../core/domain/freshness.ts"
import { type EpochMs, minute } from "../core/domain/time.ts"
import { Digest } from "../digest/Digest.ts"
import { Served } from "../http/layer.ts"
import { FeedChain } from "../feed/FeedChain.ts"
import { Ingestion, isGoodTick } from "../movers/Ingestion.ts"
import { News } from "../news/News.ts"
import { PaymentHealth } from "../payments/PaymentHealth.ts"
import { Payments } from "../payments/Payments.ts"
import { Retention } from "../payments/Retention.ts"
import { Predetermined } from "../predetermined/Predetermined.ts"
import { Research } from "../research/Research.ts"
import { SelfScore } from "../track-record/SelfScore.ts"
import { Backfill } from "../whales/Backfill.ts"
import { Tracking } from "../whales/Tracking.ts"
import { isGoodWhaleTick, Whales } from "../whales/Whales.ts"
import { printer } from "./console.ts"
import type { ServiceSettings } from "./settings.ts"

interface ScheduledJob {
  readonly name: string
  readonly every: Duration.Duration
  readonly run: (slot: EpochMs) => Effect.Effect<unknown, unknown>
  /** Delays the first run. */
  readonly first?: Effect.Effect<unknown>
  /** Runs on this replica after it has finished a slot. */
  readonly after?: Effect.Effect<unknown>
  /**
   * One replica runs each aligned slot. If false, every replica runs the job, pauses and repeats.
   */
  readonly leased: boolean
  /** True while this replica must not run it; only leased jobs ask. */
  readonly held?: Effect.Effect<boolean>
}

type JobSettings = Pick<
  ServiceSettings,
  | "mode"
  | "tick"
  | "sweep"
  | "scan"
  | "freeLimit"
  | "documentLimit"
  | "pageLimit"
  | "invalidPaymentLimit"
>

/** Jobs that use the prices of a tick wait for the first tick, at most this long. */
const firstTickMax = Duration.minutes(1)
/** The first digest waits for the first tick, at most this long. */
const digestTickMax = Duration.minutes(2)
/**
 * After the first tick, the first digest waits for one more tick, at most this long, so that it
 * covers wallets and outcomes too.
 */
const secondTickMax = Duration.minutes(1)
const pruneEvery = Duration.hours(1)
/** How long the finished slots of a job are kept: as long as /status shows their runs. */
const slotsKept = Duration.days(7)

/** The table of jobs. */
export const jobTable = Effect.fnUntraced(function* (settings: JobSettings) {
  const { tick, sweep, scan } = settings
  const { refresh } = yield* Served
  const payments = yield* Payments
  const retention = yield* Retention
  const health = yield* PaymentHealth
  const chain = yield* FeedChain
  const ticked = yield* Deferred.make<void>()
  const firstTick = Effect.timeoutOption(Deferred.await(ticked), firstTickMax)
  const beforeDigest = yield* firstDigest(Deferred.await(ticked), tick)
  const afterTick = Effect.andThen(refresh, Deferred.succeed(ticked, undefined))
  const feed = yield* feedJobs(settings)
  const whale = yield* whaleJobs(settings)
  const written = yield* textJobs(settings, refresh)
  const judged = yield* judgingJobs(settings)
  const { minutes, hours, days } = Duration
  const leased = true
  const jobs: ReadonlyArray<ScheduledJob> = [
    { leased, name: tickJob, every: tick, run: feed.tick, after: afterTick },
    { leased, name: "feed-chain", every: minutes(1), run: () => chain.signDay },
    { leased, name: "prune", every: pruneEvery, run: feed.prune },
    { leased, name: whaleJob, every: tick, first: firstTick, run: whale.tick, after: refresh },
    { leased, name: "tracking", every: days(1), first: firstTick, run: whale.track },
    { leased, name: "backfill", every: tick, first: firstTick, run: whale.fill },
    { leased, name: "news", every: minutes(15), run: written.news },
    // Writes only if the current four hours have no digest, so a digest lost in a crash is written
    // later.
    { leased, name: "digest", every: minutes(1), first: beforeDigest, run: written.digest },
    { leased, name: "intelligence-prune", every: hours(1), run: written.prune },
    {
      leased,
      name: predeterminedJob,
      every: tick,
      run: judged.predetermined,
      first: firstTick,
      after: refresh,
    },
    { leased, name: scoresJob, every: tick, first: firstTick, run: judged.scores, after: refresh },
    // At least every `readingLateMsMax` (track-record/domain/entryScore.ts).
    { leased, name: "follow-prices", every: minutes(1), run: judged.followPrices },
    { leased, name: "payment-prune", every: minutes(10), run: () => retention.prune },
    {
      leased: false,
      name: "sweep payments",
      every: sweep,
      run: () => Effect.andThen(payments.sweep, health.swept),
    },
    {
      leased: false,
      name: "sweep released payments",
      every: sweep,
      run: () => payments.sweepReleased,
    },
    { leased: false, name: "scan the chain", every: scan, run: () => payments.scan },
    { leased: false, name: "measure what is owed", every: scan, run: () => health.measure },
  ]
  const { disagreement } = yield* StoreClock
  const held = Effect.map(disagreement, (reason) => reason !== null)
  return jobs.map((job) => ({ ...job, held }))
})

/** Runs a job for as long as the scope lives. */
export const startJob = (job: ScheduledJob) =>
  Effect.forkScoped(Effect.andThen(
    job.first ?? Effect.void,
    job.leased
      ? runEverySlot(job)
      : Effect.flatMap(Clock.currentTimeMillis, (now) =>
        job.run(now).pipe(
          Effect.as("ok"),
          Effect.catchCause((cause) =>
            Effect.as(Effect.logWarning(`Cannot ${job.name}`, cause), "failed")
          ),
          recordedRun(job.name),
          asRun(job.name, now),
        )).pipe(Effect.repeat(Schedule.spaced(job.every))),
  ))

/** Some stages of a job failed. */
class StagesFailed extends Schema.TaggedError<StagesFailed>()("StagesFailed", {
  stages: Schema.Array(Schema.String),
}) {}

interface Report {
  readonly failed: ReadonlyArray<string>
}

const failIf = (failed: boolean, { failed: stages }: Report) =>
  failed ? Effect.fail(new StagesFailed({ stages })) : Effect.void

const failIfAny = (report: Report) => failIf(report.failed.length > 0, report)

/** Most ticks find nothing new, and print nothing. */
function isWorthPrinting({ failed }: Report, ...counts: ReadonlyArray<number>): boolean {
  return failed.length > 0 || counts.some((count) => count > 0)
}

/** The jobs of the movers, and the deletion of old rows. */
const feedJobs = Effect.fnUntraced(function* (settings: JobSettings) {
  const ingestion = yield* Ingestion
  const slots = yield* JobSlots
  const limits = yield* RateLimits
  const research = yield* Research
  const print = printer(settings.mode)
  return {
    tick: Effect.fnUntraced(function* (slot: EpochMs) {
      const report = yield* ingestion.tick(slot)
      yield* print("tick", report)
      yield* failIf(!isGoodTick(report), report)
    }),
    prune: Effect.fnUntraced(function* (slot: EpochMs) {
      yield* ingestion.prune
      yield* research.prune
      yield* limits.prune(slot - longestWindowMs(settings) - clockSkewMsMax)
      yield* slots.prune(slot - Duration.toMillis(slotsKept))
    }),
  }
})

/** Grants have the time of the database; the clock of a replica may be ahead of it by this. */
const clockSkewMsMax = 5 * minute

/** A grant older than this is outside the window of every limit. */
function longestWindowMs(
  { freeLimit, documentLimit, pageLimit, invalidPaymentLimit }: JobSettings,
): number {
  return Math.max(
    ...[freeLimit, documentLimit, pageLimit, invalidPaymentLimit].map((budget) =>
      budget === "off" ? 0 : budget.windowMs
    ),
    Duration.toMillis(pruneEvery),
  )
}

/** The jobs of tracked wallets: their tick, the leaderboards, and the history of new wallets. */
const whaleJobs = Effect.fnUntraced(function* ({ mode, tick }: JobSettings) {
  const whales = yield* Whales
  const tracking = yield* Tracking
  const backfill = yield* Backfill
  const print = printer(mode)
  return {
    tick: Effect.fnUntraced(function* (slot: EpochMs) {
      const report = yield* whales.tick(slot)
      yield* print("whales", report)
      yield* failIf(!isGoodWhaleTick(report), report)
      return report.wallets === 0 ? nothingRead : undefined
    }),
    track: () => Effect.tap(tracking.update, (report) => print("tracking", report)),
    // Long histories take many runs, so that each run is reported.
    fill: Effect.fnUntraced(function* () {
      const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(tick)
      const report = yield* backfill.run(until)
      if (report.wallets > 0) yield* print("backfill", report)
    }),
  }
})

/** The jobs of the news and the digest; `refresh` runs after a digest was written. */
const textJobs = Effect.fnUntraced(function* (
  { mode }: JobSettings,
  refresh: Effect.Effect<void>,
) {
  const digest = yield* Digest
  const news = yield* News
  const print = printer(mode)
  return {
    news: Effect.fnUntraced(function* (slot: EpochMs) {
      const report = yield* news.update(slot)
      if (report.sources > 0) yield* print("news", report)
    }),
    digest: Effect.fnUntraced(function* () {
      const report = yield* digest.write
      if (Option.isNone(report)) return
      yield* refresh
      yield* print("digest", report.value)
    }),
    prune: () => Effect.all([news.prune, digest.prune], { discard: true }),
  }
})

/** Delays the very first digest until the first ticks have finished. */
const firstDigest = Effect.fnUntraced(function* (
  ticked: Effect.Effect<void>,
  tick: Duration.Duration,
) {
  const digest = yield* Digest
  return Effect.gen(function* () {
    if (Option.isSome(yield* digest.latest)) return
    yield* Effect.timeoutOption(ticked, digestTickMax)
    yield* Effect.sleep(Duration.min(tick, secondTickMax))
  }).pipe(Effect.catchCauseIf(
    (cause) => !Cause.hasInterruptsOnly(cause),
    (cause) => Effect.logWarning("Cannot read the latest digest", cause),
  ))
})

/** The jobs of predetermined outcomes, and of the scores of the service's own items. */
const judgingJobs = Effect.fnUntraced(function* ({ mode }: JobSettings) {
  const predetermined = yield* Predetermined
  const scores = yield* SelfScore
  const print = printer(mode)
  return {
    predetermined: Effect.fnUntraced(function* (slot: EpochMs) {
      const report = yield* predetermined.tick(slot)
      if (isWorthPrinting(report, report.known, report.items.length)) {
        yield* print("predetermined", report)
      }
      yield* failIfAny(report)
      return report.markets === 0 ? nothingRead : undefined
    }),
    followPrices: Effect.fnUntraced(function* (slot: EpochMs) {
      const report = yield* scores.readBooks(slot)
      if (isWorthPrinting(report, Object.keys(report.readings).length)) {
        yield* print("follow-prices", report)
      }
      yield* failIfAny(report)
    }),
    scores: Effect.fnUntraced(function* (slot: EpochMs) {
      const report = yield* scores.tick(slot)
      const verdicts = Object.keys(report.verdicts).length
      if (isWorthPrinting(report, report.itemsRead, report.resolved, report.forecasts, verdicts)) {
        yield* print("scores", report)
      }
      yield* failIfAny(report)
    }),
  }
})
