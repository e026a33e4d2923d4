/**
 * The port through which replicas share scheduled work: one row per job and slot, with a lease and a
 * fence, on the database's clock. There is no leader: the replica that claims a slot first runs it.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option } from "effect"
import type { EpochMs } from "./domain/time.ts"

/** A claimed slot. A later claim has a larger `fence`; a stale claim can no longer finish. */
export interface SlotClaim {
  readonly job: string
  readonly slot: EpochMs
  readonly fence: number
}

export class JobSlots extends Context.Service<JobSlots, {
  /**
   * None when the slot is done, or when any slot of this job has a lease that has not expired: two
   * slots of one job never run at the same time.
   */
  readonly claim: (
    job: string,
    slot: EpochMs,
    lease: Duration.Duration,
  ) => Effect.Effect<Option.Option<SlotClaim>>
  /** Extends the lease; false when the claim is stale. */
  readonly renew: (claim: SlotClaim, lease: Duration.Duration) => Effect.Effect<boolean>
  /** Marks the slot done; false when the claim is stale, and then nothing changes. */
  readonly finish: (claim: SlotClaim, outcome: "ok" | "failed") => Effect.Effect<boolean>
  /** When the newest slot with outcome `ok` was finished; none before the first. */
  readonly lastOk: (job: string) => Effect.Effect<Option.Option<EpochMs>>
  /** Deletes slots older than `before`, at most `pruneStepMs` after the oldest; returns how many. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/core/JobSlots") {}
