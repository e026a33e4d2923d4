/**
 * The JSON Schema of every body in short forms, each type once: for /openapi.json, and for
 * the types of the package bellwether-client.
 *
 * @module
 */
import { Record, Schema } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { isRecord, type Json, shortForm } from "../../catalog/domain/shortForm.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { ChallengeBody } from "../../payments/domain/x402/challenge.ts"
import { PaymentRequired, PaymentResponse } from "./headers.ts"
import { PaymentBody, paymentsPrefix } from "../paywall/paymentStatus.ts"
import { ErrorBody } from "../server/errors.ts"

/** The path of the state of a payment. */
export const paymentPath = `${paymentsPrefix}{paymentId}` as const

export interface Schemas {
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
export const callSchemas = prepared(() => schemasOf(ofCalls))

function schemasOf(bodies: Readonly<Record<string, Schema.Top>>): Schemas {
  const { schema, definitions } = Schema.toJsonSchemaDocument(Schema.Struct(bodies))
  const text = JSON.stringify({ bodies: schema["properties"], types: definitions })
    .replaceAll('"#/$defs/', `"${referenceTo("")}`)
  const short: Schemas = JSON.parse(text, shortForm)
  const copies = copiesIn(short.types)
  const types = Record.filter(short.types, (_, name) => !copies.has(referenceTo(name)))
  return JSON.parse(
    JSON.stringify({ ...short, types }),
    (_, value) => isRecord(value) ? copies.get(value["$ref"]) ?? value : value,
  )
}

const referenceTo = (name: string) => `#/components/schemas/${name}`

/**
 * References to the types that differ from another one in their description only, by their own
 * reference. Their generated name is that of the other type and a number.
 */
function copiesIn(types: Json): ReadonlyMap<unknown, Json> {
  const content = (schema: unknown) => JSON.stringify({ ...Object(schema), description: "" })
  return new Map(
    Object.entries(types).flatMap(([name, schema]) => {
      const original = name.replace(/_\d+$/, "")
      if (original === name || content(schema) !== content(types[original])) return []
      const { description } = Object(schema)
      const described = typeof description === "string" ? { description } : {}
      return [[referenceTo(name), { $ref: referenceTo(original), ...described }]]
    }),
  )
}
