/**
 * Runs one job once per aligned slot over all replicas.
 *
 * A job runs under a lease that a heartbeat prolongs. A replica that loses the lease stops the job. A job
 * that fails is logged, and runs again in its next slot.
 *
 * @module
 */
import { Cause, Clock, Duration, Effect, Option } from "effect"
import type { EpochMs } from "./domain/time.ts"
import { JobSlots, type SlotClaim } from "./JobSlots.ts"

/** How long a replica may be silent before another takes its slot over. */
const lease = Duration.seconds(60)
/** A third of the lease: two heartbeats may be lost. */
const heartbeat = Duration.seconds(20)
/** How long the store may take over a claim, a heartbeat or a finish; a connection may be dead. */
const patience = Duration.seconds(10)

interface Job<E, R> {
  readonly name: string
  /** Slots begin at whole multiples of this since the epoch. */
  readonly every: Duration.Duration
  /** One slot's work. A failure is logged and counted against the slot, never thrown further. */
  readonly run: (slot: EpochMs) => Effect.Effect<unknown, E, R>
  /** Runs here after a slot that this replica has finished. */
  readonly after?: Effect.Effect<unknown>
}

/** The slot an instant falls into. */
export function slotOf(at: EpochMs, every: Duration.Duration): EpochMs {
  const length = Duration.toMillis(every)
  return Math.floor(at / length) * length
}

/**
 * Runs a job's current slot at once, then every slot as it begins; never returns. A slot that is not
 * ours is asked for again after each lease: the replica that has it may have died.
 */
export const keep = Effect.fnUntraced(function* <E, R>(job: Job<E, R>) {
  const slots = yield* JobSlots
  while (true) {
    const slot = slotOf(yield* Clock.currentTimeMillis, job.every)
    const done = yield* attempt(slots, job, slot)
    if (done && job.after !== undefined) yield* job.after
    const left = slot + Duration.toMillis(job.every) - (yield* Clock.currentTimeMillis)
    const pause = done ? left : Math.min(left, Duration.toMillis(lease))
    yield* Effect.sleep(Duration.millis(Math.max(0, pause)))
  }
})

/** Runs one slot if no other replica has it; true when this one did. */
export const attempt = Effect.fnUntraced(function* <E, R>(
  slots: JobSlots["Service"],
  job: Job<E, R>,
  slot: EpochMs,
) {
  const claimed = yield* slots.claim(job.name, slot, lease).pipe(
    Effect.timeout(patience),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`Cannot claim ${job.name}`, cause), Option.none<SlotClaim>())
    ),
  )
  if (Option.isNone(claimed)) return false
  const outcome = yield* Effect.raceFirst(
    job.run(slot).pipe(
      Effect.as("ok" as const),
      Effect.catchCauseIf(
        (cause) => !Cause.hasInterruptsOnly(cause),
        (cause) => Effect.as(Effect.logError(`${job.name} failed`, cause), "failed" as const),
      ),
    ),
    lost(slots, claimed.value),
  )
  if (outcome === "lost") {
    yield* Effect.logWarning(`${job.name} lost its lease and stopped`)
    return false
  }
  return yield* slots.finish(claimed.value, outcome).pipe(
    Effect.timeout(patience),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning(`Cannot finish ${job.name}`, cause), false)
    ),
  )
})

/** Prolongs the lease until it is found to be somebody else's. */
const lost = Effect.fnUntraced(function* (slots: JobSlots["Service"], claim: SlotClaim) {
  while (true) {
    yield* Effect.sleep(heartbeat)
    const ours = yield* slots.renew(claim, lease).pipe(
      Effect.timeout(patience),
      Effect.catchCause(() => Effect.succeed(true)),
    )
    if (!ours) return "lost" as const
  }
})
