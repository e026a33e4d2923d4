/**
 * What a person does with refunds that need review: list them, queue one again, or record that it
 * was settled by other means. Needs the login that owns the tables.
 *
 * Each action is recorded in the same transaction as its move, and the database refuses a move without
 * the record.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import type { Address, PaymentId } from "../domain/payment.ts"
import { type QueueName, refundMax, type RefundState } from "../domain/refund.ts"

/** A refund as a person sees it. It contains no signature. */
export interface ListedRefund {
  readonly paymentId: PaymentId
  readonly state: RefundState
  readonly queue: QueueName
  readonly payer: Address
  /** Atomic units of the token. */
  readonly amount: bigint
  /** Why it is owed. */
  readonly reason: string
  readonly lastError: string | null
  readonly attempts: number
  /** Milliseconds since it was first owed. */
  readonly ageMs: number
}

/** Who acts, and why. */
interface ActionRecord {
  readonly person: string
  readonly note: string
}

/** The refund cannot be moved like this. Nothing was changed. */
class ReviewRefused
  extends Schema.TaggedError<ReviewRefused>()("ReviewRefused", { message: Schema.String }) {}

/** Maximum number of listed refunds. */
export const listedMax = 1_000

/** The refunds in a state, or all open ones when it is null; the oldest first. */
export const list = (state: RefundState | null) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql<ListedRefund>`
    SELECT payment_id AS "paymentId", state, queue, payer, amount, reason,
      last_error AS "lastError", attempts,
      (extract(epoch FROM clock_timestamp() - created_at) * 1000)::float8 AS "ageMs"
    FROM refund
    WHERE state = ${state}::text
      OR (${state}::text IS NULL AND state IN ('queued', 'signed', 'broadcast', 'needs_review'))
    ORDER BY created_at, payment_id LIMIT ${listedMax}`).pipe(Effect.orDie)

/**
 * Queues a refund in `needs_review` again, with no attempts. `approveAmount` allows the worker to
 * pay more than the price of the dearest product.
 */
export const requeue = (paymentId: PaymentId, record: ActionRecord, approveAmount: boolean) =>
  inReview(paymentId, (sql, { amount, amount_approved }) => {
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

/**
 * Records that a refund in `needs_review` was settled by other means. Refused while a signature of it
 * can still be used, because the payer could then be paid twice.
 */
export const settle = (paymentId: PaymentId, record: ActionRecord, transaction: string | null) =>
  inReview(paymentId, (sql, { usable_seconds }) => {
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
  paymentId: PaymentId,
  act: (sql: SqlClient, row: ReviewRow) => Effect.Effect<unknown, ReviewRefused | SqlError>,
) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql.withTransaction(Effect.gen(function* () {
      const [row] = yield* sql<ReviewRow>`
      SELECT state, amount, amount_approved,
        (valid_before - extract(epoch FROM clock_timestamp()) + 600)::float8 AS usable_seconds
      FROM refund WHERE payment_id = ${paymentId} FOR UPDATE`
      if (row === undefined) return yield* refuse(`There is no refund of payment ${paymentId}`)
      if (row.state !== "needs_review") {
        return yield* refuse(`Refund ${paymentId} is ${row.state}, not needs_review`)
      }
      yield* act(sql, row)
    }))).pipe(Effect.catchTag("SqlError", Effect.die))

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
