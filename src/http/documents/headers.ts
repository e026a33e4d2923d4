/**
 * Headers in /openapi.json: their descriptions, and the headers of each kind of answer.
 *
 * @module
 */
import { Schema } from "effect"
import { described, text } from "../../core/domain/fields.ts"
import { Receipt } from "../../payments/domain/failedSale.ts"
import { ChallengeBody } from "../../payments/domain/x402/challenge.ts"

const header = (description: string, type: "string" | "integer" = "string") => ({
  description,
  schema: { type },
})

/** A header with base64 JSON, and the name of the type of that JSON. */
const encoded = (description: string, type: string) => ({
  description,
  schema: {
    type: "string",
    contentEncoding: "base64",
    contentMediaType: "application/json",
    contentSchema: { $ref: `#/components/schemas/${type}` },
  },
})

/** The JSON in PAYMENT-REQUIRED. The body of a 402 is only its summary for people. */
export const PaymentRequired = Schema.Struct({
  x402Version: ChallengeBody.fields.x402Version,
  error: Schema.optionalKey(ChallengeBody.fields.error),
  resource: Schema.Struct({
    url: text("Address of the call"),
    description: Schema.optionalKey(text("What the call returns")),
    mimeType: Schema.optionalKey(text("Content type of the answer")),
  }).annotate({ description: "What is paid for" }),
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: described(Schema.Literal("exact"), "The x402 scheme: exactly this amount"),
    network: text("CAIP-2: eip155:8453 is Base"),
    amount: text("In units of 0.000001 USDC"),
    asset: text("The address of the USDC contract"),
    payTo: text("Address that gets the payment"),
    maxTimeoutSeconds: described(
      Schema.Int,
      "Most seconds for which the signature may be valid",
    ),
    extra: Schema.Struct({
      name: text("The name in the token's EIP-712 domain"),
      version: text("The version in the token's EIP-712 domain"),
      paymentFlow: Schema.optionalKey(described(
        Schema.Literal("upfront"),
        "Present when the payment is settled before the computation",
      )),
    }).annotate({ description: "What the signature needs to know of the token" }),
  })).annotate({ description: "The terms to sign; one entry" }),
  extensions: Schema.optionalKey(described(
    Schema.Record(Schema.String, Schema.Unknown),
    "The x402 extensions bazaar and payment-identifier",
  )),
}).annotate({ identifier: "PaymentRequired" })

/** The JSON in PAYMENT-RESPONSE. */
export const PaymentResponse = Schema.Struct({
  success: described(Schema.Literal(true), "The payment was taken"),
  ...Receipt.fields,
}).annotate({ identifier: "PaymentResponse" })

/** Every header that an operation lists. */
export const headers = {
  ETag: header("The tag of this body, for If-None-Match"),
  Allow: header("The methods that this path accepts; on a 405"),
  RateLimit: header("Requests left in the limit, and seconds until there are more"),
  "RateLimit-Policy": header("The limit and its window in seconds"),
  "Retry-After": header("Seconds to wait; absent where waiting does not help", "integer"),
  "PAYMENT-REQUIRED": encoded("The x402 challenge, base64 JSON", "PaymentRequired"),
  "PAYMENT-RESPONSE": encoded(
    "The x402 receipt, base64 JSON; absent when nothing was charged",
    "PaymentResponse",
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
