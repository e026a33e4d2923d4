/**
 * A bound on how long a caller waits for the store.
 *
 * @module
 */
import { type Duration, Effect, Fiber, type Option } from "effect"

/**
 * What `effect` gives within `duration`, or none: it is then stopped behind the caller's back.
 * `Effect.timeout` waits for that stop, and a query on a connection that has gone silent takes 5 s
 * more to be given up.
 */
export const within =
  (duration: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.acquireUseRelease(
      Effect.forkDetach(effect, { startImmediately: true }),
      (fiber) => Effect.timeoutOption(Fiber.join(fiber), duration),
      (fiber) => Effect.sync(() => fiber.interruptUnsafe()),
    )
