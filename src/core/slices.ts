/**
 * Runs a long computation in slices and lets the event loop answer requests between them.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Parts } from "./domain/parts.ts"

/** How long a computation runs before it lets others run; one part more can be added to it. */
const sliceMsMax = 8

/** The result of the parts. */
export const inSlices = <A>(start: () => Parts<A>): Effect.Effect<A> =>
  Clock.clockWith(Effect.fnUntraced(function* (clock) {
    const parts = start()
    let until = clock.currentTimeMillisUnsafe() + sliceMsMax
    for (;;) {
      const part = parts.next()
      if (part.done === true) return part.value
      if (clock.currentTimeMillisUnsafe() < until) continue
      yield* Effect.yieldNow
      until = clock.currentTimeMillisUnsafe() + sliceMsMax
    }
  }))
