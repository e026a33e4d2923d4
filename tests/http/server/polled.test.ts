/**
 * A polled value whose computation fails or takes too long is logged once, until it is computed again.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makePolled } from "../../../src/http/server/polled.ts"
import { test } from "../../support/effect.ts"

for (
  const [name, outage] of [
    ["fails", Effect.die("down")],
    ["takes too long", Effect.never],
  ] as const
) {
  test(`a computation that ${name} is logged once for each outage`, () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
      const isDown = yield* Ref.make(true)
      yield* makePolled({
        compute: Effect.flatMap(Ref.get(isDown), (down) => down ? outage : Effect.succeed(1)),
        computeTimeout: Duration.seconds(3),
        ageMsMax: 5_000,
        failureMessage: "Cannot compute it",
      }).pipe(Effect.provide(Logger.layer([logger])))
      const counts = []
      for (const down of [true, false, true]) {
        yield* Ref.set(isDown, down)
        yield* TestClock.adjust("20 seconds")
        counts.push(lines.length)
      }
      equal(counts, [1, 1, 2])
    }))
}
