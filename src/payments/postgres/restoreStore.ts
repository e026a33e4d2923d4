/**
 * Deliveries from delivery journals, and the start of the scan, in a restored PostgreSQL.
 *
 * @module
 */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { RestoreStore } from "../Restore.ts"
import { scanning } from "./paymentStore.ts"

/** Payments are deleted after this time, and so is what is known of their delivery. A row that a
 * restore brought back open is never deleted, nor is its delivery. */
const deliveredKept = "13 months"

export const layer: Layer.Layer<RestoreStore, never, SqlClient> = Layer.effect(
  RestoreStore,
  Effect.map(SqlClient, (sql) =>
    RestoreStore.of({
      addDelivered: (paymentIds) =>
        sql.withTransaction(Effect.gen(function* () {
          yield* sql`DELETE FROM delivered_before_restore
            WHERE loaded_at < clock_timestamp() - ${deliveredKept}::interval
              AND NOT EXISTS (SELECT FROM payment
                WHERE payment.payment_id = delivered_before_restore.payment_id)`
          const marked = yield* sql`UPDATE payment SET sent_at = clock_timestamp()
            WHERE payment_id = ANY(${paymentIds}::text[]) AND state = 'answered' AND sent_at IS NULL
            RETURNING 1`
          const added = yield* sql`
            INSERT INTO delivered_before_restore (payment_id)
            SELECT id FROM unnest(${paymentIds}::text[]) AS id
            WHERE NOT EXISTS (SELECT FROM payment WHERE payment_id = id AND sent_at IS NOT NULL)
            ON CONFLICT DO NOTHING RETURNING 1`
          return marked.length + added.length
        })).pipe(Effect.orDie),
      scanned: scanning(sql).scanned,
      deletedThrough: ({ chainId, asset, payTo }) =>
        sql<{ through_block: bigint }>`
          SELECT through_block FROM payment_deleted
          WHERE chain_id = ${chainId} AND asset = ${asset} AND pay_to = ${payTo}`.pipe(
          Effect.map(([row]) => Option.fromUndefinedOr(row?.through_block)),
          Effect.orDie,
        ),
      scanAfter: ({ chainId, asset, payTo }, block) =>
        sql`
          INSERT INTO chain_scan AS scan (chain_id, asset, pay_to, after_block, through_block)
          VALUES (${chainId}, ${asset}, ${payTo}, ${block}, ${block})
          ON CONFLICT (chain_id, asset, pay_to) DO UPDATE
            SET after_block = least(scan.after_block, excluded.after_block),
              through_block = excluded.through_block`.pipe(Effect.asVoid, Effect.orDie),
    })),
)
