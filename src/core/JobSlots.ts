/**
 * The port through which replicas share scheduled work: one row a job and slot, with a lease and a
 * fence, on the database's clock. No leader; whoever claims the slot first does it.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option } from "effect"
import type { EpochMs } from "./domain/time.ts"

/** Proof of holding a slot. A later holder has a larger `fence`; a stale one can no longer finish. */
export interface SlotClaim {
  readonly job: string
  readonly slot: EpochMs
  readonly fence: number
}

export class JobSlots extends Context.Service<JobSlots, {
  /**
   * None when the slot is done, or when any slot of this job is held under a lease that has not run
   * out: two slots of one job never run at the same time.
   */
  readonly claim: (
    job: string,
    slot: EpochMs,
    lease: Duration.Duration,
  ) => Effect.Effect<Option.Option<SlotClaim>>
  /** True while the claim is still ours; prolongs its lease. */
  readonly renew: (claim: SlotClaim, lease: Duration.Duration) => Effect.Effect<boolean>
  /** Marks the slot done; false when the claim was stale, and then nothing changed. */
  readonly finish: (claim: SlotClaim, outcome: "ok" | "failed") => Effect.Effect<boolean>
  /** When the newest slot of the job that ended `ok` was finished; none before the first. */
  readonly lastOk: (job: string) => Effect.Effect<Option.Option<EpochMs>>
  /** Forgets slots older than `before`. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/core/JobSlots") {}
