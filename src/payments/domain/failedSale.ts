/**
 * The three errors of a paid call, by what happened to the buyer's money.
 *
 * A paid route fails only with `NotCharged`, `RefundQueued` or `Unresolved`. A product's own errors
 * do not know about payments; `notCharged` converts them to the first.
 *
 * @module
 */
import { Schema } from "effect"
import { type ProductError, Refusal, RefusalCode, refusalOf } from "../../catalog/domain/refusal.ts"
import { PaymentFault } from "./paymentFault.ts"

/** A refund, as it is reported to the buyer. */
export const RefundNotice = Schema.Struct({
  id: Schema.String,
  state: Schema.String,
  amountUsd: Schema.String,
  to: Schema.String,
})

/** The proof of a settled payment. */
export const Receipt = Schema.Struct({
  payer: Schema.String,
  transaction: Schema.String,
  network: Schema.String,
})

/** No money was taken for this call: it failed before settlement, or its product settles last. */
export class NotCharged extends Schema.TaggedError<NotCharged>()("NotCharged", {
  ...Refusal.fields,
  /** Set with the code `payment_required`: what is wrong with the payment. */
  fault: Schema.optionalKey(PaymentFault),
  receipt: Schema.optionalKey(Receipt),
  refund: Schema.optionalKey(RefundNotice),
  /**
   * About the payment that was sent: taken by an earlier call (true), perhaps being taken by one
   * now (null), or not taken (false or absent).
   */
  taken: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
}) {}

/** The payment was taken, no answer was delivered, and the refund is queued. */
export class RefundQueued extends Schema.TaggedError<RefundQueued>()("RefundQueued", {
  code: RefusalCode,
  message: Schema.String,
  refund: RefundNotice,
}) {}

/** It is not known yet whether the payment was taken. Sending the same payment again is safe. */
export class Unresolved extends Schema.TaggedError<Unresolved>()("Unresolved", {
  message: Schema.String,
  retryAfterSeconds: Schema.Int,
}) {}

export type FailedSale = NotCharged | RefundQueued | Unresolved

/** The error of a product's work, for a buyer who has not been charged. */
export function notCharged(fact: ProductError): NotCharged {
  return new NotCharged(refusalOf(fact))
}
