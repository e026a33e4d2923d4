/**
 * A polled value whose computation fails or takes too long is logged once, until it is computed again; a late one
 * without a stack trace, and not in a busy start.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makePolled } from "../../../src/http/server/polled.ts"
import { test } from "../../support/effect.ts"

for (
  const [name, outage, withTrace] of [
    ["fails", Effect.die("down"), true],
    ["takes too long", Effect.never, false],
  ] as const
) {
  test(`a computation that ${name} is logged once for each outage`, () =>
    Effect.gen(function* () {
      const traced: Array<boolean> = []
      const logger = Logger.make<unknown, void>(({ cause }) =>
        void traced.push(cause.reasons.length > 0)
      )
      const isDown = yield* Ref.make(true)
      yield* makePolled({
        compute: Effect.flatMap(Ref.get(isDown), (down) => down ? outage : Effect.succeed(1)),
        computeTimeout: Duration.seconds(3),
        ageMsMax: 5_000,
        failureMessage: "Cannot compute it",
      }).pipe(Effect.provide(Logger.layer([logger])))
      yield* TestClock.adjust("25 seconds")
      equal(traced, withTrace ? [true] : [])
      const counts = []
      for (const down of [true, false, true]) {
        yield* Ref.set(isDown, down)
        yield* TestClock.adjust("40 seconds")
        counts.push(traced.length)
      }
      equal(counts, [1, 1, 2])
      equal(traced, [withTrace, withTrace])
    }))
}
