/**
 * Measures how long an effect takes.
 *
 * @module
 */
import { Clock, Effect, type Exit } from "effect"

/** Upper limits of the buckets of a duration, in seconds. */
export const secondsBuckets = [
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  20,
  60,
]

/** Runs `record` with the exit, the duration in seconds, and the time at the end. */
export const timed =
  <A, E>(record: (exit: Exit.Exit<A, E>, seconds: number, now: number) => Effect.Effect<void>) =>
  <R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(
      Clock.currentTimeMillis,
      (startedAt) =>
        Effect.onExit(effect, (exit) =>
          Effect.flatMap(
            Clock.currentTimeMillis,
            (now) => record(exit, (now - startedAt) / 1_000, now),
          )),
    )
