/**
 * The operations of the contract in /openapi.json, completed with what the contract's own language
 * cannot say: prices, integer parameters, headers, examples.
 *
 * @module
 */
import type { OpenApi } from "effect/http-api"
import { parameterSchema } from "../../payments/domain/x402/bazaar.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { type Parameter, type Product, products } from "../../catalog/domain/product.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { challenge, challengeV1 } from "../../payments/domain/x402/challenge.ts"
import { type ExampleId, examplesFor } from "./examples.ts"
import { exampleErrors } from "./exampleErrors.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { downBody } from "../pages/snapshot.ts"
import { anywhere, errorResponse, named } from "./errors.ts"
import { answerHeaders, errorHeaders, type Kind } from "./headers.ts"

type Json = Readonly<Record<string, unknown>>

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of the body you hold: when it is still the same the answer is a 304",
  schema: { type: "string" },
}
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A secret of your own. Shown on the first call, it fetches the same answer again with " +
    "the same payment, which is not taken twice; without it a payment that was used is a 409",
  schema: { type: "string", pattern: "^[A-Za-z0-9_-]{16,128}$" },
}
const paymentId = {
  name: "paymentId",
  in: "path",
  required: true,
  description: `${paymentIdFormula}, of the authorization; an error's \`refund.id\` is the same`,
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]{64}$" },
}

/** What a body that is asked for again by its tag takes and answers. */
export const tagged = {
  parameters: [ifNoneMatch],
  responses: {
    304: {
      description: "The body you hold, by the tag you sent, is still the answer",
      headers: answerHeaders.tagged,
    },
  },
}

/** What is known of a path beside its contract. */
interface Row {
  readonly id: ExampleId
  readonly kind: Kind
  readonly product?: Product
  readonly parameters: ReadonlyArray<Json>
}

const rows: ReadonlyMap<string, Row> = new Map([
  ...Object.values(freeRows).map(({ id, path }): [string, Row] => [path, {
    id,
    kind: "tagged",
    parameters: tagged.parameters,
  }]),
  ...Object.values(products).map((product): [string, Row] => [product.path, {
    id: product.id,
    kind: "paid",
    product,
    parameters: [...product.parameters.map(queryParameter), idempotencyKey],
  }]),
  [`${paymentsPrefix}{paymentId}`, { id: "payment", kind: "fresh", parameters: [paymentId] }],
])

/** Completes the operation of a path; one that no row is about stays as it is. */
export function completing(
  terms: PaymentTerms,
): (path: string, operation: OpenApi.OpenAPISpecOperation) => Json {
  const examples = examplesFor(terms)
  return (path, operation) => {
    const row = rows.get(path)
    if (row === undefined) return { ...operation }
    const { product, kind, parameters } = row
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      responseOf(Number(status), response, { row, examples, terms }),
    ])
    return {
      ...operation,
      operationId: operation.operationId.split(".").at(-1),
      parameters,
      security: product === undefined ? [] : [{ x402: [] }],
      ...(product === undefined ? {} : { "x-payment-info": paymentInfo(product) }),
      responses: {
        ...anywhere,
        ...(kind === "tagged" ? tagged.responses : {}),
        ...Object.fromEntries(responses),
      },
    }
  }
}

function responseOf(
  status: number,
  { description, content }: { readonly description: string; readonly content?: object },
  { row, examples, terms }: {
    readonly row: Row
    readonly examples: ReturnType<typeof examplesFor>
    readonly terms: PaymentTerms
  },
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
      description: "Payment required, or the payment shown is not valid: `error` says why",
      headers: errorHeaders(402),
      content: withExamples(content, { examples: named(challenges(row.product, terms)) }),
    }
  }
  // Its 503 is the same body as its 200, or an error.
  if (status === 503 && row.id === "health") {
    const down = downBody(examples.health)
    return {
      description: "The service is down, or cannot answer now",
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

/** The bodies of a product's 402, by the version of x402 the buyer asks for. */
function challenges(product: Product, terms: PaymentTerms): Json {
  const version2 = challenge(product, terms).body
  const version1 = challengeV1(product, terms)
  return version1 === null ? { version2 } : { version2, version1 }
}

/** A query parameter as it is decoded: an integer is an integer, with its bounds. */
export function queryParameter(parameter: Parameter): Json {
  const { description, ...schema } = parameterSchema(parameter)
  const { name, required, example } = parameter
  return { name, in: "query", required: required === true, description, schema, example }
}
