/**
 * Why a request got no answer, as a fact a caller can act on, and what it means for their money.
 *
 * Only three errors may leave a paid route: `NotCharged`, `RefundQueued`, `Unresolved`. A product's
 * work fails with facts that know nothing of money; the paywall turns them into one of the three.
 *
 * @module
 */
import { Schema } from "effect"
import { PaymentFault } from "../../payments/domain/paymentFault.ts"

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

/** The feed has no such item; `index` is null when the newest was asked for and there is none. */
export class SignalNotFound extends Schema.TaggedError<SignalNotFound>()("SignalNotFound", {
  index: Schema.NullOr(Schema.Int),
}) {}

/** The feed has not been fed for too long to be sold. */
export class DataStale extends Schema.TaggedError<DataStale>()("DataStale", {
  retryAfterSeconds: Schema.Int,
}) {}

/** No digest is young enough to be sold. */
export class DigestStale extends Schema.TaggedError<DigestStale>()("DigestStale", {
  retryAfterSeconds: Schema.Int,
}) {}

/** No market, and no event with a live one, has this slug. */
export class MarketNotFound extends Schema.TaggedError<MarketNotFound>()("MarketNotFound", {
  slug: Schema.String,
}) {}

/** The slug is an event's that has several live markets: which one is meant? */
export class MarketAmbiguous extends Schema.TaggedError<MarketAmbiguous>()("MarketAmbiguous", {
  slug: Schema.String,
  /** Slugs of its live markets, at most as many as a message holds. */
  markets: Schema.Array(Schema.String),
}) {}

/** There is an answer, but it would not be worth its price; `message` says why. */
export class BelowThreshold extends Schema.TaggedError<BelowThreshold>()("BelowThreshold", {
  message: Schema.String,
}) {}

/** The venue did not give what the answer is made of. */
export class VenueFailed extends Schema.TaggedError<VenueFailed>()("VenueFailed", {
  message: Schema.String,
}) {}

/** Why a product's work has no answer: facts that know nothing of money. */
export type ProductFact =
  | SignalNotFound
  | DataStale
  | DigestStale
  | MarketNotFound
  | MarketAmbiguous
  | BelowThreshold
  | VenueFailed

const unused = "Your payment was not used."
/** A payment is one request's, even when it was not used: another request takes another one. */
const bound =
  "Sign a new authorization for the one you mean: this one was not used, and is bound to this " +
  "request."

/** The one place that says what a failed work means to a buyer who has not been charged. */
export function notCharged(fact: ProductFact): NotCharged {
  switch (fact._tag) {
    case "SignalNotFound":
      return new NotCharged({
        code: "signal_not_found",
        message: fact.index === null
          ? "The feed has no items yet"
          : `The feed has no item with index ${fact.index}`,
        hint: fact.index === null
          ? "Read /v1/index for the newest index. Your payment was not used."
          : `Read /v1/index for the newest index. ${bound}`,
      })
    case "DataStale":
      return new NotCharged({
        code: "data_stale",
        message: "The feed is too old to be sold",
        retryAfterSeconds: fact.retryAfterSeconds,
        hint: "Send the same payment again later, or let it expire: it was not used.",
      })
    case "DigestStale":
      return new NotCharged({
        code: "digest_stale",
        message: "The newest digest is too old to be sold",
        retryAfterSeconds: fact.retryAfterSeconds,
        hint: "Send the same payment again later, or let it expire: it was not used.",
      })
    case "MarketNotFound":
      return new NotCharged({
        code: "market_not_found",
        message: `No market has the slug ${fact.slug}`,
        hint: `Take the slug from the market's page or from a feed item. ${bound}`,
      })
    case "MarketAmbiguous":
      return new NotCharged({
        code: "invalid_parameter",
        message: `${fact.slug} is an event with several live markets: name one of them`,
        hint: bound,
        details: fact.markets.map((slug) => ({ param: "market", in: "query", message: slug })),
      })
    case "BelowThreshold":
      return new NotCharged({ code: "below_threshold", message: fact.message, hint: unused })
    case "VenueFailed":
      return new NotCharged({ code: "venue_error", message: fact.message })
  }
}
