/**
 * The JSON Schema of every body in short forms, each type once: for /openapi.json, and for
 * the types of the package bellwether-client.
 *
 * @module
 */
import { Schema } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { type Json, shortForm } from "../../catalog/domain/jsonSchema.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { described, text } from "../../core/domain/fields.ts"
import { Receipt } from "../../payments/domain/failedSale.ts"
import { ChallengeBody } from "../../payments/domain/x402/challenge.ts"
import { PaymentBody, paymentsPrefix } from "../paywall/paymentStatus.ts"
import { ErrorBody } from "../server/errors.ts"

/** The path of the state of a payment. */
export const paymentPath = `${paymentsPrefix}{paymentId}` as const

/** The JSON in PAYMENT-REQUIRED. The body of a 402 is only its summary for people. */
const PaymentRequired = Schema.Struct({
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
const PaymentResponse = Schema.Struct({
  success: described(Schema.Literal(true), "The payment was taken"),
  ...Receipt.fields,
}).annotate({ identifier: "PaymentResponse" })

interface Schemas {
  /** The schema of each body, by its path or by what it is. */
  readonly bodies: Json
  /** The types that they refer to, by name. */
  readonly types: Json
}

const bodiesOf = (rows: Readonly<Record<string, { path: string; body: Schema.Top }>>) =>
  Object.fromEntries(Object.values(rows).map(({ path, body }) => [path, body]))

/** The bodies of the calls, and of their refusals. */
const ofCalls = {
  ...bodiesOf(products),
  ...bodiesOf(freeRows),
  [paymentPath]: PaymentBody,
  "every error except 402": ErrorBody,
  "402": ChallengeBody,
  "PAYMENT-REQUIRED, base64 JSON": PaymentRequired,
  "PAYMENT-RESPONSE, base64 JSON": PaymentResponse,
}

/** The schemas of the calls. */
export const callSchemas = prepared((): Schemas => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(Schema.Struct(ofCalls))
  const text = JSON.stringify({ bodies: schema["properties"], types: definitions })
  return JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/'), shortForm)
})
