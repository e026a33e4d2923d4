/**
 * Values that are read at most once in a while, by a clock that may go back.
 *
 * @module
 */
import { Clock, Duration, Effect, Exit } from "effect"

/** The value of a read, kept for `length` unless it failed, and what ends that sooner. */
export const cachedFor = Effect.fnUntraced(function* <A, E, R>(
  read: Effect.Effect<A, E, R>,
  length: Duration.Duration,
) {
  const [cached, invalidate] = yield* Effect.cachedInvalidateWithTTL(
    read,
    (exit) => Exit.isSuccess(exit) ? length : Duration.zero,
  )
  return [forgetAfterStepBack(invalidate)(cached), invalidate] as const
})

/** A step back that is no correction of the clock. */
const stepBackMs = 1_000

/**
 * Runs `forget` before a read when the time has gone back since the last one. What Effect keeps until a
 * time of day would else be young for as long as the clock was ahead.
 */
export function forgetAfterStepBack(forget: Effect.Effect<void>) {
  let askedAt = -Infinity
  return <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const wentBack = now < askedAt - stepBackMs
      askedAt = now
      return wentBack ? Effect.andThen(forget, read) : read
    })
}
