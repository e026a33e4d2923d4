/**
 * A computation in slices lets other fibers run, and gives the same result as one without a pause.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Fiber } from "effect"
import { mapParts } from "../../src/core/domain/parts.ts"
import { inSlices } from "../../src/core/slices.ts"
import { test } from "../support/effect.ts"
import { onTickingClock } from "../support/tickingClock.ts"

/** Parts until others run, when one part takes a millisecond. */
const partsMax = 20

/** The results of computations at the same time, and the most parts in a row without another fiber. */
const together = Effect.fnUntraced(function* (computations: number, items: ReadonlyArray<number>) {
  let longest = 0
  let parts = 0
  const reset = Effect.sync(() => {
    parts = 0
  })
  const other = yield* Effect.forkChild(Effect.forever(Effect.andThen(reset, Effect.yieldNow)))
  const double = (n: number) => {
    longest = Math.max(longest, parts += 1)
    return 2 * n
  }
  const computation = onTickingClock(inSlices(() => mapParts(items, double)))
  const results = yield* Effect.all(Array.from({ length: computations }, () => computation), {
    concurrency: "unbounded",
  })
  yield* Fiber.interrupt(other)
  return { results, longest }
})

for (const computations of [1, 20]) {
  test(`inSlices() lets another fiber run after a few milliseconds of ${computations} at once`, () =>
    Effect.gen(function* () {
      const items = Array.from({ length: 1_000 }, (_, n) => n)
      const { results, longest } = yield* together(computations, items)
      equal(new Set(results.map((doubled) => doubled.join())).size, 1)
      equal(results[0], items.map((n) => 2 * n))
      ok(longest <= partsMax, `${longest} parts in one slice`)
    }))
}
