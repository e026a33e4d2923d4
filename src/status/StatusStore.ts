/**
 * The port to the record of the service: days of runs, and sums of payments by day.
 *
 * @module
 */
import { Context, type Effect, type Option } from "effect"
import type { EpochMs } from "../core/domain/time.ts"
import type { Part } from "./domain/part.ts"
import type { PaymentRecord, WaitingRefunds } from "./domain/report.ts"
import type { EndedRuns, PartDayRecord } from "./domain/runs.ts"

export class StatusStore extends Context.Service<StatusStore, {
  /** The oldest stored run. */
  readonly firstRun: (part: Part) => Effect.Effect<Option.Option<EpochMs>>
  /** The runs that ended, among those with a number from `from` to before `to`, in order. */
  readonly endedRuns: (
    part: Part,
    everyMs: number,
    numbers: { readonly from: number; readonly to: number },
  ) => Effect.Effect<ReadonlyArray<EndedRuns>>
  /** The newest recorded day of each part; a part without one is absent. */
  readonly recordedDays: Effect.Effect<ReadonlyMap<Part, EpochMs>>
  /** Adds records of days. A day of a part that is recorded already stays as it is. */
  readonly addRecords: (records: ReadonlyArray<PartDayRecord>) => Effect.Effect<void>
  /** The records from this day on, in order of their days. */
  readonly records: (from: EpochMs) => Effect.Effect<ReadonlyArray<PartDayRecord>>
  /**
   * Adds the next changes of payments to the sums, in the order of their events, each exactly once
   * over all replicas. Changes of days before `from` are skipped. Returns how many events it passed;
   * fewer than `eventsMax` when all are summed, or some may still appear.
   */
  readonly sumPayments: (options: {
    readonly eventsMax: number
    readonly from: EpochMs
  }) => Effect.Effect<number>
  /** The sums from this day on, in order. */
  readonly paymentRecord: (from: EpochMs) => Effect.Effect<PaymentRecord>
  /** The refunds that are owed now. */
  readonly waitingRefunds: Effect.Effect<WaitingRefunds>
  /** Deletes days before this one. */
  readonly prune: (before: EpochMs) => Effect.Effect<void>
}>()("bellwether/status/StatusStore") {}
