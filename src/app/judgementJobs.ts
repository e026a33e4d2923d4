/**
 * What runs on a schedule for the judgement behind the feed: outcomes that exist already, and the
 * service's score of itself. Each is a job of its own, so that neither waits for the other, and the
 * feed's freshness for none.
 *
 * @module
 */
import { Console, Effect, Layer, Schema } from "effect"
import * as detectionStore from "../predetermined/postgres/detectionStore.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { predeterminedLine, scoreLine } from "./intelligenceLines.ts"
import { Predetermined } from "../predetermined/Predetermined.ts"
import { keep } from "../core/Schedules.ts"
import { SelfScore } from "../track-record/SelfScore.ts"
import type { Settings } from "./settings.ts"

/** Over the venue, the news and a detector. */
export const judgementLayer = ({ tick }: Pick<Settings, "tick">) =>
  Layer.merge(
    Predetermined.layer({ tick }).pipe(Layer.provide(detectionStore.layer)),
    SelfScore.layer,
  )

/** A tick of which some stages did not do their work. */
class JudgementFailed extends Schema.TaggedError<JudgementFailed>()("JudgementFailed", {
  stages: Schema.Array(Schema.String),
}) {}

/** Every job, to be run for as long as the service lives; `shown` runs after each tick. */
export const judgementJobs = Effect.fnUntraced(function* (
  { mode, tick }: Pick<Settings, "mode" | "tick">,
  shown: Effect.Effect<void>,
) {
  const predetermined = yield* Predetermined
  const scores = yield* SelfScore
  const say = (line: string, name: string, fields: object) =>
    mode === "dev" ? Console.log(line) : Effect.annotateLogs(Effect.logInfo(name), { ...fields })
  const judge = Effect.fnUntraced(function* (slot: EpochMs) {
    const report = yield* predetermined.tick(slot)
    if (isNews(report, report.asked, report.items.length)) {
      yield* say(predeterminedLine(report), "predetermined", report)
    }
    if (report.failed.length > 0) return yield* new JudgementFailed({ stages: report.failed })
  })
  const score = Effect.fnUntraced(function* (slot: EpochMs) {
    const report = yield* scores.tick(slot)
    const judged = Object.keys(report.judged).length
    if (isNews(report, report.taken, report.resolved, judged)) {
      yield* say(scoreLine(report), "scores", report)
    }
    if (report.failed.length > 0) return yield* new JudgementFailed({ stages: report.failed })
  })
  return [
    keep({ name: "predetermined", every: tick, run: judge, after: shown }),
    keep({ name: "scores", every: tick, run: score, after: shown }),
  ]
})

/** Most ticks find nothing new: a line that says so every time hides those that say something. */
function isNews(
  { failed }: { readonly failed: ReadonlyArray<string> },
  ...counts: ReadonlyArray<number>
): boolean {
  return failed.length > 0 || counts.some((count) => count > 0)
}
