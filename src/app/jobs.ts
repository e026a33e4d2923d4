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
import { asRun, type Job, nothingRead, recordedRun, runEverySlot } from "../core/leasedJobs.ts"
import { type TickReport } from "../core/stages.ts"
import { predeterminedJob, scoresJob, tickJob, whaleJob } from "../core/domain/freshness.ts"
import { type EpochMs, minute } from "../core/domain/time.ts"
import { Digest } from "../digest/Digest.ts"
import { Served } from "../http/layer.ts"
import { Feed } from "../feed/Feed.ts"
import { Ingestion, isGoodTick } from "../movers/Ingestion.ts"
import { News } from "../news/News.ts"
import { PaymentHealth } from "../payments/PaymentHealth.ts"
import { Payments } from "../payments/Payments.ts"
import { Retention } from "../payments/postgres/retention.ts"
import { Predetermined } from "../predetermined/Predetermined.ts"
import { Research } from "../research/Research.ts"
import { readingsJob, SelfScore } from "../track-record/SelfScore.ts"
import { Tracking } from "../whales/Tracking.ts"
import { WalletHistory } from "../whales/WalletHistory.ts"
import { isGoodWhaleTick, Whales } from "../whales/Whales.ts"
import { printer } from "./console.ts"
import type { ServiceSettings } from "./settings.ts"

interface ScheduledJob extends Job {
  /** Delays the first run. */
  readonly first?: Effect.Effect<unknown>
  /**
   * One replica runs each aligned slot. If false, every replica runs the job, pauses and repeats.
   */
  readonly leased: boolean
}

type JobSettings = Pick<ServiceSettings, "mode" | "tick" | "sweep" | "scan" | "limits">

/** Jobs that use the prices of a tick wait for the first tick, at most this long. */
const firstTickMax = Duration.minutes(1)
/** The first digest waits for the first tick, at most this long. */
const digestTickMax = Duration.minutes(2)
/**
 * After the first tick, the first digest waits for one more tick, at most this long, so that it
 * covers wallets and outcomes too.
 */
const secondTickMax = Duration.minutes(1)
const housekeepingEvery = Duration.minutes(10)
/** How long the finished slots of a job are kept: as long as /status shows their runs. */
const slotsKept = Duration.days(7)

/** The table of jobs. */
export const jobTable = Effect.fnUntraced(function* (settings: JobSettings) {
  const { tick, sweep, scan } = settings
  const { minutes, days } = Duration
  const { refresh } = yield* Served
  const { disagreement } = yield* StoreClock
  const ticked = yield* Deferred.make<void>()
  const first = Effect.timeoutOption(Deferred.await(ticked), firstTickMax)
  const beforeDigest = yield* firstDigest(Deferred.await(ticked), tick)
  const afterTick = Effect.andThen(refresh, Deferred.succeed(ticked, undefined))
  const run = yield* tickRuns(settings)
  const wallets = yield* walletRuns(settings)
  const texts = yield* textRuns(settings, refresh)
  const money = yield* moneyRuns
  const housekeeping = yield* housekeepingRun(settings)
  const held = Effect.map(disagreement, (reason) => reason !== null)
  const leased = { leased: true, held }
  const everywhere = { leased: false }
  return [
    { ...leased, name: tickJob, every: tick, run: run.movers, after: afterTick },
    {
      ...leased,
      name: predeterminedJob,
      every: tick,
      first,
      run: run.predetermined,
      after: refresh,
    },
    { ...leased, name: scoresJob, every: tick, first, run: run.scores, after: refresh },
    // At least every `readingLateMsMax` (track-record/domain/entryScore.ts).
    { ...leased, name: readingsJob, every: minutes(1), run: run.readings },
    { ...leased, name: whaleJob, every: tick, first, run: run.whales, after: refresh },
    { ...leased, name: "backfill", every: tick, first, run: wallets.fill },
    { ...leased, name: "tracking", every: days(1), first, run: wallets.track },
    { ...leased, name: "news", every: minutes(15), run: texts.news },
    // Writes only if the current four hours have no digest, so a digest lost in a crash is written
    // later.
    { ...leased, name: "digest", every: minutes(1), first: beforeDigest, run: texts.digest },
    { ...leased, name: "housekeeping", every: housekeepingEvery, run: housekeeping },
    { ...everywhere, name: "sweep payments", every: sweep, run: () => money.sweep },
    { ...everywhere, name: "scan the chain", every: scan, run: () => money.scan },
  ] satisfies ReadonlyArray<ScheduledJob>
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

/** What a slot of a tick came to, for its line and for its outcome. */
interface Finish<Report> {
  readonly isGood?: (report: Report) => boolean
  /** Most ticks of some find nothing new, and print nothing. */
  readonly counts?: (report: Report) => ReadonlyArray<number>
  readonly isEmpty?: (report: Report) => boolean
}

/** Prints the report of each slot. A slot fails if its report is not good. */
const reported = <Report extends TickReport<string>>(
  { mode }: JobSettings,
  name: string,
  tick: (slot: EpochMs) => Effect.Effect<Report>,
  { isGood = ({ failed }) => failed.length === 0, counts, isEmpty }: Finish<Report>,
) =>
  Effect.fnUntraced(function* (slot: EpochMs) {
    const report = yield* tick(slot)
    const found = counts === undefined || counts(report).some((count) => count > 0)
    if (found || report.failed.length > 0) yield* printer(mode)(name, report)
    if (!isGood(report)) return yield* new StagesFailed({ stages: report.failed })
    return isEmpty?.(report) === true ? nothingRead : undefined
  })

/** The ticks: each reads the venue or the store, and appends items or scores. */
const tickRuns = Effect.fnUntraced(function* (settings: JobSettings) {
  const ingestion = yield* Ingestion
  const whales = yield* Whales
  const predetermined = yield* Predetermined
  const scores = yield* SelfScore
  return {
    movers: reported(settings, tickJob, ingestion.tick, { isGood: isGoodTick }),
    whales: reported(settings, whaleJob, whales.tick, {
      isGood: isGoodWhaleTick,
      isEmpty: ({ wallets }) => wallets === 0,
    }),
    predetermined: reported(settings, predeterminedJob, predetermined.tick, {
      counts: ({ known, items }) => [known, items.length],
      isEmpty: ({ markets }) => markets === 0,
    }),
    scores: reported(settings, scoresJob, scores.tick, {
      counts: ({ itemsRead, resolved, forecasts, verdicts }) => [
        itemsRead,
        resolved,
        forecasts,
        Object.keys(verdicts).length,
      ],
    }),
    readings: reported(settings, readingsJob, scores.readBooks, {
      counts: ({ readings }) => [Object.keys(readings).length],
    }),
  }
})

/** The leaderboards, and the history of new wallets. */
const walletRuns = Effect.fnUntraced(function* ({ mode, tick }: JobSettings) {
  const tracking = yield* Tracking
  const history = yield* WalletHistory
  const print = printer(mode)
  return {
    track: () => Effect.tap(tracking.update, (report) => print("tracking", report)),
    // Long histories take many runs, so that each run is reported.
    fill: Effect.fnUntraced(function* () {
      const until = (yield* Clock.currentTimeMillis) + Duration.toMillis(tick)
      const report = yield* history.readHistories(until)
      if (report.wallets > 0) yield* print("backfill", report)
    }),
  }
})

/** The news and the digest; `refresh` runs after a digest was written. */
const textRuns = Effect.fnUntraced(function* (
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
  }
})

/** What every replica does for payments. */
const moneyRuns = Effect.gen(function* () {
  const payments = yield* Payments
  const health = yield* PaymentHealth
  return {
    sweep: eachOf([Effect.andThen(payments.sweep, health.swept), payments.sweepReleased]),
    scan: eachOf([payments.scan, health.measure]),
  }
})

/** Signs the feed's head of the day before, and deletes what is old. */
const housekeepingRun = Effect.fnUntraced(function* (settings: JobSettings) {
  const { signDay } = yield* Feed
  const ingestion = yield* Ingestion
  const research = yield* Research
  const news = yield* News
  const digest = yield* Digest
  const retention = yield* Retention
  const limits = yield* RateLimits
  const slots = yield* JobSlots
  return (slot: EpochMs) =>
    eachOf([
      signDay,
      ingestion.prune,
      research.prune,
      news.prune,
      digest.prune,
      retention.deleteOld,
      limits.prune(slot - longestWindowMs(settings) - clockSkewMsMax),
      slots.prune(slot - Duration.toMillis(slotsKept)),
    ])
})

/** Runs all in turn, and fails at the end if one failed. */
const eachOf = <E>(work: ReadonlyArray<Effect.Effect<unknown, E>>): Effect.Effect<void, E> =>
  Effect.flatMap(
    Effect.forEach(work, (one) => Effect.exit(one)),
    (exits) => Effect.all(exits, { discard: true }),
  )

/** Grants have the time of the database; the clock of a replica may be ahead of it by this. */
const clockSkewMsMax = 5 * minute

/** A grant older than this is outside the window of every limit. */
function longestWindowMs({ limits }: JobSettings): number {
  return Math.max(
    ...Object.values(limits).map((budget) => budget === "off" ? 0 : budget.windowMs),
    Duration.toMillis(housekeepingEvery),
  )
}

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
