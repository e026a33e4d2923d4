/**
 * A bound on how long a caller waits for the store.
 *
 * @module
 */
import { type Context, type Duration, Effect, Exit, Option } from "effect"

/**
 * What `effect` gives within `duration`, or none: it is then stopped behind the caller's back.
 * `Effect.timeout` waits for that stop, and a query on a connection that has gone silent takes 5 s
 * more to be given up. Written with observers rather than with a race: a sale waits for the store four
 * times, and two fibers each time cost half of what four do.
 */
export const within =
  (duration: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.callback<Option.Option<A>, E>((resume) => {
        const fork = Effect.runForkWith(context)
        const work = fork(effect)
        const done = work.pollUnsafe()
        if (done !== undefined) return resume(Exit.map(done, Option.some))
        const bound = fork(Effect.sleep(duration))
        work.addObserver((exit) => {
          bound.interruptUnsafe()
          resume(Exit.map(exit, Option.some))
        })
        bound.addObserver((exit) => {
          if (Exit.isFailure(exit)) return
          resume(Effect.succeedNone)
          work.interruptUnsafe()
        })
        return Effect.sync(() => {
          work.interruptUnsafe()
          bound.interruptUnsafe()
        })
      })
    )
