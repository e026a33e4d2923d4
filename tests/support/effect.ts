/**
 * Runs Effects as Deno tests, with the TestClock or the real clock.
 *
 * @module
 */
import { setImmediate } from "node:timers"
import { Arbitrary, Clock, Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { isFull, sized } from "./size.ts"
import type { EpochMs } from "../../src/core/domain/time.ts"

/** A test on the TestClock. */
export function test<E>(
  name: string,
  body: () => Effect.Effect<void, E, Scope.Scope>,
): void {
  Deno.test(name, () =>
    Effect.runPromise(
      Effect.scoped(Effect.suspend(body)).pipe(
        Effect.provide(TestClock.layer()),
      ),
    ))
}

/** A test on the real clock, for tests with a process, a socket or a database. */
export function liveTest<E>(
  name: string,
  body: () => Effect.Effect<void, E, Scope.Scope>,
): void {
  Deno.test(name, () => Effect.runPromise(Effect.scoped(Effect.suspend(body))))
}

/** A law on a store in memory, which other tests trust in its place: runs at full size only. */
export const twinTest: typeof liveTest = isFull ? liveTest : () => {}

/**
 * Runs an effect on a clock that starts at `at` and runs at real speed, for a live test whose result
 * would depend on the date. It does not change a database's clock.
 */
export const startingAt = <A, E, R>(at: EpochMs, effect: Effect.Effect<A, E, R>) =>
  Effect.clockWith((real) => {
    const clock = clockAhead(real, at - real.currentTimeMillisUnsafe())
    return Effect.provideService(effect, Clock.Clock, clock)
  })

/** The same clock, ahead by `ms` (behind, when negative). */
export function clockAhead(clock: Clock.Clock, ms: number): Clock.Clock {
  const nanos = BigInt(ms) * 1_000_000n
  return {
    ...clock,
    currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + ms,
    currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + ms),
    currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() + nanos,
    currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now + nanos),
    monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
    sleep: (duration) => clock.sleep(duration),
  }
}

/** Lets all ready fibers run until they wait again; TestClock time does not pass. */
export const eventLoopTurn = Effect.promise(() =>
  new Promise<void>((resolve) => setImmediate(resolve))
)

/** Checks a law on generated values; a failure prints the shrunk value and how to replay it. */
export function law<A>(
  name: string,
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => boolean | void,
  options: Arbitrary.CheckOptions = {},
): void {
  Deno.test(name, async () => {
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(
        arbitrary,
        (value) => Effect.sync(() => property(value) ?? true),
        { runs: sized({ short: 100, full: 200 }), ...options },
      ),
    )
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) throw new Error(failure)
  })
}
