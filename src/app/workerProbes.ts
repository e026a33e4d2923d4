/**
 * The probes and the metrics of the refund worker, on a listener of its own.
 *
 * It listens before the store is there, so that a worker that waits for its store can be seen.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Metric, Schedule } from "effect"
import { withDeadline } from "../core/deadline.ts"
import type { EpochMs } from "../core/domain/time.ts"
import { type ProbeFailure, serveProbes } from "../core/probes.ts"
import { Chain } from "../payments/Chain.ts"
import { type QueueName, type RefundOutcome, refundQueues } from "../payments/domain/refund.ts"
import { isDisputed } from "../payments/domain/paymentHealth.ts"
import { chainReadAge, PortRecords } from "../payments/observedPorts.ts"
import type { WorkerSettings } from "./moneySettings.ts"
import { notListening } from "./variables.ts"

const drain = Duration.seconds(1)
/** How often the chain is read, and how long that may take. */
const readEvery = Duration.minutes(1)
const headTimeout = Duration.seconds(8)
const ageEvery = Duration.seconds(1)
/** The worker is ready while a sweep has finished within this time, or within four intervals. */
const sweepAgeMsMax = 60_000
const sweepsMax = 4
/** The chain is read every minute at least, so three reads fail before this age. */
const chainAgeMsMax = 3.5 * 60_000

/** What the worker last did. */
interface Beat {
  /** This machine's; since the first sweep the store's. */
  clock: Clock.Clock
  /** When the first sweep finished. */
  startedAt: EpochMs | null
  /** When a sweep of each queue last finished. */
  readonly sweptAt: Map<QueueName, EpochMs>
}

/** When the queue that was swept least recently was swept; null until each queue was. */
const oldestSweepAt = ({ sweptAt }: Beat): EpochMs | null =>
  sweptAt.size < refundQueues.length ? null : Math.min(...sweptAt.values())

/** The heartbeat of the worker. */
export class WorkerBeat extends Context.Service<WorkerBeat, Beat>()("bellwether/app/WorkerBeat") {
  static readonly layer: Layer.Layer<WorkerBeat> = Layer.effect(
    WorkerBeat,
    Effect.map(Clock.Clock, (clock) => ({ clock, startedAt: null, sweptAt: new Map() })),
  )
}

const steps = Metric.counter("refund_steps_total", {
  description: "Refunds that were processed, by the state they are in since",
  incremental: true,
})
const sweepAge = Metric.gauge("refund_worker_last_sweep_age_seconds", {
  description: "Seconds since the last sweep of refunds finished",
})

/** Notes that a sweep of a queue has finished. */
export const swept = (queue: QueueName, outcomes: ReadonlyArray<RefundOutcome>) =>
  Effect.gen(function* () {
    const beat = yield* WorkerBeat
    beat.clock = yield* Clock.Clock
    const now = beat.clock.currentTimeMillisUnsafe()
    beat.startedAt ??= now
    beat.sweptAt.set(queue, now)
    for (const { to } of outcomes) {
      yield* Metric.update(Metric.withAttributes(steps, { state: to }), 1)
    }
  })

/** Serves /livez, /readyz and /metrics while the Layer lives. */
export const probesLayer = ({ adminHost, adminPort, sweep }: WorkerSettings) =>
  Layer.effectDiscard(Effect.gen(function* () {
    const beat = yield* WorkerBeat
    const records = yield* PortRecords
    const readiness = Effect.sync(() => {
      const now = beat.clock.currentTimeMillisUnsafe()
      return failureOf(beat, records.chain.goodAt, now, Duration.toMillis(sweep)) ??
        (isDisputed({ ...records, now }) ? "the chain's endpoints contradict each other" : null)
    })
    const updateGauges = Effect.all([
      updateAge(beat, sweepAge, oldestSweepAt),
      updateAge(beat, chainReadAge, () => records.chain.goodAt),
    ], { discard: true })
    yield* serveProbes({
      hostname: adminHost,
      port: adminPort,
      drain,
      probes: { "/readyz": readiness },
      updateGauges,
    }).pipe(Effect.mapError(notListening("ADMIN_HOST", "REFUND_ADMIN_PORT")))
  }))

const updateAge = (beat: Beat, gauge: Metric.Gauge<number>, at: (beat: Beat) => EpochMs | null) =>
  Effect.suspend(() =>
    Metric.update(gauge, (beat.clock.currentTimeMillisUnsafe() - (at(beat) ?? NaN)) / 1_000)
  )

/** Updates the age of the last sweep in a process whose listener is not the worker's. */
export const sweepAgeLayer = Layer.effectDiscard(
  Effect.flatMap(WorkerBeat, (beat) =>
    updateAge(beat, sweepAge, oldestSweepAt).pipe(
      Effect.repeat(Schedule.spaced(ageEvery)),
      Effect.forkScoped,
    )),
)

/** Why the worker cannot pay refunds now; null when it can. */
function failureOf(
  beat: Beat,
  chainReadAt: EpochMs | null,
  now: EpochMs,
  sweepMs: number,
): ProbeFailure {
  const sweptAt = oldestSweepAt(beat)
  if (sweptAt === null) return "no sweep of refunds has finished yet"
  if (now - sweptAt > Math.max(sweepAgeMsMax, sweepsMax * sweepMs)) {
    return `no sweep of refunds has finished for ${Math.round((now - sweptAt) / 1_000)} s`
  }
  return now - (chainReadAt ?? beat.startedAt ?? now) > chainAgeMsMax
    ? "the chain cannot be read"
    : null
}

/** Reads the chain every minute, so that it is known whether it can be read where no refund is due. */
export const readChainLayer = Layer.effectDiscard(
  Effect.flatMap(Chain, ({ head }) =>
    withDeadline(headTimeout)(head).pipe(
      Effect.ignore,
      Effect.repeat(Schedule.spaced(readEvery)),
      Effect.forkScoped,
    )),
)
