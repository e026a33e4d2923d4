/**
 * A process that may die at any call it makes, and is started again, until the weather is calm.
 *
 * @module
 */
import { Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import type { Between } from "./between.ts"
import type { World } from "./world.ts"
import { drawFate } from "./weather.ts"

/** One life of a process. */
export interface Life<S> {
  readonly service: S
  readonly between: Between
  readonly died: Effect.Effect<void>
}

export interface Machine<S> {
  /** Null while the process is dead or stopping: no client can connect. */
  readonly life: () => Life<S> | null
}

/** Calls that a store answers: those may also take effect after everybody has given up on them. */
const stored = new Set([
  ...["claim", "find", "release", "intend", "doubt", "settle", "answer", "owe", "void", "markSent"],
  ...["waiting", "insertUnmatched", "scanned", "saveScannedThrough", "liability"],
  ...["claimDue", "sign", "refund", "signedForOthers"],
])

/** Longer than any deadline of the store. */
const lateBy = Duration.seconds(8)

/** Builds a service of its own in each of its lives, and repeats its chores while it lives. */
export const startMachine = Effect.fnUntraced(function* <S>(
  world: World,
  name: string,
  build: (between: Between) => Effect.Effect<S, never, Scope.Scope>,
  chores: (
    service: S,
  ) => ReadonlyArray<readonly [everySeconds: number, chore: Effect.Effect<void>]>,
) {
  const { random, note } = world
  let life: Life<S> | null = null

  const live = Effect.gen(function* () {
    const death = yield* Deferred.make<void>()
    const died = Deferred.await(death)
    const between = hindered(world, name, death)
    const scope = yield* Scope.make()
    const service = yield* Scope.provide(build(between), scope)
    life = { service, between, died }
    note(`${name} lives`)
    const working = yield* Effect.forEach(chores(service), ([seconds, chore]) =>
      Effect.forkChild(
        Effect.forever(Effect.andThen(chore, Effect.sleep(Duration.seconds(seconds)))),
      ))
    const retires = random.chance(0.3) && world.weather().crash > 0
    const end = retires ? Effect.sleep(Duration.seconds(random.between(20, 300))) : Effect.never
    yield* Effect.raceFirst(died, end)
    life = null
    // The jobs of a dead process hang at a call that never returns; nothing waits for them.
    yield* Effect.forEach(working, (chore) => Effect.sync(() => chore.interruptUnsafe()))
    if (retires) yield* Effect.raceFirst(died, closing(scope))
    note(`${name} is gone`)
    yield* Effect.sleep(Duration.seconds(random.between(1, 20)))
  })
  yield* Effect.forkScoped(Effect.forever(live))
  return { life: () => life } satisfies Machine<S>
})

/** Closes a service as a stopping process does. */
const closing = (scope: Scope.Closeable) =>
  Effect.flatMap(Effect.forkDetach(Scope.close(scope, Exit.void)), Fiber.join)

const hindered = (world: World, name: string, death: Deferred.Deferred<void>): Between => {
  const { random, note } = world
  const isDead = () => Deferred.isDoneUnsafe(death)
  const alive = <A>(value: A) => isDead() ? Effect.never : Effect.succeed(value)
  const die = Effect.andThen(Deferred.succeed(death, undefined), Effect.never)

  return (call, effect) =>
    Effect.suspend(() => {
      if (isDead()) return Effect.never
      const fate = drawFate(random, world.weather(), stored.has(call))
      note(`${name} ${call}: ${fate}`)
      switch (fate) {
        case "done":
          return Effect.flatMap(effect, alive)
        case "late":
          return Effect.uninterruptible(Effect.delay(effect, lateBy)).pipe(Effect.flatMap(alive))
        case "defect before":
          return Effect.die(`${call} failed`)
        case "defect after":
          return Effect.andThen(effect, Effect.die(`${call} failed after it was done`))
        case "silence before":
          return Effect.never
        case "silence after":
          return Effect.andThen(effect, Effect.never)
        case "crash before":
          return die
        case "crash after":
          return Effect.andThen(effect, die)
      }
    })
}
