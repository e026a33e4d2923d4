/**
 * How long a caller waits for what may never answer: one effect, or every operation of a store.
 *
 * @module
 */
import { type Context, Duration, Effect, Exit, Option } from "effect"

/**
 * What `effect` gives within `duration`, or none: it is then stopped behind the caller's back.
 * `Effect.timeout` waits for that stop, and a query on a connection that has gone silent takes 5 s
 * more to be given up. Written with observers rather than with a race: a sale waits for the store four
 * times, and two fibers each time cost half of what four do.
 */
export const withDeadline =
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

/** Many times what a statement takes under load; a fraction of what a buyer waits. */
export const storeDeadline = Duration.seconds(5)

type Operation =
  | Effect.Effect<unknown, unknown>
  | ((...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>)

/**
 * The same store, each of whose operations is waited for no longer than `deadline`; later it has failed,
 * as a defect. What is late may still be done: it counts as a failure after the commit, which
 * every caller has to stand anyway.
 */
export function storeWithDeadline<S extends { readonly [K in keyof S]: Operation }>(
  name: string,
  store: S,
  deadline = storeDeadline,
): S {
  const inTime = (effect: Effect.Effect<unknown, unknown>) =>
    Effect.flatMap(
      withDeadline(deadline)(effect),
      Option.match({
        onNone: () => Effect.die(`${name} does not answer`),
        onSome: (value) => Effect.succeed(value),
      }),
    )
  const bounded = Object.entries<Operation>(store).map(([key, operation]) => [
    key,
    Effect.isEffect(operation)
      ? inTime(operation)
      : (...args: ReadonlyArray<never>) => inTime(operation(...args)),
  ])
  return Object.fromEntries(bounded) as S
}
