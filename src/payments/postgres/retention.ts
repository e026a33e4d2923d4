/**
 * Deletes what payments no longer need: the bodies of delivered answers after a day, and ended
 * payments after 13 months.
 *
 * The database decides what is old enough, and refuses to delete anything else (see the
 * migrations). A payment whose body was deleted still gives its receipt: 409 payment_already_used.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { answerKept, answerUsed } from "./paymentStore.ts"

/** Batches of deletions, each in one transaction. */
export class Retention extends Context.Service<Retention, Effect.Success<typeof make>>()(
  "bellwether/payments/Retention",
) {
  static readonly layer = Layer.effect(Retention, Effect.suspend(() => make))
}

/** Rows per statement: far below the time limit of a statement. */
const rowsPerBatch = 1_000
/** Events per statement; a sold payment has four or five. */
const eventsPerBatch = 2_000
/** Batches of each kind per run. The next run continues. */
const batchesMax = 500

const make = Effect.map(SqlClient, (sql) => {
  /** Frees the keys of payments that were delivered 24 hours ago. Returns how many. */
  const freeKeys = (rowsMax: number) =>
    sql`
      UPDATE payment SET key_hash = NULL, transaction_hint = NULL
      WHERE payment_id IN (
        SELECT payment_id FROM payment
        WHERE key_hash IS NOT NULL AND sent_at <= clock_timestamp() - ${sql.literal(answerKept)}
        ORDER BY sent_at LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)
      RETURNING 1`.pipe(Effect.map((rows) => rows.length), Effect.orDie)

  /** Deletes the oldest bodies that no payment needs any more. Returns how many. */
  const deleteBodies = (rowsMax: number) =>
    sql`
      DELETE FROM payment_answer WHERE hash IN (
        SELECT hash FROM payment_answer answer
        WHERE used_at <= clock_timestamp() - ${sql.literal(`(${answerKept} + ${answerUsed})`)}
          AND payment_answer_is_deletable(answer)
        ORDER BY used_at LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)
      RETURNING 1`.pipe(Effect.map((rows) => rows.length), Effect.orDie)

  /**
   * Deletes the payments that ended 13 months ago, with their events and refunds, among those of the
   * next `eventsMax` events after `afterEvent`. `throughEvent` is where the next batch starts; null
   * after the last one.
   */
  const deletePayments = (afterEvent: bigint, eventsMax: number) =>
    sql<{ through_event: bigint | null; deleted: number }>`
      SELECT through_event, deleted FROM delete_old_payments(${afterEvent}, ${eventsMax})`.pipe(
      Effect.map(([row]) => ({
        throughEvent: row?.through_event ?? null,
        deleted: row?.deleted ?? 0,
      })),
      Effect.orDie,
    )

  /** Starts at the first event each time: payments that are kept for longer are few, and are skipped. */
  const deleteAllPayments = Effect.gen(function* () {
    let total = 0
    let after: bigint | null = 0n
    for (let batch = 0; batch < batchesMax && after !== null; batch++) {
      const { throughEvent, deleted }: Effect.Success<ReturnType<typeof deletePayments>> =
        yield* deletePayments(after, eventsPerBatch)
      total += deleted
      after = throughEvent
    }
    return total
  })

  /** Deletes all that is old, in batches, and returns how much. */
  const deleteOld = Effect.gen(function* () {
    yield* inBatches(freeKeys)
    return { bodies: yield* inBatches(deleteBodies), payments: yield* deleteAllPayments }
  })
  return { freeKeys, deleteBodies, deletePayments, deleteOld }
})

const inBatches = Effect.fnUntraced(function* (run: (rowsMax: number) => Effect.Effect<number>) {
  let total = 0
  for (let batch = 0; batch < batchesMax; batch++) {
    const rows = yield* run(rowsPerBatch)
    total += rows
    if (rows < rowsPerBatch) break
  }
  return total
})
