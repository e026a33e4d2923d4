/**
 * The deletion of old payments in PostgreSQL.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { RetentionStore } from "../Retention.ts"
import { answerKept, answerUsed } from "./paymentStore.ts"

export const layer: Layer.Layer<RetentionStore, never, SqlClient> = Layer.effect(
  RetentionStore,
  Effect.map(SqlClient, (sql) =>
    RetentionStore.of({
      freeKeys: (rowsMax) =>
        sql`
          UPDATE payment SET key_hash = NULL, transaction_hint = NULL
          WHERE payment_id IN (
            SELECT payment_id FROM payment
            WHERE key_hash IS NOT NULL
              AND sent_at <= clock_timestamp() - ${sql.literal(answerKept)}
            ORDER BY sent_at LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)
          RETURNING 1`.pipe(Effect.map((rows) => rows.length), Effect.orDie),
      deleteBodies: (rowsMax) =>
        sql`
          DELETE FROM payment_answer WHERE hash IN (
            SELECT hash FROM payment_answer answer
            WHERE used_at <= clock_timestamp() - ${sql.literal(`(${answerKept} + ${answerUsed})`)}
              AND payment_answer_is_deletable(answer)
            ORDER BY used_at LIMIT ${rowsMax} FOR UPDATE SKIP LOCKED)
          RETURNING 1`.pipe(Effect.map((rows) => rows.length), Effect.orDie),
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
