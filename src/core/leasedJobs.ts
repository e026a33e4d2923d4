/**
 * Runs one job once per aligned slot over all replicas.
 *
 * A job runs under a lease that a heartbeat extends. A replica that loses the lease stops the job. A
 * failed job is logged, and runs again in its next slot.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Exit, Metric, Option } from "effect"
import { type EpochMs, isoTime } from "./domain/time.ts"
import { JobSlots, type SlotClaim } from "./JobSlots.ts"
import { secondsBuckets, timed } from "./timed.ts"
import { annotate, inTrace } from "./tracing.ts"

/** How long a replica may be silent before another one takes over its slot. */
const lease = Duration.seconds(60)
/** A third of the lease: two heartbeats may be lost. */
const heartbeatInterval = Duration.seconds(20)
/** How often a job that is held asks whether it still is. */
const heldInterval = Duration.seconds(5)
/** For a claim, a renewal or a finish: the connection may be dead. */
const storeTimeout = Duration.seconds(10)

export interface Job<E = unknown, R = never> {
  readonly name: string
  /** Slots begin at whole multiples of this since the epoch. */
  readonly every: Duration.Duration
  /** The work of one slot. A failure is logged and marks the slot failed; it is not propagated. */
  readonly run: (slot: EpochMs) => Effect.Effect<unknown, E, R>
  /** Runs on the replica that finished the slot. */
  readonly after?: Effect.Effect<unknown>
  /** True while this replica must not run it. */
  readonly held?: Effect.Effect<boolean>
}

/** The result of a run that read nothing. It ends without an error, but not well. */
export const nothingRead = Symbol("nothing read")

const jobSeconds = Metric.histogram("job_seconds", {
  description: "Duration of a run of a scheduled job on this replica, by name and outcome",
  boundaries: [...secondsBuckets, 300, 1_800],
})

/**
 * Records how long a run of a job takes, by the outcome that it returns. The label is not `job`:
 * Prometheus has its own label of that name.
 */
export const recordedRun =
  (name: string) => <Outcome extends string, E, R>(run: Effect.Effect<Outcome, E, R>) => {
    const of = (outcome: string) => Metric.withAttributes(jobSeconds, { name, outcome })
    const recorded = run.pipe(
      timed((exit, seconds) =>
        Metric.update(of(Exit.isSuccess(exit) ? exit.value : "interrupted"), seconds)
      ),
    )
    // Reading the series creates it, so that an alert sees the first failure as an increase.
    return Effect.andThen(Metric.value(of("failed")), recorded)
  }

/** The slot that contains the instant. */
export function slotOf(at: EpochMs, every: Duration.Duration): EpochMs {
  const length = Duration.toMillis(every)
  return Math.floor(at / length) * length
}

/**
 * Runs a job's current slot at once, then every slot as it begins; never returns. A slot that another
 * replica has claimed is tried again after each lease: that replica may have died.
 */
export const runEverySlot = Effect.fnUntraced(function* <E, R>(job: Job<E, R>) {
  const slots = yield* JobSlots
  while (true) {
    const slot = slotOf(yield* Clock.currentTimeMillis, job.every)
    const held = yield* job.held ?? Effect.succeed(false)
    const done = !held && (yield* runSlot(slots, job, slot))
    if (done && job.after !== undefined) yield* job.after
    const left = slot + Duration.toMillis(job.every) - (yield* Clock.currentTimeMillis)
    // A clock that is set back during a run would make the next slot far away.
    const pauseMax = Duration.toMillis(held ? heldInterval : done ? job.every : lease)
    yield* Effect.sleep(Duration.millis(Math.min(Math.max(0, left), pauseMax)))
  }
})

/**
 * One run of a job: a trace of its own, and log lines with the name of the job and the id of the
 * run. A leased run has the same id on every replica that tries it.
 */
export const asRun = (job: string, at: EpochMs) => {
  const tickId = `${job.replaceAll(" ", "-")}/${isoTime(at)}`
  return <A, E, R>(run: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    run.pipe(
      inTrace("job", () => ({ attributes: { job, "tick.id": tickId } })),
      Effect.annotateLogs({ job, tickId }),
    )
}

/** Runs one slot unless another replica has claimed it; true when this replica finished it. */
export const runSlot = Effect.fnUntraced(function* <E, R>(
  slots: JobSlots["Service"],
  job: Job<E, R>,
  slot: EpochMs,
) {
  const claimed = yield* slots.claim(job.name, slot, lease).pipe(
    Effect.timeout(storeTimeout),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`Cannot claim ${job.name}`, cause), Option.none<SlotClaim>())
    ),
  )
  if (Option.isNone(claimed)) return false
  return yield* asRun(job.name, slot)(runClaimed(slots, job, claimed.value, slot))
})

const runClaimed = Effect.fnUntraced(function* <E, R>(
  slots: JobSlots["Service"],
  job: Job<E, R>,
  claim: SlotClaim,
  slot: EpochMs,
) {
  const outcome = yield* Effect.raceFirst(
    job.run(slot).pipe(
      Effect.map((done) => done === nothingRead ? "failed" as const : "ok" as const),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.as(Effect.logError(`${job.name} failed`, cause), "failed" as const),
      ),
    ),
    leaseLost(slots, claim),
  ).pipe(recordedRun(job.name))
  yield* annotate({ outcome })
  if (outcome === "lost") {
    yield* Effect.logWarning(`${job.name} lost its lease and stopped`)
    return false
  }
  return yield* slots.finish(claim, outcome).pipe(
    Effect.timeout(storeTimeout),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`Cannot finish ${job.name}`, cause), false)
    ),
  )
})

/** Extends the lease until another replica owns it. A failed renewal is tried again. */
const leaseLost = Effect.fnUntraced(function* (slots: JobSlots["Service"], claim: SlotClaim) {
  while (true) {
    yield* Effect.sleep(heartbeatInterval)
    const ours = yield* slots.renew(claim, lease).pipe(
      Effect.timeout(storeTimeout),
      Effect.catchCause(() => Effect.succeed(true)),
    )
    if (!ours) return "lost" as const
  }
})
