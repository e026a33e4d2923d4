/**
 * Runs a long computation in slices and lets the event loop answer requests between them.
 *
 * @module
 */
import { Clock, Effect, Semaphore } from "effect"
import type { Parts } from "./domain/parts.ts"

/** How long a computation runs before it lets others run: 5 ms, and the rest of one part. */
const sliceNanosMax = 5_000_000n

/**
 * One slice at a time over all computations: fibers that yield at once also run on at once, and
 * twenty of them would keep the event loop from its sockets for twenty slices.
 */
const turn = Semaphore.makeUnsafe(1)

/** The result of the parts. */
export const inSlices = <A>(start: () => Parts<A>): Effect.Effect<A> =>
  Clock.clockWith(Effect.fnUntraced(function* (clock) {
    const parts = start()
    const slice = Effect.suspend((): Effect.Effect<IteratorResult<undefined, A>> => {
      const until = clock.monotonicTimeNanosUnsafe() + sliceNanosMax
      for (;;) {
        const part = parts.next()
        if (part.done === true) return Effect.succeed(part)
        if (clock.monotonicTimeNanosUnsafe() >= until) return Effect.as(Effect.yieldNow, part)
      }
    })
    for (;;) {
      const part = yield* turn.withPermit(slice)
      if (part.done === true) return part.value
    }
  }))
