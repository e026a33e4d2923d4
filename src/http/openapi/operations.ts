/**
 * The operations of /openapi.json except the documents. Effect's HttpApi generates them from the
 * tables of products and free paths; this file adds prices, integer parameters, headers and
 * examples.
 *
 * @module
 */
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Array, Schema } from "effect"
import { type FreeId, type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { type Parameter, parameterSchema } from "../../catalog/domain/parameter.ts"
import {
  errorStatuses,
  type Product,
  type ProductId,
  products,
} from "../../catalog/domain/product.ts"
import { operationId } from "../../catalog/domain/skill.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import {
  challenge,
  ChallengeBody,
  challengeV1,
  ChallengeV1Body,
} from "../../payments/domain/x402/challenge.ts"
import { type ExampleId, examplesFor } from "./examples.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { PaymentBody, paymentsPrefix } from "../paywall/paymentStatus.ts"
import { downBody } from "../pages/snapshot.ts"
import { ErrorBody } from "../server/errors.ts"
import { commonErrors, errorResponse, exampleErrors, named } from "./errors.ts"
import { answerHeaders, errorHeaders, type Kind } from "./headers.ts"

type Json = Readonly<Record<string, unknown>>

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of the body you have. The answer is 304 when the body has not changed",
  schema: { type: "string" },
}
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A secret that you choose. The same request of the same payer with the same key is charged once, " +
    "also with a new signature, and returns the same answer again. Without it a used payment returns " +
    "409",
  schema: { type: "string", pattern: "^[A-Za-z0-9_-]{16,128}$" },
}
const paymentId = {
  name: "paymentId",
  in: "path",
  required: true,
  description: `${paymentIdFormula} of the authorization; an error has it in \`refund.id\``,
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
}

/** The parameters and responses of a body with an ETag. */
export const tagged = {
  parameters: [ifNoneMatch],
  responses: {
    304: {
      description: "The body still has the ETag you sent",
      headers: answerHeaders.tagged,
    },
  },
}

/** One path. */
interface Row {
  readonly id: ExampleId
  readonly path: `/${string}`
  readonly title: string
  readonly description: string
  readonly body: Schema.Top
  readonly errors: ReadonlyArray<Schema.Top>
  readonly kind: Kind
  readonly product?: Product
  readonly parameters: ReadonlyArray<Json>
}

const error = (status: number) => ErrorBody.pipe(HttpApiSchema.status(status))

const free = Object.values(freeRows).map((row: FreeRow & { readonly id: FreeId }): Row => ({
  ...row,
  body: row.format === "text" ? Schema.String.pipe(HttpApiSchema.asText()) : row.body,
  errors: [
    ...(row.ownError === undefined ? [] : [error(row.ownError)]),
    ...[429, 503].map(error),
    // The 503 of /health has the body of its 200, or an error.
    ...(row.id === "health" ? [row.body.pipe(HttpApiSchema.status(503))] : []),
  ],
  kind: "tagged",
  parameters: tagged.parameters,
}))
// These three are reversed to keep the order of earlier versions, so the document's ETag is stable.
free.push(...free.splice(-3).reverse())

const paid = Object.values(products).map((product: Product & { readonly id: ProductId }): Row => ({
  ...product,
  errors: [
    ChallengeBody.pipe(HttpApiSchema.status(402)),
    ChallengeV1Body.pipe(HttpApiSchema.status(402)),
    ...errorStatuses(product).map(error),
  ],
  kind: "paid",
  product,
  parameters: [...product.parameters.map(queryParameter), idempotencyKey],
}))

const payment: Row = {
  id: "payment",
  path: `${paymentsPrefix}{paymentId}`,
  title: "State of a payment",
  description:
    "State, transaction and refund of a payment, without the answer it bought. The id is " +
    `${paymentIdFormula}.`,
  body: PaymentBody,
  errors: [400, 404, 429, 503].map(error),
  kind: "fresh",
  parameters: [paymentId],
}

const rows = [...free, payment, ...paid]

const endpointOf = ({ id, path, title, description, body, errors }: Row) =>
  HttpApiEndpoint.get(operationId({ id }), path, { success: body, error: errors })
    .annotate(OpenApi.Summary, title)
    .annotate(OpenApi.Description, description)

const groupOf = (name: string, rows: ReadonlyArray<Row>) => {
  const endpoints = rows.map(endpointOf)
  const group = HttpApiGroup.make(name)
  return Array.isArrayNonEmpty(endpoints) ? group.add(...endpoints) : group
}

/** The operations as Effect's HttpApi generates them. */
const generated = OpenApi.fromApi(
  HttpApi.make("bellwether")
    .add(groupOf("free", free), groupOf("payments", [payment]), groupOf("paid", paid)),
)

/** The schemas that the operations reference. */
export const contractSchemas = generated.components.schemas

/** The operations, by path. */
export function contractOperations(
  terms: PaymentTerms,
): Readonly<Record<string, { readonly get: Json }>> {
  const examples = examplesFor(terms)
  return Object.fromEntries(
    rows.map((row) => [
      row.path,
      { get: operationOf(generated.paths[row.path]?.get, { row, examples, terms }) },
    ]),
  )
}

interface Context {
  readonly row: Row
  readonly examples: ReturnType<typeof examplesFor>
  readonly terms: PaymentTerms
}

function operationOf(operation: OpenApi.OpenAPISpecOperation | undefined, context: Context): Json {
  const { row: { id, kind, product, parameters } } = context
  const responses = Object.entries(operation?.responses ?? {}).map(([status, response]) => [
    status,
    responseOf(Number(status), response, context),
  ])
  return {
    ...operation,
    operationId: operationId({ id }),
    parameters,
    security: product === undefined ? [] : [{ x402: [] }],
    ...(product === undefined ? {} : { "x-payment-info": paymentInfo(product) }),
    responses: {
      ...commonErrors,
      ...(kind === "tagged" ? tagged.responses : {}),
      ...Object.fromEntries(responses),
    },
  }
}

function responseOf(
  status: number,
  { description, content }: { readonly description: string; readonly content?: object },
  { row, examples, terms }: Context,
): Json {
  if (status === 200) {
    return {
      description,
      headers: answerHeaders[row.kind],
      content: withExamples(content, { example: examples[row.id] }),
    }
  }
  if (status === 402 && row.product !== undefined) {
    return {
      description:
        "Payment required. If a payment was sent, it was not accepted, and `error` says why",
      headers: errorHeaders(402),
      content: withExamples(content, { examples: named(challenges(row.product, terms)) }),
    }
  }
  if (status === 503 && row.id === "health") {
    const down = downBody(freeRows.health.sample())
    return {
      description: "The service is down or cannot answer now",
      headers: errorHeaders(503),
      content: withExamples(content, { examples: named({ down, ...overloaded }) }),
    }
  }
  return errorResponse(status) ?? { description, content }
}

const overloaded = { overloaded: exampleErrors["503"]?.["overloaded"] }

const withExamples = (content: object | undefined, examples: Json): Json =>
  Object.fromEntries(
    Object.entries(content ?? {}).map(([type, media]) => [type, { ...media, ...examples }]),
  )

const paymentInfo = ({ price }: Product) => ({
  price: { mode: "fixed", currency: "USD", amount: usd(price) },
  protocols: [{ x402: {} }],
})

/** The 402 bodies of a product, by x402 version. */
function challenges(product: Product, terms: PaymentTerms): Json {
  const version2 = challenge(product, terms).body
  const version1 = challengeV1(product, terms)
  return version1 === null ? { version2 } : { version2, version1 }
}

/** A query parameter in OpenAPI, with the type and bounds it is decoded with. */
export function queryParameter(parameter: Parameter): Json {
  const { description, ...schema } = parameterSchema(parameter)
  const { name, required, example } = parameter
  return { name, in: "query", required: required === true, description, schema, example }
}
