/**
 * Deadlines: for one effect, or for every operation of a store.
 *
 * @module
 */
import { type Context, Duration, Effect, Option } from "effect"
import { inSpan } from "./tracing.ts"

/**
 * The result of `effect` within `duration`, or none. At the deadline the effect is interrupted in the
 * background; `Effect.timeout` alone would wait for the interruption, and a query on a dead connection
 * takes 5 s more to end.
 */
export const withDeadline =
  (duration: Duration.Duration) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.callback<A, E>((resume) => {
        const work = Effect.runForkWith(context)(effect)
        work.addObserver(resume)
        return Effect.sync(() => work.interruptUnsafe())
      })
    ).pipe(Effect.timeoutOption(duration))

/** Much longer than a statement takes under load, and much shorter than a buyer waits. */
const storeDeadline = Duration.seconds(5)

type Operation =
  | Effect.Effect<unknown, unknown>
  | ((...args: ReadonlyArray<never>) => Effect.Effect<unknown, unknown>)

/**
 * The same store with a deadline and a span for each operation. A late operation fails with a defect, but the
 * database may still commit it: callers must tolerate a failure after the commit anyway.
 */
export function storeWithDeadline<S extends { readonly [K in keyof S]: Operation }>(
  name: string,
  store: S,
  deadline = storeDeadline,
): S {
  const orDieLate = (operation: string, effect: Effect.Effect<unknown, unknown>) =>
    Effect.flatMap(
      withDeadline(deadline)(effect),
      Option.match({
        onNone: () => Effect.die(`${name} did not answer in time`),
        onSome: (value) => Effect.succeed(value),
      }),
    ).pipe(inSpan("store", { operation }))
  const operations = Object.entries<Operation>(store).map(([key, operation]) => [
    key,
    Effect.isEffect(operation)
      ? orDieLate(key, operation)
      : (...args: ReadonlyArray<never>) => orDieLate(key, operation(...args)),
  ])
  return Object.fromEntries(operations) as S
}
