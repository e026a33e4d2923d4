/**
 * The port to what /status is computed from: stored runs, and payments of the last day.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { Part } from "./domain/part.ts"
import type { PaymentFacts } from "./domain/report.ts"
import type { DayTime, StoredRuns } from "./domain/runs.ts"

export class StatusStore extends Context.Service<StatusStore, {
  /**
   * The stored runs of each part, those before `from` left out; a part without any run is absent. A run
   * has the number `floor(its time / everyMs)`.
   */
  readonly runs: (
    from: EpochMs,
    everyMsOf: (part: Part) => number,
  ) => Effect.Effect<ReadonlyMap<Part, StoredRuns>>
  /** The stored days since, the oldest first. */
  readonly history: (from: EpochMs) => Effect.Effect<ReadonlyArray<DayTime>>
  /** Stores days that are over, each once. */
  readonly addHistory: (days: ReadonlyArray<DayTime>) => Effect.Effect<void>
  /** Answers delivered and refunds confirmed since, and the refunds that are owed now. */
  readonly payments: (since: EpochMs) => Effect.Effect<PaymentFacts>
}>()("bellwether/status/StatusStore") {}
