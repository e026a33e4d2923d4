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
const meant = (description: string) => ({ ...text, description })
const object = (
  properties: Readonly<Record<string, unknown>>,
  required: ReadonlyArray<string>,
  description?: string,
) => ({
  type: "object",
  ...(description === undefined ? {} : { description }),
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
  x402Version: { const: 2, description: "Version of the x402 protocol; no unit" },
  error: meant("Why payment is required or was not accepted"),
  resource: object(
    {
      url: meant("Address of the call"),
      description: meant("What the call returns"),
      mimeType: meant("Content type of the answer"),
    },
    ["url"],
    "What is paid for",
  ),
  accepts: {
    type: "array",
    description: "The terms to sign; one entry",
    minItems: 1,
    items: object({
      scheme: { const: "exact", description: "The x402 scheme: exactly this amount" },
      network: { ...text, description: "CAIP-2: eip155:8453 is Base" },
      amount: { ...text, description: "In units of 0.000001 USDC" },
      asset: { ...text, description: "The address of the USDC contract" },
      payTo: meant("Address that gets the payment"),
      maxTimeoutSeconds: {
        type: "integer",
        description: "Most seconds for which the signature may be valid",
      },
      extra: object(
        {
          name: meant("The name in the token's EIP-712 domain"),
          version: meant("The version in the token's EIP-712 domain"),
          paymentFlow: {
            const: "upfront",
            description: "Present when the payment is settled before the computation",
          },
        },
        ["name", "version"],
        "What the signature needs to know of the token",
      ),
    }, ["scheme", "network", "amount", "asset", "payTo", "maxTimeoutSeconds", "extra"]),
  },
  extensions: { type: "object", description: "The x402 extensions bazaar and payment-identifier" },
}, ["x402Version", "resource", "accepts"])

const paymentResponse = object({
  success: { const: true, description: "The payment was taken" },
  payer: meant("Address that paid"),
  transaction: meant("Hash of the transaction that took the payment"),
  network: meant("Its network, as CAIP-2: eip155:8453 is Base"),
}, ["success", "payer", "transaction", "network"])

/** The headers by their name in the document. */
export const headers = {
  ETag: header("The tag of this body, for If-None-Match"),
  Allow: header("The methods that this path accepts; on a 405"),
  RateLimit: header("Requests left in the limit, and seconds until there are more"),
  RateLimitPolicy: header("The limit and its window in seconds"),
  RetryAfter: header("Seconds to wait; absent where waiting does not help", "integer"),
  PaymentRequired: encoded("The x402 challenge, base64 JSON", paymentRequired),
  PaymentResponse: encoded(
    "The x402 receipt, base64 JSON; absent when nothing was charged",
    paymentResponse,
  ),
  PaymentTransaction: header(
    "Hash of the transaction that took a payment that is refunded, as `refund.paymentTransaction`",
  ),
  RefundId: header("Id of the refund, as `refund.id`: GET /v1/payments/{id} returns its state"),
  IdempotentReplayed: header("`true` when this is the stored answer of an earlier call"),
}

type Headers = Readonly<Record<string, { readonly $ref: string }>>

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })
const waiting: Headers = { "Retry-After": ref("RetryAfter") }
/** Of an error whose payment is refunded. */
const refunded: Headers = {
  "Payment-Transaction": ref("PaymentTransaction"),
  "Refund-Id": ref("RefundId"),
}

/** The kind of an answer: paid, cached with an ETag, or computed for each request. */
export type Kind = "paid" | "tagged" | "fresh"

/** The headers of a 200 or a 304. */
export const answerHeaders: Readonly<Record<Kind, Headers>> = {
  paid: {
    ETag: ref("ETag"),
    "PAYMENT-RESPONSE": ref("PaymentResponse"),
    "X-PAYMENT-RESPONSE": ref("PaymentResponse"),
    "Idempotent-Replayed": ref("IdempotentReplayed"),
  },
  tagged: { ETag: ref("ETag") },
  fresh: {},
}

/** The Link header of a document. */
export const linked = { Link: header("Other documents about the service") }

/** The headers of an error, by the key of its response. */
export function errorHeaders(status: string): Headers {
  switch (status) {
    case "402":
      return { "PAYMENT-REQUIRED": ref("PaymentRequired") }
    case "4XX":
      return {
        ...waiting,
        ...refunded,
        Allow: ref("Allow"),
        RateLimit: ref("RateLimit"),
        "RateLimit-Policy": ref("RateLimitPolicy"),
      }
    default:
      return { ...waiting, ...refunded }
  }
}

/** The headers that no operation lists. */
export const commonHeadersText =
  "Every answer has X-Request-Id (your own, if it has 8 to 64 characters of A-Z a-z 0-9 _ -) and " +
  "Cache-Control (shared caches may not store it). An answer without a payment has RateLimit and " +
  "RateLimit-Policy where its path has a limit."
