/**
 * A clock on which each reading of the elapsed time takes a millisecond, so that computations take time.
 *
 * @module
 */
import { Clock, Effect } from "effect"

export const onTickingClock = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.clockWith((clock) => {
    let nanos = 0n
    return Effect.provideService(effect, Clock.Clock, {
      ...clock,
      currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
      currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
      monotonicTimeNanosUnsafe: () => nanos += 1_000_000n,
      sleep: (duration) => clock.sleep(duration),
    })
  })
