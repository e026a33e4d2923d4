/**
 * The three errors of a paid call, by what happened to the buyer's money: `NotCharged`,
 * `RefundQueued` and `Unresolved`. A paid route fails with no other. What is wrong with a payment that
 * is not accepted has one code for each cause that a buyer can act on.
 *
 * A product's own errors do not know about payments; `notCharged` converts them to `NotCharged`.
 *
 * @module
 */
import { Schema } from "effect"
import { described, text } from "../../core/domain/fields.ts"
import { type ProductError, Refusal, RefusalCode, refusalOf } from "../../catalog/domain/refusal.ts"

const paymentFaults = [
  /** It cannot be decoded. */
  "malformed",
  "invalid_network",
  "invalid_amount",
  /** It does not match our terms: scheme, token, payee, flow or resource. */
  "invalid_terms",
  "invalid_signature",
  /** It cannot be settled now, because of validAfter or validBefore. */
  "expired",
  /** Its nonce was used by a payment or a cancellation. */
  "nonce_used",
  "insufficient_funds",
  /** A facilitator refuses it with a reason that we do not know. */
  "refused",
  /** It expired, or its nonce was used elsewhere, during settlement. */
  "not_settled",
] as const
export const PaymentFault = Schema.Literals(paymentFaults)
export type PaymentFault = typeof PaymentFault.Type

/** The refusal reasons of facilitators; the first that fits counts. Their own troubles fit none. */
const faultsByReason: ReadonlyArray<readonly [RegExp, PaymentFault]> = [
  [/^insufficient_funds$|insufficient_balance/, "insufficient_funds"],
  [/^invalid_.*signature$/, "invalid_signature"],
  [/valid_(after|before)/, "expired"],
  [/authorization_used|nonce_already_used/, "nonce_used"],
  [/^invalid_network$|network_mismatch/, "invalid_network"],
  [/^invalid_.*_value(_mismatch)?$/, "invalid_amount"],
]

/** The fault for a facilitator's refusal reason; `refused` for a reason that we do not know. */
export function faultOf(reason: string): PaymentFault {
  return faultsByReason.find(([pattern]) => pattern.test(reason))?.[1] ?? "refused"
}

/** A signed receipt, in the form of x402's extension `offer-receipt`. */
export const SignedReceipt = Schema.Struct({
  format: described(Schema.Literal("jws"), "The form of the signature"),
  signature: text("A compact JWS with the signed payload; /.well-known/did.json has the key"),
}).annotate({
  identifier: "SignedReceipt",
  description: "The receipt, signed by the service",
})

/** A refund, as it is reported to the buyer. */
export const RefundNotice = Schema.Struct({
  id: text("Id of the payment: GET /v1/payments/{id} returns the state of its refund"),
  state: text("State of the refund, such as queued"),
  amountUsd: text("Amount in USD, as a decimal number"),
  to: text("Address that gets it: the payer"),
  paymentTransaction: text("Hash of the transaction that took the payment"),
  receipt: Schema.optionalKey(SignedReceipt),
})

/** The proof of a settled payment. */
export const Receipt = Schema.Struct({
  payer: text("Address that paid"),
  transaction: text("Hash of the transaction that took the payment"),
  network: text("Its network, as CAIP-2: eip155:8453 is Base"),
})

/** This call took no money. `taken` says whether an earlier call took the payment that was sent. */
export class NotCharged extends Schema.TaggedError<NotCharged>()("NotCharged", {
  ...Refusal.fields,
  /** Set with the code `payment_required`: what is wrong with the payment. */
  fault: Schema.optionalKey(PaymentFault),
  receipt: Schema.optionalKey(Receipt),
  refund: Schema.optionalKey(RefundNotice),
  /**
   * True when an earlier call took the payment that was sent; null when one may be taking it now;
   * false or absent when it is not taken.
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
