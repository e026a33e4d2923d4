/**
 * What the stages of one tick share: a time limit each, and counting by reason.
 *
 * @module
 */
import { type Duration, Effect, Metric } from "effect"

/** What could not be used, counted by reason (short, stable, `snake_case`). */
export type Rejections = Readonly<Record<string, number>>

/** Adds one count of reasons to another. */
export function tally(into: Record<string, number>, counts: Rejections): void {
  for (const [reason, count] of Object.entries(counts)) into[reason] = (into[reason] ?? 0) + count
}

/**
 * Runs the stages of one tick, each within its limit. One that fails, dies or takes too long is logged,
 * counted and added to `failed`; the next ones work with what there is.
 */
export const stages = <Stage extends string>(
  tick: string,
  limits: Readonly<Record<Stage, Duration.Duration>>,
  failures: Metric.Counter<number>,
  failed: Array<Stage>,
) =>
<A, E>(stage: Stage, effect: Effect.Effect<A, E>, fallback: A): Effect.Effect<A> =>
  effect.pipe(
    Effect.timeout(limits[stage]),
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
