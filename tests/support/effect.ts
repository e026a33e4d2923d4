/**
 * Runs Effects as Deno tests, with the TestClock and without permissions of its own.
 *
 * @module
 */
import { setImmediate } from "node:timers"
import { Arbitrary, Effect, type Scope } from "effect"
import { TestClock } from "effect/testing"

/** A test whose time is the TestClock. */
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

/** A test on the real clock: for what has a process, a socket or a database in it. */
export function liveTest<E>(
  name: string,
  body: () => Effect.Effect<void, E, Scope.Scope>,
): void {
  Deno.test(name, () => Effect.runPromise(Effect.scoped(Effect.suspend(body))))
}

/** Lets whatever is ready come to its next wait; no time passes. */
export const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

/** States a law over generated values; a failure prints the shrunk value and how to replay it. */
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
        { runs: 200, ...options },
      ),
    )
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) throw new Error(failure)
  })
}
