/**
 * Headers in /openapi.json: their descriptions, and the headers of each kind of answer.
 *
 * @module
 */

const header = (description: string, type: "string" | "integer" = "string") => ({
  description,
  schema: { type },
})

const text = { type: "string" }
const object = (
  properties: Readonly<Record<string, unknown>>,
  required: ReadonlyArray<string>,
) => ({
  type: "object",
  properties,
  required,
})

/** A header with base64 JSON, and the schema of that JSON. */
const encoded = (description: string, contentSchema: unknown) => ({
  description,
  schema: {
    ...text,
    contentEncoding: "base64",
    contentMediaType: "application/json",
    contentSchema,
  },
})

/** The x402 challenge. The body of a 402 is only its summary for people. */
const paymentRequired = object({
  x402Version: { const: 2 },
  error: text,
  resource: object({ url: text, description: text, mimeType: text }, ["url"]),
  accepts: {
    type: "array",
    minItems: 1,
    items: object({
      scheme: { const: "exact" },
      network: { ...text, description: "CAIP-2: eip155:8453 is Base" },
      amount: { ...text, description: "In units of 0.000001 USDC" },
      asset: { ...text, description: "The address of the USDC contract" },
      payTo: text,
      maxTimeoutSeconds: { type: "integer" },
      extra: object({
        name: { ...text, description: "The name in the token's EIP-712 domain" },
        version: text,
        paymentFlow: {
          const: "upfront",
          description: "Present when the payment is settled before the computation",
        },
      }, ["name", "version"]),
    }, ["scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds", "extra"]),
  },
  extensions: { type: "object", description: "The x402 extensions bazaar and payment-identifier" },
}, ["x402Version", "resource", "accepts"])

const paymentResponse = object({
  success: { const: true },
  payer: text,
  transaction: text,
  network: text,
}, ["success", "payer", "transaction", "network"])

/** The headers by their name in the document. */
export const headers = {
  RequestId: header(
    "The request id: the caller's own if it has 8 to 64 characters of A-Z a-z 0-9 _ -",
  ),
  ETag: header("The tag of this body, for If-None-Match"),
  CacheControl: header("How long the caller may cache the answer; shared caches may not"),
  Allow: header("The methods that this path accepts"),
  RateLimit: header(
    "Requests left in the limit, and seconds until there are more; absent when a payment was sent",
  ),
  RateLimitPolicy: header("The limit and its window in seconds; absent when a payment was sent"),
  RetryAfter: header("Seconds to wait", "integer"),
  PaymentRequired: encoded("The x402 challenge, base64 JSON", paymentRequired),
  PaymentResponse: encoded(
    "The x402 receipt, base64 JSON; absent when nothing was charged",
    paymentResponse,
  ),
  IdempotentReplayed: header("`true` when this is the stored answer of an earlier call"),
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

/** The kind of an answer: paid, cached with an ETag, or computed for each request. */
export type Kind = "paid" | "tagged" | "fresh"

/** The headers of a 200 or a 304. */
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

/** The Link header of a document. */
export const linked = { Link: header("Other documents about the service") }

/** The headers of an error with this status. */
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
