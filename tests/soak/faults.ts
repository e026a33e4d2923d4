/**
 * The faults of a soak, spread over its minutes.
 *
 * @module
 */
import { Effect } from "effect"
import type { Random } from "../support/random.ts"
import type { StoreReader } from "./store.ts"
import { isLive, type World } from "./world.ts"

/** The days between two faults of a kind; a short run has each once. */
const everyDays = {
  "service killed": 2,
  "worker killed": 2,
  "connections cut": 3,
  "PostgreSQL killed": 5,
  "service restarted": 7,
  /** Once a run: there is one standby. */
  "failover": Infinity,
} as const
export type FaultKind = keyof typeof everyDays

export interface FaultPlan {
  readonly kind: FaultKind
  /** The minute of the run. */
  readonly minute: number
  /** How far into the work of the minute, in real time. */
  readonly afterMs: number
}

const afterMsMax = 250
/** No fault at the start: the first ticks read days of history. A short run has a shorter start. */
const quietMinutesMax = 60

/** The faults of a run by minute. */
export function faultsOf(days: number, random: Random): ReadonlyMap<number, FaultPlan> {
  const quietMinutes = Math.min(quietMinutesMax, days * 1_440 / 4)
  const plans = Object.entries(everyDays).flatMap(([kind, every]) => {
    const count = Math.max(1, Math.round(days / every))
    const lengthMinutes = (days * 1_440 - quietMinutes) / count
    return Array.from({ length: count }, (_, n): FaultPlan => ({
      kind: kind as FaultKind,
      minute: Math.floor(quietMinutes + (n + random.fraction()) * lengthMinutes),
      afterMs: random.between(0, afterMsMax),
    }))
  })
  const byMinute = new Map<number, FaultPlan>()
  for (const plan of plans) {
    let at = plan.minute
    while (byMinute.has(at)) at++
    byMinute.set(at, plan)
  }
  return byMinute
}

/** Runs a fault; returns when the process it stopped is back. */
export const runFault = Effect.fnUntraced(
  function* (
    { service, worker, cluster, standby, admins }: World,
    store: StoreReader,
    { kind }: FaultPlan,
  ) {
    switch (kind) {
      case "service killed":
        service.kill()
        yield* isLive(admins.service)
        return
      case "service restarted":
        service.kill("SIGTERM")
        // It drains before it stops.
        yield* Effect.sleep("1 second")
        yield* isLive(admins.service)
        return
      case "worker killed":
        worker.kill()
        yield* isLive(admins.worker)
        return
      case "connections cut":
        return yield* store.cut
      case "PostgreSQL killed":
        return yield* Effect.uninterruptible(cluster.kill)
      case "failover":
        return yield* Effect.uninterruptible(standby.takeOver)
    }
  },
)
