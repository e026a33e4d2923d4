/**
 * What a person does with refunds that need review: list them, queue one again, or record that it
 * was settled by other means. Needs the login that owns the tables.
 *
 * Each action is recorded in the same transaction as its move, and the database refuses a move without
 * the record.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Address, PaymentId } from "../domain/payment.ts"
import type { QueueName, RefundState } from "../domain/refund.ts"

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
export interface ActionRecord {
  readonly person: string
  readonly note: string
}

/** The refund cannot be moved like this. Nothing was changed. */
export class ReviewRefused
  extends Schema.TaggedError<ReviewRefused>()("ReviewRefused", { message: Schema.String }) {}

/** Maximum number of listed refunds. */
export const listedMax = 1_000

export class RefundReview extends Context.Service<RefundReview, {
  /** The refunds in a state, or all open ones when it is null; the oldest first. */
  readonly list: (state: RefundState | null) => Effect.Effect<ReadonlyArray<ListedRefund>>
  /**
   * Queues a refund in `needs_review` again, with no attempts. `approveAmount` allows the worker to
   * pay more than the price of the dearest product.
   */
  readonly requeue: (
    paymentId: PaymentId,
    record: ActionRecord,
    approveAmount: boolean,
  ) => Effect.Effect<void, ReviewRefused>
  /**
   * Records that a refund in `needs_review` was settled by other means. Refused while a signature
   * of it can still be used, because the payer could then be paid twice.
   */
  readonly settle: (
    paymentId: PaymentId,
    record: ActionRecord,
    transaction: string | null,
  ) => Effect.Effect<void, ReviewRefused>
}>()("bellwether/payments/RefundReview") {}
