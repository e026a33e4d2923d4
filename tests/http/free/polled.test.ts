/**
 * A polled value is served until it is too old; its outage is logged once, until it is computed again.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Logger, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makePolled } from "../../../src/http/free/reads.ts"
import { test } from "../../support/effect.ts"

for (
  const [name, outage] of [
    ["fails", Effect.die("down")],
    ["takes too long", Effect.never],
  ] as const
) {
  test(`a value whose computation ${name} is served until it is too old, and the outage logged once`, () =>
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
      const isDown = yield* Ref.make(false)
      const { current } = yield* makePolled(
        Effect.flatMap(Ref.get(isDown), (down) => down ? outage : Effect.succeed(1)),
        "Cannot compute it",
      ).pipe(Effect.provide(Logger.layer([logger])))
      const seen = []
      for (
        const [down, after] of [
          [false, "0 seconds"],
          [true, "4 seconds"],
          [true, "40 seconds"],
          [false, "2 seconds"],
          [true, "40 seconds"],
        ] as const
      ) {
        yield* Ref.set(isDown, down)
        yield* TestClock.adjust(after)
        seen.push([current(), lines.length])
      }
      equal(seen, [[1, 0], [1, 0], [null, 1], [1, 1], [null, 2]])
    }))
}
