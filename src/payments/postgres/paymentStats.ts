/**
 * The statistics of stored payments in PostgreSQL. Each statement reads a partial index, never
 * the whole table. A restored row whose answer was delivered keeps its state for
 * good, and is not counted as open.
 *
 * @module
 */
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { products } from "../../catalog/domain/product.ts"
import type { PaymentState } from "../domain/payment.ts"
import { type OpenPayments, openStates, PaymentStats } from "../PaymentHealth.ts"
import type { ScannedAccount } from "../PaymentStore.ts"
import { notDeliveredBefore, scanning } from "./paymentStore.ts"

export const layer: Layer.Layer<PaymentStats, never, SqlClient> = Layer.effect(
  PaymentStats,
  Effect.map(SqlClient, (sql) => PaymentStats.of({ read: read(sql) })),
)

const read = (sql: SqlClient) =>
  Effect.fnUntraced(function* (account: ScannedAccount) {
    // One branch for each state, so that each uses the partial index of its state.
    const branches = sql.literal(
      openStates.map((state) => `
        SELECT '${state}' AS state, count(*)::integer AS payments, sum(amount)::bigint AS amount,
          (extract(epoch FROM clock_timestamp() - min(changed_at)) * 1000)::float8 AS "oldestAgoMs"
        FROM payment WHERE state = '${state}' AND ${notDeliveredBefore} HAVING count(*) > 0`).join(
        " UNION ALL ",
      ),
    )
    const rows = yield* sql<OpenPayments & { state: PaymentState }>`${branches}`
    const scanned = Option.getOrNull(yield* scanning(sql).scanned(account))
    const open = rows.map(({ state, ...payments }) => [state, payments] as const)
    const soldAgo = yield* lastSold(sql)
    return { open: new Map(open), scannedThrough: scanned?.through ?? null, soldAgo }
  }, Effect.orDie)

/** One branch for each product, each of which reads one entry of an index. */
const lastSold = Effect.fnUntraced(function* (sql: SqlClient) {
  const branches = sql.literal(
    Object.values(products).map(({ id }) => `
      SELECT '${id}' AS id,
        extract(epoch FROM clock_timestamp() - max(answered_at))::float8 AS sold_ago
      FROM payment WHERE product_id = '${id}' AND state = 'answered'`).join(" UNION ALL "),
  )
  const rows = yield* sql<{ id: string; sold_ago: number | null }>`${branches}`
  return new Map(rows.flatMap(({ id, sold_ago }) => sold_ago === null ? [] : [[id, sold_ago]]))
})
