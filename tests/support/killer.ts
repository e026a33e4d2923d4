/**
 * Kills a process before one of its port calls; the effects of all earlier calls remain.
 *
 * @module
 */
import { Deferred, Effect, Fiber } from "effect"

/** Counts the calls of all watched ports, and hangs at the chosen call. */
export function makeKiller() {
  let calls = 0
  let at = 0
  let dying: Deferred.Deferred<void> | null = null

  const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      calls += 1
      if (dying === null || calls !== at) return effect
      return Effect.andThen(Deferred.succeed(dying, undefined), Effect.never)
    })

  /** The same port with counted calls. */
  const watched = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const found: unknown = Reflect.get(target, name)
        if (Effect.isEffect(found)) return counted(found)
        if (typeof found !== "function") return found
        return (...args: ReadonlyArray<unknown>) => {
          const answer: unknown = Reflect.apply(found, target, args)
          return Effect.isEffect(answer) ? counted(answer) : answer
        }
      },
    })

  /** Runs a process and kills it before its `call`-th call; false when it ends earlier. */
  const killed = Effect.fnUntraced(function* (
    call: number,
    process: Effect.Effect<unknown>,
  ) {
    const death = yield* Deferred.make<void>()
    calls = 0
    at = call
    dying = death
    const fiber = yield* Effect.forkChild(process)
    const died = yield* Effect.raceFirst(
      Effect.as(Deferred.await(death), true),
      Effect.as(Fiber.join(fiber), false),
    )
    yield* Fiber.interrupt(fiber)
    dying = null
    return died
  })

  return { watched, killed }
}
