/**
 * Deadlines: for one effect, or for every operation of a store.
 *
 * @module
 */
import { type Context, Duration, Effect, Exit, Option } from "effect"

/**
 * The result of `effect` within `duration`, or none. At the deadline the effect is interrupted in the
 * background; `Effect.timeout` would wait for the interruption, and a query on a dead connection
 * takes 5 s more to end. It uses fiber observers, which need two fibers where a race needs four, at
 * half of the cost. That matters because a sale waits for the store four times.
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
        const timer = fork(Effect.sleep(duration))
        work.addObserver((exit) => {
          timer.interruptUnsafe()
          resume(Exit.map(exit, Option.some))
        })
        timer.addObserver((exit) => {
          if (Exit.isFailure(exit)) return
          resume(Effect.succeedNone)
          work.interruptUnsafe()
        })
        return Effect.sync(() => {
          work.interruptUnsafe()
          timer.interruptUnsafe()
        })
      })
    )

/** Much longer than a statement takes under load, and much shorter than a buyer waits. */
export const storeDeadline = Duration.seconds(5)

type Operation =
  | Effect.Effect<unknown, unknown>
  | ((...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>)

/**
 * The same store with a deadline for each operation. A late operation fails with a defect, but the
 * database may still commit it: callers must tolerate a failure after the commit anyway.
 */
export function storeWithDeadline<S extends { readonly [K in keyof S]: Operation }>(
  name: string,
  store: S,
  deadline = storeDeadline,
): S {
  const orDieLate = (effect: Effect.Effect<unknown, unknown>) =>
    Effect.flatMap(
      withDeadline(deadline)(effect),
      Option.match({
        onNone: () => Effect.die(`${name} did not answer in time`),
        onSome: (value) => Effect.succeed(value),
      }),
    )
  const operations = Object.entries<Operation>(store).map(([key, operation]) => [
    key,
    Effect.isEffect(operation)
      ? orDieLate(operation)
      : (...args: ReadonlyArray<never>) => orDieLate(operation(...args)),
  ])
  return Object.fromEntries(operations) as S
}
