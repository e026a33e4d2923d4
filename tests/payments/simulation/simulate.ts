/**
 * Runs one seed with the real sales, sweeps, scans and refunds.
 *
 * @module
 */
import { Duration, Effect, Logger, Metric } from "effect"
import { UnmatchedRefundMin } from "../../../src/core/UnmatchedRefundMin.ts"
import type { Signatures } from "../../../src/payments/Signatures.ts"
import { Random } from "../../support/random.ts"
import { runBuyer } from "./buyers.ts"
import type { StoreMutant } from "./database.ts"
import { startReplica, startWorker } from "./processes.ts"
import { allFinal, checkRun, type RunResult, transitions } from "./oracle.ts"
import { VirtualTime } from "./virtualTime.ts"
import { faultsEndSeconds, makeWorld, startSeconds } from "./world.ts"

export interface Run {
  readonly result: RunResult
  readonly digest: number
  readonly steps: number
  readonly lines: ReadonlyArray<string>
  /** Every transition that a payment made. */
  readonly transitions: ReadonlyArray<string>
}

/** Enough for leases, HOLD, validBefore, refund signatures and their retries to expire. */
const drainSecondsMax = 900
const checkIntervalSeconds = 15
/** Consecutive checks that must find only final states: longer than HOLD and than a scan. */
const finalChecksMin = 14
const stepsMax = 5_000_000

/** `mutant`: a defect of the store that the invariants must find. */
export function simulate(
  seed: number,
  realSignatures: Signatures["Service"],
  mutant: StoreMutant | null = null,
): Run {
  const random = new Random(seed)
  const time = new VirtualTime(startSeconds * 1_000, random)
  const run = Effect.scoped(Effect.gen(function* () {
    const world = yield* makeWorld(random, time, realSignatures, mutant)
    const replicas = [
      yield* startReplica(world, "replica 1"),
      yield* startReplica(world, "replica 2"),
    ] as const
    yield* startWorker(world, "worker 1")
    if (random.chance(0.5)) yield* startWorker(world, "worker 2")
    const buyers = 1 + random.below(6)
    for (let n = 0; n < buyers; n++) yield* Effect.forkScoped(runBuyer(world, replicas, n))
    yield* Effect.sleep(Duration.seconds(faultsEndSeconds))
    world.endFaults()
    for (
      let finalChecks = 0;
      finalChecks < finalChecksMin && world.seconds() < faultsEndSeconds + drainSecondsMax;
    ) {
      yield* Effect.sleep(Duration.seconds(checkIntervalSeconds))
      finalChecks = allFinal(world) ? finalChecks + 1 : 0
    }
    const result = yield* checkRun(world)
    const { digest, lines } = world.trace
    return { result, digest, lines, transitions: transitions(world) }
  })).pipe(
    Effect.provide(Logger.layer([])),
    Effect.provideService(Metric.MetricRegistry, new Map()),
    // A payer may use a nonce for a little less than a price: each transfer is refunded here.
    Effect.provideService(UnmatchedRefundMin, 0n),
  )
  return { ...time.run(run, stepsMax), steps: time.steps }
}
