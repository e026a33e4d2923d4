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

/** Every header that an operation lists. */
export const headers = {
  ETag: header("The tag of this body, for If-None-Match"),
  Allow: header("The methods that this path accepts; on a 405"),
  RateLimit: header("Requests left in the limit, and seconds until there are more"),
  "RateLimit-Policy": header("The limit and its window in seconds"),
  "Retry-After": header("Seconds to wait; absent where waiting does not help", "integer"),
  "PAYMENT-REQUIRED": encoded("The x402 challenge, base64 JSON", paymentRequired),
  "PAYMENT-RESPONSE": encoded(
    "The x402 receipt, base64 JSON; absent when nothing was charged",
    paymentResponse,
  ),
  "X-PAYMENT-RESPONSE": header("The same, for clients of x402 version 1"),
  "Payment-Transaction": header(
    "Hash of the transaction that took a payment that is refunded, as `refund.paymentTransaction`",
  ),
  "Refund-Id": header("Id of the refund, as `refund.id`: GET /v1/payments/{id} returns its state"),
  "Idempotent-Replayed": header("`true` when this is the stored answer of an earlier call"),
}
export type HeaderName = keyof typeof headers

/** The `headers` of a response: nothing where it lists none. */
export const headersNamed = (...names: ReadonlyArray<HeaderName>) =>
  names.length === 0 ? {} : {
    headers: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
    ),
  }

/** The headers that no operation lists. */
export const commonHeadersText =
  "Every answer has X-Request-Id (your own, if it has 8 to 64 characters of A-Z a-z 0-9 _ -) and " +
  "Cache-Control (shared caches may not store it). An answer without a payment has RateLimit and " +
  "RateLimit-Policy where its path has a limit. A free answer and a document have an ETag: with " +
  "If-None-Match an unchanged one is 304. `default` is any other error, such as 405 or 414."
