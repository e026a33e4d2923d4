/**
 * The stages of one tick: each has a time limit, and rejections are counted by reason.
 *
 * @module
 */
import { type Duration, Effect, Exit, Metric } from "effect"
import { secondsBuckets, timed } from "./timed.ts"
import { inSpan } from "./tracing.ts"

/** Rejected rows or candidates, counted by reason (short, stable, `snake_case`). */
export type Rejections = Readonly<Record<string, number>>

/** Adds `counts` to `into`. */
export function tally(into: Record<string, number>, counts: Rejections): void {
  for (const [reason, count] of Object.entries(counts)) into[reason] = (into[reason] ?? 0) + count
}

const stageSeconds = Metric.histogram("tick_stage_seconds", {
  description: "Duration of a stage of a tick, by tick, stage and outcome",
  boundaries: [...secondsBuckets, 120, 300],
})

/**
 * Runs the stages of one tick, each within its limit. A stage that fails, dies or times out is logged,
 * counted and added to `failed`, and returns its fallback; the next stages still run.
 */
export const stages = <Stage extends string>(
  tick: string,
  limits: Readonly<Record<Stage, Duration.Duration>>,
  failures: Metric.Counter<number>,
  failed: Array<Stage>,
) =>
<A, E>(stage: Stage, effect: Effect.Effect<A, E>, fallback: A): Effect.Effect<A> => {
  const of = (outcome: "ok" | "failed") =>
    Metric.withAttributes(stageSeconds, { tick: tick.toLowerCase(), stage, outcome })
  const run = effect.pipe(
    Effect.timeout(limits[stage]),
    timed((exit, seconds) => Metric.update(of(Exit.isSuccess(exit) ? "ok" : "failed"), seconds)),
    inSpan("stage", { stage }),
    Effect.catchCause((cause) =>
      Effect.logWarning(`${tick} stage ${stage} failed`, cause).pipe(
        Effect.andThen(Metric.update(failures.pipe(Metric.withAttributes({ stage })), 1)),
        Effect.map(() => {
          failed.push(stage)
          return fallback
        }),
      )
    ),
  )
  // Reading the series creates it, so that an alert sees the first failure as an increase.
  return Effect.andThen(Metric.value(of("failed")), run)
}
