/**
 * The review of refunds in PostgreSQL, with the login of the tables' owner: the roles of the service
 * and the refund worker may not write these records.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { PaymentId } from "../domain/payment.ts"
import { refundMax, type RefundState } from "../domain/refund.ts"
import {
  type ActionRecord,
  listedMax,
  type ListedRefund,
  RefundReview,
  ReviewRefused,
} from "../refunds/RefundReview.ts"

export const layer: Layer.Layer<RefundReview, never, SqlClient> = Layer.effect(
  RefundReview,
  Effect.map(SqlClient, (sql) =>
    RefundReview.of({
      list: list(sql),
      requeue: requeue(sql),
      settle: settle(sql),
    })),
)

const list = (sql: SqlClient) => (state: RefundState | null) =>
  sql<ListedRefund>`
    SELECT payment_id AS "paymentId", state, queue, payer, amount, reason,
      last_error AS "lastError", attempts,
      (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS "ageMs"
    FROM refund
    WHERE state = ${state}::text
      OR (${state}::text IS NULL AND state IN ('queued', 'signed', 'broadcast', 'needs_review'))
    ORDER BY created_at, payment_id LIMIT ${listedMax}`.pipe(Effect.orDie)

const requeue =
  (sql: SqlClient) => (paymentId: PaymentId, record: ActionRecord, approveAmount: boolean) =>
    inReview(sql, paymentId, ({ amount, amount_approved }) => {
      if (amount > refundMax && !amount_approved && !approveAmount) {
        return refuse(
          `The amount of refund ${paymentId} is over the dearest product: add --approve-amount`,
        )
      }
      const approves = approveAmount && !amount_approved
      return Effect.andThen(
        insertAction(sql, paymentId, approves ? "approve_amount" : "requeue", record, null),
        sql`UPDATE refund SET state = 'queued', attempts = 0, next_attempt_at = clock_timestamp(),
          lease_until = NULL, fence = fence + 1, last_error = NULL,
          amount_approved = ${approves || amount_approved}, changed_at = clock_timestamp()
        WHERE payment_id = ${paymentId}`,
      )
    })

const settle =
  (sql: SqlClient) => (paymentId: PaymentId, record: ActionRecord, transaction: string | null) =>
    inReview(sql, paymentId, ({ usable_seconds }) => {
      if (usable_seconds !== null && usable_seconds >= 0) {
        return refuse(
          `A signature of refund ${paymentId} can still be used: try again in ` +
            `${Math.floor(usable_seconds) + 1} seconds`,
        )
      }
      return Effect.andThen(
        insertAction(sql, paymentId, "settle", record, transaction),
        sql`UPDATE refund SET state = 'settled_by_hand', transaction = ${transaction},
          lease_until = NULL, fence = fence + 1, changed_at = clock_timestamp()
        WHERE payment_id = ${paymentId}`,
      )
    })

/** Runs `act` in a transaction with the locked row of a refund in `needs_review`. */
const inReview = (
  sql: SqlClient,
  paymentId: PaymentId,
  act: (row: ReviewRow) => Effect.Effect<unknown, ReviewRefused | SqlError>,
) =>
  sql.withTransaction(Effect.gen(function* () {
    const [row] = yield* sql<ReviewRow>`
      SELECT state, amount, amount_approved,
        (valid_before - extract(epoch FROM clock_timestamp()) + 600)::float8 AS usable_seconds
      FROM refund WHERE payment_id = ${paymentId} FOR UPDATE`
    if (row === undefined) return yield* refuse(`There is no refund of payment ${paymentId}`)
    if (row.state !== "needs_review") {
      return yield* refuse(`Refund ${paymentId} is ${row.state}, not needs_review`)
    }
    yield* act(row)
  })).pipe(
    Effect.catchTag("SqlError", Effect.die),
  )

const refuse = (message: string) => Effect.fail(new ReviewRefused({ message }))

const insertAction = (
  sql: SqlClient,
  paymentId: PaymentId,
  action: "requeue" | "approve_amount" | "settle",
  { person, note }: ActionRecord,
  transaction: string | null,
) =>
  sql`INSERT INTO refund_action (payment_id, action, person, note, transaction)
    VALUES (${paymentId}, ${action}, ${person}, ${note}, ${transaction})`

interface ReviewRow {
  readonly state: RefundState
  readonly amount: bigint
  readonly amount_approved: boolean
  /** Seconds until no signature of it can be used any more; null when it was never signed. */
  readonly usable_seconds: number | null
}
