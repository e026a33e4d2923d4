/**
 * The stages of one tick: each has a time limit, and rejections are counted by reason.
 *
 * @module
 */
import { type Duration, Effect, Metric } from "effect"

/** Rejected rows or candidates, counted by reason (short, stable, `snake_case`). */
export type Rejections = Readonly<Record<string, number>>

/** Adds `counts` to `into`. */
export function tally(into: Record<string, number>, counts: Rejections): void {
  for (const [reason, count] of Object.entries(counts)) into[reason] = (into[reason] ?? 0) + count
}

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
