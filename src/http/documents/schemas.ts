/**
 * The JSON Schema of every body in short forms, each type once: for /openapi.json, for the fields in
 * /llms-full.txt, and for the types of the package bellwether-client.
 *
 * @module
 */
import { Record, Schema } from "effect"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { pageRows } from "../../catalog/domain/pageRow.ts"
import { products } from "../../catalog/domain/product.ts"
import { isRecord, type Json, shortForm } from "../../catalog/domain/shortForm.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { ChallengeBody, ChallengeV1Body } from "../../payments/domain/x402/challenge.ts"
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

/** The schemas of every body. */
export const allSchemas = prepared(() =>
  schemasOf({ ...ofCalls, "402 of x402 version 1": ChallengeV1Body, ...bodiesOf(pageRows) })
)

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

/**
 * The same schemas, with each property that several types describe in the same words as a type of
 * its own, where that is shorter.
 */
export function withSharedProperties({ bodies, types }: Schemas): Schemas {
  const counts = new Map<string, { readonly name: string; readonly text: string; count: number }>()
  JSON.stringify(types, (_, value) => {
    for (const [name, schema] of Object.entries(Object(value?.properties))) {
      const text = JSON.stringify(schema)
      const found = counts.get(name + text) ?? { name, text, count: 0 }
      counts.set(name + text, { ...found, count: found.count + 1 })
    }
    return value
  })
  const saved = (
    { name, text, count }: typeof counts extends Map<string, infer Row> ? Row : never,
  ) =>
    count * (text.length - referenceTo(name).length - '{"$ref":""}'.length) -
    text.length - name.length
  const shared = new Map<string, string>()
  const additions: Record<string, unknown> = {}
  for (const row of [...counts.values()].toSorted((a, b) => saved(b) - saved(a))) {
    const name = row.name.slice(0, 1).toUpperCase() + row.name.slice(1)
    if (saved(row) <= 0 || name in types || name in additions) continue
    additions[name] = JSON.parse(row.text)
    shared.set(row.name + row.text, name)
  }
  const shortened = JSON.stringify(types, (key, value) => {
    const name = shared.get(key + JSON.stringify(value))
    return name === undefined ? value : { $ref: referenceTo(name) }
  })
  return { bodies, types: { ...JSON.parse(shortened), ...additions } }
}
