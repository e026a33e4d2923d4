/**
 * The three ways a paid call fails, by what became of its buyer's money.
 *
 * Only these errors may leave a paid route: `NotCharged`, `RefundQueued`, `Unresolved`. A product's
 * work fails with facts that know nothing of money; `notCharged` turns them into the first.
 *
 * @module
 */
import { Schema } from "effect"
import { type ProductFact, Refusal, RefusalCode, refusalOf } from "../../catalog/domain/refusal.ts"
import { PaymentFault } from "./paymentFault.ts"

/** A refund as its buyer sees it. */
export const RefundNotice = Schema.Struct({
  id: Schema.String,
  state: Schema.String,
  amountUsd: Schema.String,
  to: Schema.String,
})

/** What a settled payment left on the chain. */
export const Receipt = Schema.Struct({
  payer: Schema.String,
  transaction: Schema.String,
  network: Schema.String,
})

/** Nothing was taken for this call: it failed before settlement, or its order settles last. */
export class NotCharged extends Schema.TaggedError<NotCharged>()("NotCharged", {
  ...Refusal.fields,
  /** With the code `payment_required`: what is wrong with the payment. */
  fault: Schema.optionalKey(PaymentFault),
  receipt: Schema.optionalKey(Receipt),
  refund: Schema.optionalKey(RefundNotice),
  /**
   * Of the payment that was shown: taken by an earlier call (true), perhaps being taken by one now
   * (null), or not taken (false, and when left out).
   */
  taken: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
}) {}

/** The payment was taken, no answer was delivered, and its refund is in the queue. */
export class RefundQueued extends Schema.TaggedError<RefundQueued>()("RefundQueued", {
  code: RefusalCode,
  message: Schema.String,
  refund: RefundNotice,
}) {}

/** Whether the payment was taken is not known yet. Sending the same payment again is safe. */
export class Unresolved extends Schema.TaggedError<Unresolved>()("Unresolved", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int,
}) {}

export type FailedSale = NotCharged | RefundQueued | Unresolved

/** What a product's failed work comes to for a buyer who has not been charged. */
export function notCharged(fact: ProductFact): NotCharged {
  return new NotCharged(refusalOf(fact))
}
