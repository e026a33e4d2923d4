/**
 * Runs Effects as Deno tests, with the TestClock or the real clock.
 *
 * @module
 */
import { setImmediate } from "node:timers"
import { Arbitrary, Clock, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { isFull, sized } from "./size.ts"
import type { EpochMs } from "../../src/core/domain/time.ts"

/** What a test does: an effect, or the steps of one, as in `Effect.gen`. */
export type Body<R> = () =>
  | Effect.Effect<void, unknown, R>
  | Effect.gen.Return<void, unknown, R>

export const effectOf = <R>(body: Body<R>): Effect.Effect<void, unknown, R> =>
  Effect.suspend(() => {
    const steps = body()
    return Effect.isEffect(steps) ? steps : Effect.gen(() => steps)
  })

/** A test on the TestClock. */
export function test(name: string, body: Body<Scope.Scope>): void {
  Deno.test(name, () =>
    Effect.runPromise(
      Effect.scoped(effectOf(body)).pipe(
        Effect.provide(TestClock.layer()),
      ),
    ))
}

/** A test on the real clock, for tests with a process, a socket or a database. */
export function liveTest<R = never>(
  name: string,
  body: Body<Scope.Scope | R>,
  services?: Layer.Layer<R, unknown>,
): void {
  const provided = services ?? Layer.empty as Layer.Layer<never> as Layer.Layer<R>
  Deno.test(name, () => Effect.runPromise(Effect.scoped(Effect.provide(effectOf(body), provided))))
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
export const law = <A>(
  name: string,
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => boolean | void,
  options: Arbitrary.CheckOptions = {},
): void =>
  effectLaw(name, arbitrary, (value) => Effect.sync(() => property(value)), {
    runs: sized({ short: 100, full: 200 }),
    ...options,
  })

/** The same for a property that is an effect. */
export function effectLaw<A>(
  name: string,
  arbitrary: Arbitrary.Arbitrary<A>,
  property: (value: A) => Effect.Effect<boolean | void, unknown>,
  options: Arbitrary.CheckOptions,
): void {
  Deno.test(name, async () => {
    const result = await Effect.runPromise(Arbitrary.checkEffect(
      arbitrary,
      (value) => Effect.map(property(value), (holds) => holds ?? true),
      options,
    ))
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) throw new Error(failure)
  })
}
