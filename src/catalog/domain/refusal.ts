/**
 * Refusals: every code with its status, meaning and retry rule, and the message and hint of each error
 * of a product's computation. The texts of other refusals stand where they are decided.
 *
 * @module
 */
import { Record, Schema } from "effect"
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

/**
 * What to do while it is not clear whether a payment bought its answer. Every text that mentions
 * recovery says it in these words, so that no reader signs twice.
 */
export const resend = "send the same payment again with the same key; a new signature may pay twice"
/** The same as a rule of its own, with the cases it applies to. */
export const resendRule = `Answer lost or 503: ${resend}.`

interface ErrorRule {
  readonly status: number
  /** Whether the same request may succeed when it is sent again later. */
  readonly retryable: boolean
  /** Default for a refusal without its own `retryAfterSeconds`. */
  readonly retryAfterSeconds?: number
  /** The meaning of the code and what to do, as /llms-full.txt prints it. */
  readonly meaning: string
  /** The values that `charged` may have. */
  readonly charged: ReadonlyArray<boolean | null>
}

const final = (status: number, meaning: string, charged: ErrorRule["charged"] = [false]) => ({
  status,
  retryable: false,
  meaning,
  charged,
})
const transient = (
  status: number,
  retryAfterSeconds: number,
  meaning: string,
  charged: ErrorRule["charged"] = [false],
) => ({ status, retryable: true, retryAfterSeconds, meaning, charged })
const requestUnused = "a payment in the request was not used"

const rules = {
  invalid_parameter: final(
    400,
    `A parameter is wrong, see \`details\`; ${requestUnused}. Correct it and send the payment again.`,
  ),
  payment_required: final(
    402,
    "The body is the payment challenge, not an error body. If a payment was sent, `error` says why " +
      "it was not accepted.",
  ),
  not_found: final(404, "This path or payment does not exist, or no digest has been written yet."),
  signal_not_found: final(404, "The feed has no item with this index. Not charged."),
  market_not_found: final(404, "The venue has no such market. Not charged."),
  method_not_allowed: final(405, "`allowed` lists the methods of this path."),
  payment_in_progress: {
    status: 409,
    retryable: true,
    charged: [null],
    meaning: `A call with this payment, or with this key, is still running: ${resend}.`,
  },
  payment_already_used: final(
    409,
    "This payment already bought an answer. Send it with the Idempotency-Key of the first call to " +
      "get that answer again.",
    [true],
  ),
  payment_conflict: final(
    409,
    "This payment belongs to another request. This call charged nothing.",
    [false, true, null],
  ),
  payment_refunded: final(
    410,
    "This payment was refunded or will be; see `refund`. To buy again, sign a new one.",
    [true],
  ),
  payload_too_large: final(413, "The body is too long."),
  uri_too_long: final(414, "Path and query are too long."),
  unsupported_media_type: final(415, "The posted body must be application/json."),
  below_threshold: final(
    422,
    "There is too little data for an answer that is worth its price. Not charged, or refunded.",
    [false, true],
  ),
  rate_limited: transient(
    429,
    60,
    "Too many requests from this address; this one did not use a payment. After Retry-After, " +
      "send the same request, with the same payment if it had one.",
    [false, null],
  ),
  headers_too_large: final(431, "The payment header is too long."),
  internal_error: {
    status: 500,
    retryable: true,
    charged: [false, true, null],
    meaning: `The service failed. If \`charged\` is null: ${resend}.`,
  },
  facilitator_error: transient(502, 5, "Payments cannot be checked now. Not charged."),
  venue_error: transient(
    502,
    30,
    "The venue did not answer. Not charged, or refunded; see `charged`.",
    [false, true],
  ),
  digest_stale: transient(
    503,
    60,
    "The newest digest is too old to be sold, or none exists yet. Not charged.",
  ),
  data_stale: transient(
    503,
    60,
    "The data that the answer rests on is too old to be sold. Not charged, or refunded; see `charged`.",
    [false, true],
  ),
  payments_unavailable: transient(503, 10, "Payments cannot be taken now. Not charged."),
  settlement_unresolved: transient(
    503,
    5,
    `It is not known yet whether the payment was taken: ${resend}.`,
    [null],
  ),
  overloaded: transient(
    503,
    2,
    `The service cannot answer now; ${requestUnused}. \`charged\` is null when an earlier request may have ` +
      "used it.",
    [false, null],
  ),
  upstream_timeout: transient(
    504,
    5,
    "The answer was not ready in time. Not charged, or refunded.",
    [false, true],
  ),
} satisfies Readonly<Record<string, ErrorRule>>

export type RefusalCode = keyof typeof rules
/** The rule of every error code. */
export const errorRules: Readonly<Record<RefusalCode, ErrorRule>> = rules
export const RefusalCode = Schema.Literals(Record.keys(rules))

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

/** The hint of an error that took nothing and may end by itself. */
export const resendUnused = `Your payment was not used: ${resend}.`
const resendOrExpire = `Your payment was not used: let it expire, or later ${resend}.`
/** Before it is claimed, a payment is bound to no request. */
const sendAgain = "Your payment was not used. Send it again with one of these."
/** The markets of an event that a message names; `details` has all. */
const namedMax = 3
/** Once it was claimed, a payment is bound to its request, even when it was not used. */
const signNew =
  "Your payment was not used, but it is bound to this request. For another request sign a new " +
  "authorization."

/** Ten minutes: the first digest waits a minute after the first tick, and takes up to three. */
export const noDigestYet =
  "No digest has been written yet: the first is expected within 10 minutes of the first good tick"

/** The first update after a first start takes up to a minute, and a few seconds of a simulated venue. */
export const noItemsYet = {
  message: "The feed has no items yet: the first come within a minute of the start",
  retryAfterSeconds: 10,
}

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
        message: error.latestAt === null
          ? noDigestYet
          : `The newest digest, from ${error.latestAt}, is too old to be sold: the next one is late`,
        retryAfterSeconds: error.retryAfterSeconds,
        hint: resendOrExpire,
      }
    case "MarketNotFound":
      return {
        message: `No market has the slug ${error.slug}`,
        hint: `${
          error.near.length > 0
            ? `Did you mean ${error.near.join(" or ")}?`
            : "Take the slug from the market's page or from a feed item."
        } Your payment was not used: send it again with that slug.`,
      }
    case "MarketAmbiguous":
      return {
        message: `${error.slug} is an event with several live markets. Name one of them, such as ${
          error.markets.slice(0, namedMax).join(" or ")
        }`,
        hint: sendAgain,
        details: error.markets.map((slug) => ({ param: "market", in: "query", message: slug })),
      }
    case "BelowThreshold":
      return { message: error.message, hint: "Your payment was not used." }
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
