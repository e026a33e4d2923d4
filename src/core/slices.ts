/**
 * Runs a long computation in slices and lets the event loop answer requests between them.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Parts } from "./domain/parts.ts"

/** How long a computation runs before it lets others run: 5 ms, and the rest of one part. */
const sliceNanosMax = 5_000_000n

/** The result of the parts. */
export const inSlices = <A>(start: () => Parts<A>): Effect.Effect<A> =>
  Clock.clockWith(Effect.fnUntraced(function* (clock) {
    const parts = start()
    let until = clock.monotonicTimeNanosUnsafe() + sliceNanosMax
    for (;;) {
      const part = parts.next()
      if (part.done === true) return part.value
      if (clock.monotonicTimeNanosUnsafe() < until) continue
      yield* Effect.yieldNow
      until = clock.monotonicTimeNanosUnsafe() + sliceNanosMax
    }
  }))
