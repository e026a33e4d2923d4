/**
 * What runs on a schedule for the whales: their tick beside the movers', the leaderboards once a day,
 * and the past of wallets that are new.
 *
 * Each is a job of its own, so that none waits for another, and the feed's freshness for none.
 *
 * @module
 */
import { Console, Duration, Effect, Schema } from "effect"
import { whaleLine } from "./announce.ts"
import { progressLine, trackingLine } from "./backfillLines.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { Backfill, type BackfillProgress } from "../whales/Backfill.ts"
import { keep } from "../core/Schedules.ts"
import { Tracking } from "../whales/Tracking.ts"
import { Whales } from "../whales/Whales.ts"
import type { Settings } from "./settings.ts"

const trackEvery = Duration.days(1)
/** How often it is told how far a backfill has come, to a log and to a person. */
const progressEvery = { start: Duration.minutes(1), dev: Duration.seconds(10) }

/** A tick of which some stages did not do their work. */
class WhalesFailed extends Schema.TaggedError<WhalesFailed>()("WhalesFailed", {
  stages: Schema.Array(Schema.String),
}) {}

/** A first tick of movers that takes longer is not waited for. */
const firstTickMax = Duration.minutes(1)

/**
 * Every job, to be run for as long as the service lives; `shown` runs after each tick. A first start
 * has the past of a hundred wallets to read: it begins once `ticked` is done, so that the feed is
 * there first.
 */
export const whaleJobs = Effect.fnUntraced(function* (
  { mode, tick }: Settings,
  shown: Effect.Effect<void>,
  ticked: Effect.Effect<void>,
) {
  const whales = yield* Whales
  const tracking = yield* Tracking
  const backfill = yield* Backfill
  const say = (line: string, name: string, fields: object) =>
    mode === "dev" ? Console.log(line) : Effect.annotateLogs(Effect.logInfo(name), { ...fields })
  const runTick = Effect.fnUntraced(function* (slot: EpochMs) {
    const report = yield* whales.tick(slot)
    yield* say(whaleLine(report), "whales", report)
    if (report.failed.length > 0) return yield* new WhalesFailed({ stages: report.failed })
  })
  const track = Effect.flatMap(
    tracking.update,
    (report) => say(trackingLine(report), "tracking", report),
  )
  const tell = (progress: BackfillProgress) =>
    progress.wallets === 0 ? Effect.void : say(progressLine(progress), "backfill", progress)
  const fill = Effect.flatMap(backfill.run({ every: progressEvery[mode], tell }), tell)
  const jobs = [
    keep({ name: "whales", every: tick, run: runTick, after: shown }),
    keep({ name: "tracking", every: trackEvery, run: () => track }),
    keep({ name: "backfill", every: tick, run: () => fill }),
  ]
  return jobs.map((job) => ticked.pipe(Effect.timeoutOption(firstTickMax), Effect.andThen(job)))
})
