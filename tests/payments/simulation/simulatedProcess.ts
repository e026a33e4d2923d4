/**
 * A process that may die at any call that it makes, and is then restarted.
 *
 * @module
 */
import { Deferred, Duration, Effect, Exit, Fiber, Scope } from "effect"
import type { Intercept } from "./interceptors.ts"
import type { World } from "./world.ts"
import { drawCallOutcome } from "./faultRates.ts"

/** A running process, from its start to its death. */
export interface RunningProcess<S> {
  readonly service: S
  readonly intercept: Intercept
  readonly died: Effect.Effect<void>
}

export interface SimulatedProcess<S> {
  /** Null while the process is dead or stopping: no client can connect to it. */
  readonly current: () => RunningProcess<S> | null
}

/** Calls of a store, which may also take effect after their caller has timed out. */
const storeCalls = new Set([
  ...[
    "claim",
    "find",
    "findWithKey",
    "findByKey",
    "release",
    "intend",
    "doubt",
    "settle",
    "answer",
    "owe",
    "void",
    "markSent",
  ],
  ...["waiting", "insertUnmatched", "scanned", "saveScannedThrough", "liability"],
  ...["claimDue", "sign", "refund", "signedSums", "reserved"],
])

/** Longer than every deadline of a store call. */
const lateBy = Duration.seconds(8)

/** Builds a new service at each start, and repeats its jobs while it runs. */
export const startProcess = Effect.fnUntraced(function* <S>(
  world: World,
  name: string,
  build: (intercept: Intercept) => Effect.Effect<S, never, Scope.Scope>,
  jobs: (
    service: S,
  ) => ReadonlyArray<readonly [everySeconds: number, job: Effect.Effect<void>]>,
) {
  const { random, note } = world
  let running: RunningProcess<S> | null = null

  const runOnce = Effect.gen(function* () {
    const death = yield* Deferred.make<void>()
    const died = Deferred.await(death)
    const intercept = withFaults(world, name, death)
    const scope = yield* Scope.make()
    const service = yield* Scope.provide(build(intercept), scope)
    running = { service, intercept, died }
    note(`${name} starts`)
    const working = yield* Effect.forEach(jobs(service), ([seconds, job]) =>
      Effect.forkChild(
        Effect.forever(Effect.andThen(job, Effect.sleep(Duration.seconds(seconds)))),
      ))
    const stops = random.chance(0.3) && world.faultRates().crash > 0
    const end = stops ? Effect.sleep(Duration.seconds(random.between(20, 300))) : Effect.never
    yield* Effect.raceFirst(died, end)
    running = null
    // The jobs of a dead process hang in a call that never returns, so do not wait for them.
    yield* Effect.forEach(working, (job) => Effect.sync(() => job.interruptUnsafe()))
    if (stops) yield* Effect.raceFirst(died, closing(scope))
    note(`${name} has ended`)
    yield* Effect.sleep(Duration.seconds(random.between(1, 20)))
  })
  yield* Effect.forkScoped(Effect.forever(runOnce))
  return { current: () => running } satisfies SimulatedProcess<S>
})

/** Closes a service as a process does on SIGTERM. */
const closing = (scope: Scope.Closeable) =>
  Effect.flatMap(Effect.forkDetach(Scope.close(scope, Exit.void)), Fiber.join)

const withFaults = (world: World, name: string, death: Deferred.Deferred<void>): Intercept => {
  const { random, note } = world
  const isDead = () => Deferred.isDoneUnsafe(death)
  const alive = <A>(value: A) => isDead() ? Effect.never : Effect.succeed(value)
  const die = Effect.andThen(Deferred.succeed(death, undefined), Effect.never)

  return (call, effect) =>
    Effect.suspend(() => {
      if (isDead()) return Effect.never
      const outcome = drawCallOutcome(random, world.faultRates(), storeCalls.has(call))
      note(`${name} ${call}: ${outcome}`)
      switch (outcome) {
        case "done":
          return Effect.flatMap(effect, alive)
        case "late":
          return Effect.uninterruptible(Effect.delay(effect, lateBy)).pipe(Effect.flatMap(alive))
        case "defect before":
          return Effect.die(`${call} failed`)
        case "defect after":
          return Effect.andThen(effect, Effect.die(`${call} failed after it took effect`))
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
