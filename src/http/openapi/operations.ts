/**
 * The operations of the OpenAPI documents, except those of documents about the service. Effect's
 * HttpApi generates them from the tables of products, free paths and page data; this file adds prices,
 * integer parameters, headers and examples.
 *
 * @module
 */
import { resendRule } from "../../catalog/domain/refusal.ts"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Schema } from "effect"
import { type FreeId, type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { once } from "../../core/domain/once.ts"
import { type PageId, type PageRow, pageRows } from "../../catalog/domain/pageRow.ts"
import { type Parameter, parameterSchema } from "../../catalog/domain/parameter.ts"
import { type Product, type ProductId, products } from "../../catalog/domain/product.ts"
import { operationId } from "../../catalog/domain/skill.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { ChallengeBody, ChallengeV1Body } from "../../payments/domain/x402/challenge.ts"
import { type ExampleId, examplesFor, mediaExample } from "./examples.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { PaymentBody, paymentsPrefix } from "../paywall/paymentStatus.ts"
import { downBody } from "../free/snapshot.ts"
import { ErrorBody } from "../server/errors.ts"
import { exampleErrors, freeErrors, named, paidErrors } from "./errors.ts"
import { answerHeaders, errorHeaders, type Kind } from "./headers.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"
import { shortForms } from "./schemas.ts"

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of the body you have. The answer is 304 when the body has not changed; " +
    "with a payment, 304 charges nothing and leaves the payment unused",
  schema: { type: "string" },
}
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A secret that you choose and keep, one for each purchase. For 24 hours the same request with the " +
    `same key is charged once and returns the same answer again. ${resendRule}`,
  schema: { type: "string", pattern: "^[A-Za-z0-9_-]{16,128}$" },
}
const paymentId = {
  name: "paymentId",
  in: "path",
  required: true,
  description: `${paymentIdFormula} of the authorization; an error has it in \`refund.id\``,
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
}

/** The parameters that several paths share, by their name in the document. */
export const sharedParameters = { IfNoneMatch: ifNoneMatch, IdempotencyKey: idempotencyKey }

const shared = (name: keyof typeof sharedParameters) => ({
  $ref: `#/components/parameters/${name}`,
})

/** The answer to If-None-Match with the current tag. */
export const notModified = {
  description: "The body still has the ETag you sent",
  headers: answerHeaders.tagged,
}

/** The parameters and responses of a body with an ETag. */
export const tagged = {
  parameters: [shared("IfNoneMatch")],
  responses: { 304: { $ref: "#/components/responses/NotModified" } },
}

/** One path. */
interface Row {
  readonly id: ExampleId
  readonly tag: string
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

/** The tag of each free row. */
const freeTags: Readonly<Record<FreeId, "free" | "record" | "service">> = {
  index: "free",
  pulse: "free",
  digest_brief: "free",
  sample: "free",
  track_record: "record",
  outcomes: "record",
  feed_heads: "record",
  feed_proof: "record",
  health: "service",
  family: "service",
  terms: "service",
  terms_text: "service",
}

const free = Object.values(freeRows).map((row: FreeRow & { readonly id: FreeId }): Row => ({
  ...row,
  tag: freeTags[row.id],
  body: row.format === "text" ? Schema.String.pipe(HttpApiSchema.asText()) : row.body,
  // The 503 of /health has the body of its 200, or an error.
  errors: row.id === "health" ? [error(503), row.body.pipe(HttpApiSchema.status(503))] : [],
  kind: "tagged",
  parameters: [...(row.parameters ?? []).map(queryParameter), ...tagged.parameters],
}))

const paid = Object.values(products).map((product: Product & { readonly id: ProductId }): Row => ({
  ...product,
  errors: [
    ChallengeBody.pipe(HttpApiSchema.status(402)),
    ChallengeV1Body.pipe(HttpApiSchema.status(402)),
  ],
  kind: "paid",
  tag: "paid",
  product,
  title: `${product.title}, $${usd(product.price)}`,
  description: `$${usd(product.price)} per call, paid in USDC. ${product.description}`,
  parameters: [
    ...product.parameters.map(queryParameter),
    shared("IdempotencyKey"),
    ...(savesCharge(product) ? tagged.parameters : []),
  ],
}))

const pages = Object.values(pageRows).map((row: PageRow & { readonly id: PageId }): Row => ({
  ...row,
  errors: [],
  kind: "tagged",
  tag: "pages",
  parameters: [
    ...(row.parameter === undefined ? [] : [{
      ...row.parameter,
      in: "path",
      required: true,
      schema: { type: "string" },
    }]),
    ...tagged.parameters,
  ],
}))

const payment: Row = {
  id: "payment",
  tag: "payments",
  path: `${paymentsPrefix}{paymentId}`,
  title: "State of a payment",
  description:
    "State, transaction and refund of a payment, without the answer it bought. The id is " +
    `${paymentIdFormula}.`,
  body: PaymentBody,
  errors: [],
  kind: "fresh",
  parameters: [paymentId],
}

const otherRows = [...paid, ...free, ...pages]
const rows = [...otherRows, payment]

const endpointOf = ({ id, path, title, description, body, errors }: Row) =>
  HttpApiEndpoint.get(operationId({ id }), path, { success: body, error: errors })
    .annotate(OpenApi.Summary, title)
    .annotate(OpenApi.Description, description)

/** The operations as Effect's HttpApi generates them. This takes about 100 ms. */
const generated = once(() =>
  shortForms(OpenApi.fromApi(
    HttpApi.make("bellwether").add(
      HttpApiGroup.make("all").add(endpointOf(payment), ...otherRows.map(endpointOf)),
    ),
  ))
)

/** The schemas that the operations reference. */
export const contractSchemas = (): Json => generated().schemas

/** The operations, by path. */
export function contractOperations(
  terms: PaymentTerms,
): Readonly<Record<string, { readonly get: Json }>> {
  const examples = examplesFor(terms)
  return Object.fromEntries(
    rows.map((row) => [
      row.path,
      { get: operationOf(generated().paths[row.path]?.get, { row, examples, terms }) },
    ]),
  )
}

interface Context {
  readonly row: Row
  readonly examples: ReturnType<typeof examplesFor>
  readonly terms: PaymentTerms
}

function operationOf(operation: OpenApi.OpenAPISpecOperation | undefined, context: Context): Json {
  const { row: { id, tag, kind, product, parameters } } = context
  const responses = Object.entries(operation?.responses ?? {}).flatMap(([status, response]) => {
    const described = responseOf(status, response, context)
    return described === null ? [] : [[status, described]]
  })
  return {
    ...operation,
    operationId: operationId({ id }),
    tags: [tag],
    parameters,
    security: product === undefined ? [] : [{ x402: [] }],
    ...(product === undefined ? {} : { "x-payment-info": paymentInfo(product) }),
    responses: {
      ...(kind === "tagged" || savesCharge(product) ? tagged.responses : {}),
      ...Object.fromEntries(responses),
      ...(product === undefined ? freeErrors : paidErrors),
    },
  }
}

function responseOf(
  status: string,
  { description, content }: { readonly description: string; readonly content?: object },
  { row, examples }: Context,
): Json | null {
  if (status === "200") {
    return {
      description,
      headers: answerHeaders[row.kind],
      content: withExamples(
        content,
        mediaExample(examples[row.id]),
      ),
    }
  }
  if (status === "503" && row.id === "health") {
    const down = downBody(freeRows.health.sample())
    return {
      description: "The service is down or cannot answer now",
      headers: errorHeaders(status),
      content: withExamples(content, { examples: named({ down, ...overloaded }) }),
    }
  }
  return null
}

const overloaded = { overloaded: exampleErrors["503"]?.["overloaded"] }

const withExamples = (content: object | undefined, examples: Json): Json =>
  Object.fromEntries(
    Object.entries(content ?? {}).map(([type, media]) => [type, { ...media, ...examples }]),
  )

/** Whether an unchanged answer is a 304 without a charge. */
function savesCharge(product: Product | undefined): boolean {
  return product?.settlementOrder === "compute-first"
}

const paymentInfo = ({ price }: Product) => ({
  price: { mode: "fixed", currency: "USD", amount: usd(price) },
  protocols: [{ x402: {} }],
})

/** A query parameter in OpenAPI, with the type and bounds it is decoded with. */
export function queryParameter(parameter: Parameter): Json {
  const { description, ...schema } = parameterSchema(parameter)
  const { name, required, example } = parameter
  return { name, in: "query", required: required === true, description, schema, example }
}
