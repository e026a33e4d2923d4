/**
 * Why a request got no answer, as a fact a caller can act on, and what it means for their money.
 *
 * Only three errors may leave a paid route: `NotCharged`, `RefundQueued`, `Unresolved`. A product's
 * work fails with facts that know nothing of money; the paywall turns them into one of the three.
 *
 * @module
 */
import { Schema } from "effect"

export const refusalCodes = [
  "invalid_parameter",
  "payment_required",
  "not_found",
  "signal_not_found",
  "market_not_found",
  "method_not_allowed",
  "payment_in_progress",
  "payment_already_used",
  "payment_conflict",
  "payment_refunded",
  "payload_too_large",
  "uri_too_long",
  "unsupported_media_type",
  "below_threshold",
  "rate_limited",
  "headers_too_large",
  "internal_error",
  "facilitator_error",
  "venue_error",
  "digest_stale",
  "data_stale",
  "payments_unavailable",
  "settlement_unresolved",
  "overloaded",
  "upstream_timeout",
] as const
export const RefusalCode = Schema.Literals(refusalCodes)
export type RefusalCode = typeof RefusalCode.Type

/** One parameter that was wrong, in a message that says what would be right. */
export const ParameterFault = Schema.Struct({
  param: Schema.String,
  in: Schema.Literals(["query", "header", "path", "body"]),
  message: Schema.String,
})
export type ParameterFault = typeof ParameterFault.Type

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
  code: RefusalCode,
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String),
  retryAfterSeconds: Schema.optionalKey(Schema.Int),
  details: Schema.optionalKey(Schema.Array(ParameterFault)),
  receipt: Schema.optionalKey(Receipt),
  refund: Schema.optionalKey(RefundNotice),
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
