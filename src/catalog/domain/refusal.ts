/**
 * Refusals: every code, and the message and hint of each error of a product's computation. The texts
 * of other refusals stand where they are decided.
 *
 * @module
 */
import { Schema } from "effect"
import { described, text } from "../../core/domain/fields.ts"
import type { BelowThreshold } from "../../core/domain/belowThreshold.ts"
import type { DigestStale } from "../../digest/domain/digest.ts"
import type { DataStale } from "../../core/domain/freshness.ts"
import type { SignalNotFound } from "../../feed/domain/item.ts"
import type {
  LookupsExhausted,
  MarketAmbiguous,
  MarketNotFound,
  VenueFailed,
} from "../../research/domain/report.ts"

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

/** One wrong parameter; the message says what is expected. */
export const ParameterDetail = Schema.Struct({
  param: text("Name of the wrong parameter"),
  in: described(Schema.Literals(["query", "header", "path", "body"]), "Where it was sent"),
  message: text("What is expected; of an ambiguous market, a slug to choose"),
})
export type ParameterDetail = typeof ParameterDetail.Type

/** What a failed request returns to the caller. */
export const Refusal = Schema.Struct({
  code: described(RefusalCode, "The cause; /llms-full.txt has the meaning of each code"),
  message: text("The cause in words"),
  hint: Schema.optionalKey(text("What you can do")),
  retryAfterSeconds: Schema.optionalKey(
    described(Schema.Int, "Seconds to wait, equal to Retry-After"),
  ),
  details: Schema.optionalKey(
    described(Schema.Array(ParameterDetail), "Each wrong parameter; only with 400"),
  ),
})
type Refusal = typeof Refusal.Type

/** The errors of a product's computation. They do not know whether the call was charged. */
export type ProductError =
  | SignalNotFound
  | DataStale
  | DigestStale
  | MarketNotFound
  | MarketAmbiguous
  | BelowThreshold
  | VenueFailed
  | LookupsExhausted

/**
 * What to do while it is not clear whether a payment bought its answer. Every text that mentions
 * recovery says it in these words, so that no reader signs twice.
 */
export const resend = "send the same payment again with the same key; a new signature may pay twice"
/** The same as a rule of its own, with the cases it applies to. */
export const resendRule = `Answer lost or 503: ${resend}.`

const notUsed = "Your payment was not used."
/** The hint of an error that took nothing and may end by itself. */
export const resendUnused = `Your payment was not used: ${resend}.`
const resendOrExpire = `Your payment was not used: let it expire, or later ${resend}.`
/** Before it is claimed, a payment is bound to no request. */
const sendAgain = "Your payment was not used. Send it again with one of these."
/** Once it was claimed, a payment is bound to its request, even when it was not used. */
const signNew =
  "Your payment was not used, but it is bound to this request. For another request sign a new " +
  "authorization."

/** Ten minutes: the first digest waits a minute after the first tick, and takes up to three. */
export const noDigestYet =
  "No digest has been written yet: the first is expected within 10 minutes of the first good tick"

/** The first update after a first start takes about a minute. */
export const noItemsYet = {
  message: "The feed has no items yet: try again in a minute",
  retryAfterSeconds: 60,
}

const digestStaleMessage = (latestAt: string | null) =>
  latestAt === null
    ? noDigestYet
    : `The newest digest, from ${latestAt}, is too old to be sold: the next one is late`

const productCodes = {
  SignalNotFound: "signal_not_found",
  DataStale: "data_stale",
  DigestStale: "digest_stale",
  MarketNotFound: "market_not_found",
  MarketAmbiguous: "invalid_parameter",
  BelowThreshold: "below_threshold",
  VenueFailed: "venue_error",
  LookupsExhausted: "overloaded",
} as const satisfies Readonly<Record<ProductError["_tag"], RefusalCode>>

/** The code of each error of a computation, by its name. */
export const codeOfError: ReadonlyMap<string, RefusalCode> = new Map(Object.entries(productCodes))

/** The refusal of a failed computation, for a buyer who has not been charged. */
export function refusalOf(error: ProductError): Refusal {
  const isOwnLimit = error._tag === "LookupsExhausted" && error.ofClient
  return { code: isOwnLimit ? "rate_limited" : productCodes[error._tag], ...reasonOf(error) }
}

function reasonOf(error: ProductError): Omit<Refusal, "code"> {
  switch (error._tag) {
    case "SignalNotFound":
      return error.index === null ? { ...noItemsYet, hint: resendUnused } : {
        message: `The feed has no item with index ${error.index}`,
        hint: `Read /v1/index for the newest index. ${signNew}`,
      }
    case "DataStale":
      return {
        message: error.asOf === null
          ? `${error.input} is not sold now: its data has not been read yet`
          : `${error.input} is not sold now: its data is from ${error.asOf}`,
        retryAfterSeconds: error.retryAfterSeconds,
        hint: resendOrExpire,
      }
    case "DigestStale":
      return {
        message: digestStaleMessage(error.latestAt),
        retryAfterSeconds: error.retryAfterSeconds,
        hint: resendOrExpire,
      }
    case "MarketNotFound":
      return {
        message: `No market has the slug ${error.slug}`,
        hint:
          "Take the slug from the market's page or from a feed item. Your payment was not used: send it again with that slug.",
      }
    case "MarketAmbiguous":
      return {
        message: `${error.slug} is an event with several live markets. Name one of them`,
        hint: sendAgain,
        details: error.markets.map((slug) => ({ param: "market", in: "query", message: slug })),
      }
    case "BelowThreshold":
      return { message: error.message, hint: notUsed }
    case "VenueFailed":
      return { message: error.message, hint: resendOrExpire }
    case "LookupsExhausted":
      return {
        message: error.ofClient
          ? "This market is not stored, and this address has had too many others looked up"
          : "This market is not stored, and the venue cannot be asked about more markets now",
        retryAfterSeconds: error.retryAfterSeconds,
        hint: resendOrExpire,
      }
  }
}
