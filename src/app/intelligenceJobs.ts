/**
 * What runs on a schedule for the written products: the news, the digest, and forgetting.
 *
 * The digest's job comes every minute and writes only where the current four hours have none: what a
 * crash, a failure or a restart left undone is made good by the next minute's.
 *
 * @module
 */
import { Cause, Console, Duration, Effect, Option } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import { digestLine, headlinesLine } from "./intelligenceLines.ts"
import { Digest } from "../digest/Digest.ts"
import { News } from "../news/News.ts"
import { keep } from "../core/Schedules.ts"
import type { Settings } from "./settings.ts"

const newsEvery = Duration.minutes(15)
const digestTriedEvery = Duration.minutes(1)
const pruneEvery = Duration.hours(1)
/** A first tick of movers that takes longer is not waited for. */
const firstTickMax = Duration.minutes(2)
/** What follows a first tick, wallets and outcomes, has one more tick before the first digest, or this. */
const firstFindsMax = Duration.minutes(1)

/**
 * Every job, to be run for as long as the service lives; `shown` runs after a digest was written. The
 * very first digest is about what the first ticks found: it waits for `ticked`, and a tick more.
 */
export const intelligenceJobs = Effect.fnUntraced(function* (
  { mode, tick }: Pick<Settings, "mode" | "tick">,
  shown: Effect.Effect<void>,
  ticked: Effect.Effect<void>,
) {
  const digests = yield* Digest
  const news = yield* News
  const say = (line: string, name: string, fields: object) =>
    mode === "dev" ? Console.log(line) : Effect.annotateLogs(Effect.logInfo(name), { ...fields })
  const writeDigest = Effect.gen(function* () {
    const report = yield* digests.write
    if (Option.isNone(report)) return
    yield* shown
    yield* say(digestLine(report.value), "digest", report.value)
  })
  const readNews = Effect.fnUntraced(function* (slot: EpochMs) {
    const report = yield* news.update(slot)
    if (report.sources > 0) yield* say(headlinesLine(report), "news", report)
  })
  const prune = Effect.andThen(news.prune, digests.prune)
  const firstFinds = Effect.gen(function* () {
    if (Option.isSome(yield* digests.latest)) return
    yield* Effect.timeoutOption(ticked, firstTickMax)
    yield* Effect.sleep(Duration.min(tick, firstFindsMax))
  }).pipe(Effect.catchCauseIf(
    (cause) => !Cause.hasInterruptsOnly(cause),
    (cause) => Effect.logWarning("Cannot see whether there is a digest", cause),
  ))
  const digest = keep({ name: "digest", every: digestTriedEvery, run: () => writeDigest })
  return [
    keep({ name: "news", every: newsEvery, run: readNews }),
    Effect.andThen(firstFinds, digest),
    keep({ name: "intelligence-prune", every: pruneEvery, run: () => prune }),
  ]
})
