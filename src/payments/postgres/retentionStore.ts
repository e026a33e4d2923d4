/**
 * The deletion of old payments in PostgreSQL.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { RetentionStore } from "../Retention.ts"

/** How long the answer of a delivered payment is kept. The database refuses a shorter time. */
const bodyKept = "24 hours"

/** The columns that are cleared with the body of an answer. The receipt stays. */
const clearedColumns = "answer_body = NULL, key_hash = NULL, transaction_hint = NULL"

export const layer: Layer.Layer<RetentionStore, never, SqlClient> = Layer.effect(
  RetentionStore,
  Effect.map(SqlClient, (sql) =>
    RetentionStore.of({
      deleteBodies: (rowsMax) =>
        sql<{ payment_id: string }>`
          UPDATE payment SET ${sql.literal(clearedColumns)}
          WHERE payment_id IN (
            SELECT payment_id FROM payment
            WHERE answer_body IS NOT NULL AND sent_at <= clock_timestamp() - ${bodyKept}::interval
            ORDER BY sent_at LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)
          RETURNING payment_id`.pipe(Effect.map((rows) => rows.length), Effect.orDie),
      deletePayments: (afterEvent, eventsMax) =>
        sql<{ through_event: bigint | null; deleted: number }>`
          SELECT through_event, deleted FROM delete_old_payments(${afterEvent}, ${eventsMax})`.pipe(
          Effect.map(([row]) => ({
            throughEvent: row?.through_event ?? null,
            deleted: row?.deleted ?? 0,
          })),
          Effect.orDie,
        ),
    })),
)
