/**
 * The JSON Schema of every body in short forms, each type once: for /openapi.json, and for
 * the types of the package bellwether-client.
 *
 * @module
 */
import { Schema } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { type Json, shortForm } from "../../catalog/domain/shortForm.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { ChallengeBody } from "../../payments/domain/x402/challenge.ts"
import { PaymentRequired, PaymentResponse } from "./headers.ts"
import { PaymentBody, paymentsPrefix } from "../paywall/paymentStatus.ts"
import { ErrorBody } from "../server/errors.ts"

/** The path of the state of a payment. */
export const paymentPath = `${paymentsPrefix}{paymentId}` as const

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
