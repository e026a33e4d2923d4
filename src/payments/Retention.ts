/**
 * Deletes what payments no longer need: the bodies of delivered answers after a day, and ended
 * payments after 13 months.
 *
 * The database decides what is old enough, and refuses to delete anything else (see the
 * migrations). A payment whose body was deleted still gives its receipt: 409 payment_already_used.
 *
 * @module
 */
import { Context, Effect } from "effect"

/** The port to old payments. Each call is one batch in one transaction. */
export class RetentionStore extends Context.Service<RetentionStore, {
  /** Frees the keys of payments that were delivered 24 hours ago. Returns how many. */
  readonly freeKeys: (rowsMax: number) => Effect.Effect<number>
  /** Deletes the oldest bodies that no payment needs any more. Returns how many. */
  readonly deleteBodies: (rowsMax: number) => Effect.Effect<number>
  /**
   * Deletes the payments that ended 13 months ago, with their events and refunds, among those of
   * the next `eventsMax` events after `afterEvent`. `throughEvent` is where the next batch starts;
   * null after the last one.
   */
  readonly deletePayments: (
    afterEvent: bigint,
    eventsMax: number,
  ) => Effect.Effect<{ readonly throughEvent: bigint | null; readonly deleted: number }>
}>()("bellwether/payments/RetentionStore") {}

/** Deletes what is old, in batches, and returns how much. */
export const deleteOld = Effect.fnUntraced(function* (store: RetentionStore["Service"]) {
  yield* inBatches(store.freeKeys)
  return { bodies: yield* inBatches(store.deleteBodies), payments: yield* prunePayments(store) }
})

/** Rows per statement: far below the time limit of a statement. */
const rowsPerBatch = 1_000
/** Events per statement; a sold payment has four or five. */
const eventsPerBatch = 2_000
/** Batches of each kind per run. The next run continues. */
const batchesMax = 500

const inBatches = Effect.fnUntraced(function* (run: RetentionStore["Service"]["deleteBodies"]) {
  let total = 0
  for (let batch = 0; batch < batchesMax; batch++) {
    const rows = yield* run(rowsPerBatch)
    total += rows
    if (rows < rowsPerBatch) break
  }
  return total
})

/** Starts at the first event each time: payments that are kept for longer are few, and are skipped. */
const prunePayments = Effect.fnUntraced(function* (store: RetentionStore["Service"]) {
  let total = 0
  let after: bigint | null = 0n
  for (let batch = 0; batch < batchesMax && after !== null; batch++) {
    const { throughEvent, deleted }: Effect.Success<
      ReturnType<RetentionStore["Service"]["deletePayments"]>
    > = yield* store.deletePayments(after, eventsPerBatch)
    total += deleted
    after = throughEvent
  }
  return total
})
