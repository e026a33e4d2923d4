/**
 * One run: a seed in, a verdict out. The sagas, the sweeps, the scan and the refunds are the real ones.
 *
 * @module
 */
import { Duration, Effect, Logger, Metric } from "effect"
import type { Signatures } from "../../../src/payments/Signatures.ts"
import { Random } from "../../support/random.ts"
import { oneBuyer } from "./buyers.ts"
import { startReplica, startWorker } from "./machines.ts"
import { arrows, atRest, judge, type Verdict } from "./oracle.ts"
import { VirtualTime } from "./virtualTime.ts"
import { calmAtSeconds, makeWorld, startSeconds } from "./world.ts"

export interface Run {
  readonly verdict: Verdict
  readonly digest: number
  readonly turns: number
  readonly lines: ReadonlyArray<string>
  /** Every arrow that was gone over. */
  readonly arrows: ReadonlyArray<string>
}

/** After the calm: the leases, HOLD, validBefore, the refunds' validity and their retries, all over. */
const restSeconds = 900
const lookEverySeconds = 15
/** Looks that must find all at rest before a run ends: longer than HOLD, and than a scan may take. */
const quietLooks = 14
const turnsMax = 5_000_000

export function simulate(seed: number, mathematics: Signatures["Service"]): Run {
  const random = new Random(seed)
  const time = new VirtualTime(startSeconds * 1_000, random)
  const run = Effect.scoped(Effect.gen(function* () {
    const world = yield* makeWorld(random, time, mathematics)
    const shops = [
      yield* startReplica(world, "replica 1"),
      yield* startReplica(world, "replica 2"),
    ] as const
    yield* startWorker(world, "worker 1")
    if (random.chance(0.5)) yield* startWorker(world, "worker 2")
    const buyers = 1 + random.below(6)
    for (let n = 0; n < buyers; n++) yield* Effect.forkScoped(oneBuyer(world, shops, n))
    yield* Effect.sleep(Duration.seconds(calmAtSeconds))
    world.calm()
    for (let quiet = 0; quiet < quietLooks && world.seconds() < calmAtSeconds + restSeconds;) {
      yield* Effect.sleep(Duration.seconds(lookEverySeconds))
      quiet = atRest(world) ? quiet + 1 : 0
    }
    const verdict = yield* judge(world)
    const { digest, lines } = world.trace
    return { verdict, digest, lines, arrows: arrows(world) }
  })).pipe(
    Effect.provide(Logger.layer([])),
    Effect.provideService(Metric.MetricRegistry, new Map()),
  )
  return { ...time.run(run, turnsMax), turns: time.turns }
}
