/**
 * Runs one job once per aligned slot over all replicas.
 *
 * A job runs under a lease that a heartbeat extends. A replica that loses the lease stops the job. A
 * failed job is logged, and runs again in its next slot.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { EpochMs } from "./domain/time.ts"
import { JobSlots, type SlotClaim } from "./JobSlots.ts"

/** How long a replica may be silent before another one takes over its slot. */
const lease = Duration.seconds(60)
/** A third of the lease: two heartbeats may be lost. */
const heartbeatInterval = Duration.seconds(20)
/** For a claim, a renewal or a finish: the connection may be dead. */
const storeTimeout = Duration.seconds(10)

interface Job<E, R> {
  readonly name: string
  /** Slots begin at whole multiples of this since the epoch. */
  readonly every: Duration.Duration
  /** The work of one slot. A failure is logged and marks the slot failed; it is not propagated. */
  readonly run: (slot: EpochMs) => Effect.Effect<unknown, E, R>
  /** Runs on the replica that finished the slot. */
  readonly after?: Effect.Effect<unknown>
}

/** The result of a run that read nothing. It ends without an error, but not well. */
export const nothingRead = Symbol("nothing read")

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
    const done = yield* runSlot(slots, job, slot)
    if (done && job.after !== undefined) yield* job.after
    const left = slot + Duration.toMillis(job.every) - (yield* Clock.currentTimeMillis)
    const pause = done ? left : Math.min(left, Duration.toMillis(lease))
    yield* Effect.sleep(Duration.millis(Math.max(0, pause)))
  }
})

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
  const outcome = yield* Effect.raceFirst(
    job.run(slot).pipe(
      Effect.map((done) => done === nothingRead ? "failed" as const : "ok" as const),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.as(Effect.logError(`${job.name} failed`, cause), "failed" as const),
      ),
    ),
    leaseLost(slots, claimed.value),
  )
  if (outcome === "lost") {
    yield* Effect.logWarning(`${job.name} lost its lease and stopped`)
    return false
  }
  return yield* slots.finish(claimed.value, outcome).pipe(
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
