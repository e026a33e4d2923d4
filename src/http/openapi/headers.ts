/**
 * Headers in /openapi.json: what each means, and which an answer has.
 *
 * @module
 */

const header = (description: string, type: "string" | "integer" = "string") => ({
  description,
  schema: { type },
})

const encoded = (description: string) => ({
  description,
  schema: { type: "string", contentEncoding: "base64", contentMediaType: "application/json" },
})

/** The headers, by the name the document refers to them by. */
export const headers = {
  RequestId: header("The request's id: the caller's own when it is 8 to 64 of A-Z a-z 0-9 _ -"),
  ETag: header("The tag of this body, for If-None-Match"),
  CacheControl: header("How long the answer may be kept"),
  Allow: header("The methods this path answers"),
  RateLimit: header(
    "What is left of the budget, and seconds until it grows; absent when a payment was shown",
  ),
  RateLimitPolicy: header("The budget and its window in seconds; absent when a payment was shown"),
  RetryAfter: header("Seconds to wait", "integer"),
  PaymentRequired: encoded("The x402 challenge, base64 JSON"),
  PaymentResponse: encoded("The x402 receipt, base64 JSON; absent when nothing was charged"),
  IdempotentReplayed: header("`true` when this is the answer of an earlier call, given again"),
}

type Headers = Readonly<Record<string, { readonly $ref: string }>>

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })
const every: Headers = {
  "X-Request-Id": ref("RequestId"),
  "Cache-Control": ref("CacheControl"),
}
const limited: Headers = {
  ...every,
  RateLimit: ref("RateLimit"),
  "RateLimit-Policy": ref("RateLimitPolicy"),
}
const waiting: Headers = { ...every, "Retry-After": ref("RetryAfter") }

/** What an answer is: sold, asked for again by its tag, or made afresh each time. */
export type Kind = "paid" | "tagged" | "fresh"

/** The headers of a 200, or a 304. */
export const answerHeaders: Readonly<Record<Kind, Headers>> = {
  paid: {
    ...every,
    "PAYMENT-RESPONSE": ref("PaymentResponse"),
    "X-PAYMENT-RESPONSE": ref("PaymentResponse"),
    "Idempotent-Replayed": ref("IdempotentReplayed"),
  },
  tagged: { ...limited, ETag: ref("ETag") },
  fresh: limited,
}

/** The header of a document that names others. */
export const linked = { Link: header("Other documents about the service") }

/** The headers of the status of an error. */
export function errorHeaders(status: number): Headers {
  switch (status) {
    case 400:
    case 404:
      return limited
    case 402:
      return { ...limited, "PAYMENT-REQUIRED": ref("PaymentRequired") }
    case 405:
      return { ...every, Allow: ref("Allow") }
    case 429:
      return { ...limited, ...waiting }
    case 409:
    case 502:
    case 503:
    case 504:
      return waiting
    default:
      return every
  }
}
