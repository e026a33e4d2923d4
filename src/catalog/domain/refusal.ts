/**
 * Why a request gets no answer: a code, a message and a hint for each fact a caller can act on.
 *
 * @module
 */
import { Schema } from "effect"
import type { BelowThreshold } from "../../core/domain/belowThreshold.ts"
import type { DigestStale } from "../../digest/domain/digest.ts"
import type { DataStale, SignalNotFound } from "../../feed/domain/item.ts"
import type { MarketAmbiguous, MarketNotFound, VenueFailed } from "../../research/domain/report.ts"

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
export const ParameterDetail = Schema.Struct({
  param: Schema.String,
  in: Schema.Literals(["query", "header", "path", "body"]),
  message: Schema.String,
})
export type ParameterDetail = typeof ParameterDetail.Type

/** What a caller is told of a request that failed. */
export const Refusal = Schema.Struct({
  code: RefusalCode,
  message: Schema.String,
  hint: Schema.optionalKey(Schema.String),
  retryAfterSeconds: Schema.optionalKey(Schema.Int),
  details: Schema.optionalKey(Schema.Array(ParameterDetail)),
})
type Refusal = typeof Refusal.Type

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

/** Ten minutes: the first digest waits up to three for the first ticks, and takes up to three. */
export const noDigestYet =
  "No digest has been written yet: the first is expected within 10 minutes of the first start"

const digestStaleMessage = (latestAt: string | null) =>
  latestAt === null
    ? noDigestYet
    : `The newest digest, of ${latestAt}, is too old to be sold: the next is late`

/** The one place that says what a failed work means to a buyer who has not been charged. */
export function refusalOf(fact: ProductFact): Refusal {
  switch (fact._tag) {
    case "SignalNotFound":
      return {
        code: "signal_not_found",
        message: fact.index === null
          ? "The feed has no items yet"
          : `The feed has no item with index ${fact.index}`,
        hint: fact.index === null
          ? "Read /v1/index for the newest index. Your payment was not used."
          : `Read /v1/index for the newest index. ${bound}`,
      }
    case "DataStale":
      return {
        code: "data_stale",
        message: "The feed was not updated for too long, so it is not sold now",
        retryAfterSeconds: fact.retryAfterSeconds,
        hint: "Send the same payment again later, or let it expire: it was not used.",
      }
    case "DigestStale":
      return {
        code: "digest_stale",
        message: digestStaleMessage(fact.latestAt),
        retryAfterSeconds: fact.retryAfterSeconds,
        hint: "Send the same payment again later, or let it expire: it was not used.",
      }
    case "MarketNotFound":
      return {
        code: "market_not_found",
        message: `No market has the slug ${fact.slug}`,
        hint: `Take the slug from the market's page or from a feed item. ${bound}`,
      }
    case "MarketAmbiguous":
      return {
        code: "invalid_parameter",
        message: `${fact.slug} is an event with several live markets: name one of them`,
        hint: bound,
        details: fact.markets.map((slug) => ({ param: "market", in: "query", message: slug })),
      }
    case "BelowThreshold":
      return { code: "below_threshold", message: fact.message, hint: unused }
    case "VenueFailed":
      return { code: "venue_error", message: fact.message }
  }
}
