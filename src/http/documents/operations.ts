/**
 * The operations of /openapi.json: one for each product and free row, one for each document that
 * programs read, and the two agent endpoints, whose messages their protocols define.
 *
 * @module
 */
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { type Parameter, parameterSchema } from "../../catalog/domain/parameter.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { codeOfError, resendRule } from "../../catalog/domain/refusal.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"
import { operationId, skillName } from "../../catalog/domain/skill.ts"
import { usd } from "../../core/domain/money.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { type DocumentRow, documentRows, markdownType, paths } from "./addresses.ts"
import { headersNamed } from "./headers.ts"
import { errorsOf, statusOf } from "./responses.ts"
import { callSchemas, paymentPath } from "./schemas.ts"

/** The kinds of paths. */
export const tags = {
  free: "No payment. Each client address has a request limit, see RateLimit-Policy",
  paid: "Paid per call in USDC through x402",
  payments: "The state of a payment. No payment needed",
  documents: "Documents about the service",
  agents: "The same skills over A2A and MCP",
}

interface Operation {
  readonly operationId: string
  readonly tag: keyof typeof tags
  readonly title: string
  readonly description: string
  readonly parameters?: ReadonlyArray<Json>
  /** The response with status 200. */
  readonly answer: Json
  /** The error statuses that it can return, besides those of every path. */
  readonly statuses?: ReadonlyArray<number>
  /** The other responses. */
  readonly responses?: Json
  /** What only this kind of path has. */
  readonly more?: Json
}

const operation = ({ operationId, tag, title, description, ...rest }: Operation): Json => ({
  operationId,
  summary: title,
  description,
  tags: [tag],
  security: [],
  parameters: rest.parameters,
  ...rest.more,
  responses: {
    200: rest.answer,
    ...errorsOf([429, 503, ...rest.statuses ?? []]),
    ...rest.responses,
  },
})

/** Every operation, by path and method. */
export function operations(): Readonly<Record<string, Json>> {
  const get = <Row extends { readonly path: string }>(
    rows: Iterable<Row>,
    describe: (row: Row) => Operation,
  ) => Array.from(rows, (row) => [row.path, { get: operation(describe(row)) }] as const)
  return Object.fromEntries([
    ...get<Product>(Object.values(products), paid),
    ...get<FreeRow>(Object.values(freeRows), free),
    ...get([{ path: paymentPath }], payment),
    ...get<DocumentRow>(documentRows.filter(({ type }) => type !== markdownType), document),
    ...agentRows.map((row) => [row.path, { post: operation(agent(row)) }] as const),
  ])
}

const content = (type: string, schema: unknown): Json => ({ content: { [type]: { schema } } })
const json = (schema: unknown) => content("application/json", schema)

/** A product, with its price, its payment and its receipt. */
function paid(product: Product): Operation {
  const { price, title, path, errors, parameters } = product
  const isTagged = product.settlementOrder === "compute-first"
  return {
    operationId: operationId(product),
    tag: "paid",
    title: `${title}, $${usd(price)}`,
    description: `$${usd(price)} per call, paid in USDC. ${product.description}`,
    parameters: [
      ...parameters.map(queryParameter),
      { $ref: "#/components/parameters/IdempotencyKey" },
      ...(isTagged ? [{ $ref: "#/components/parameters/IfNoneMatch" }] : []),
    ],
    answer: {
      description: "The answer",
      ...headersNamed(
        ...(isTagged ? ["ETag"] as const : []),
        ...["PAYMENT-RESPONSE", "X-PAYMENT-RESPONSE", "Idempotent-Replayed"] as const,
      ),
      ...json(callSchemas().bodies[path]),
    },
    responses: isTagged ? { 304: { $ref: "#/components/responses/NotModified" } } : {},
    statuses: [
      ...[400, 402, 409, 410, 502, 504],
      ...errors.flatMap(({ identifier }) => statusOf(codeOfError.get(identifier)) ?? []),
    ],
    more: {
      security: [{ x402: [] }],
      "x-payment-info": {
        price: { mode: "fixed", currency: "USD", amount: usd(price) },
        protocols: [{ x402: {} }],
      },
    },
  }
}

/** The parameters that products share, by their name in the document. */
export const sharedParameters = {
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    description:
      "The ETag of the body you have. The answer is 304 when the body has not changed; " +
      "it charges nothing and leaves the payment unused",
    schema: { type: "string" },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "A secret that you choose and keep, one for each purchase. For 24 hours the same request with the " +
      `same key is charged once and returns the same answer again. ${resendRule}`,
    schema: { type: "string", pattern: "^[A-Za-z0-9_-]{16,128}$" },
  },
}

/** The answer to If-None-Match with the current tag. */
export const notModified = {
  description: "The body still has the ETag you sent",
  ...headersNamed("ETag"),
}

function free({ parameters = [], format, mayLack, downBody, ...row }: FreeRow): Operation {
  const schema = callSchemas().bodies[row.path]
  const either = { anyOf: [schema, { $ref: "#/components/schemas/Error" }] }
  const down = { description: "The service is down, or cannot answer now", ...json(either) }
  return {
    ...row,
    operationId: operationId(row),
    tag: "free",
    parameters: parameters.map(queryParameter),
    answer: {
      description: "The answer",
      ...content(format === "json" ? "application/json" : "text/plain", schema),
    },
    statuses: [...(parameters.length > 0 ? [400] : []), ...(mayLack === true ? [404] : [])],
    responses: downBody === true ? { 503: down } : {},
  }
}

const payment = (): Operation => ({
  operationId: operationId({ id: "payment" }),
  tag: "payments",
  title: "State of a payment",
  description:
    "State, transaction and refund of a payment, without the answer it bought. The id is " +
    `${paymentIdFormula}.`,
  parameters: [pathParameter({
    name: "paymentId",
    description: `${paymentIdFormula} of the authorization; an error has it in \`refund.id\``,
    pattern: "^0x[0-9a-fA-F]{64}$",
  })],
  answer: { description: "The state", ...json(callSchemas().bodies[paymentPath]) },
  statuses: [400, 404],
})

const document = ({ type, aliases = [], parameters = [], ...row }: DocumentRow): Operation => ({
  ...row,
  operationId: operationId(row),
  tag: "documents",
  description: [row.description, ...aliases.map((path) => `Also at ${path}.`)].join(" "),
  parameters: parameters.map(queryParameter),
  answer: {
    description: "The document",
    ...content(type.split(";")[0] ?? type, { type: type.includes("json") ? "object" : "string" }),
  },
  statuses: parameters.length > 0 ? [400] : [],
})

interface AgentRow {
  readonly operationId: string
  readonly path: string
  readonly title: string
  readonly description: string
  readonly standard: string
  /** An example call of a free skill. */
  readonly call: { readonly method: string; readonly params: Json }
  readonly responses?: Json
}

const freeSkill = skillName(freeRows.index)

const agentRows: ReadonlyArray<AgentRow> = [
  {
    operationId: "sendA2aMessage",
    path: paths.a2a,
    title: "The skills over A2A",
    description:
      "JSON-RPC of A2A 0.3.0. message/send with a data part { skill, params } returns a task: completed " +
      "at once, or input-required with the payment requirements in its metadata (a2a-x402).",
    standard: "https://a2a-protocol.org/v0.3.0/specification/",
    call: {
      method: "message/send",
      params: {
        message: {
          kind: "message",
          role: "user",
          messageId: "example-message",
          parts: [{ kind: "data", data: { skill: freeSkill, params: {} } }],
        },
      },
    },
  },
  {
    operationId: "sendMcpMessage",
    path: paths.mcp,
    title: "The skills over MCP",
    description:
      "Streamable HTTP of the Model Context Protocol, without sessions and streams: one tool per " +
      "skill. A paid tool returns its payment requirements (x402); send the payment in " +
      '_meta["x402/payment"].',
    standard: "https://modelcontextprotocol.io/specification/",
    call: { method: "tools/call", params: { name: freeSkill, arguments: {} } },
    responses: { 202: { description: "Accepted; a notification has no answer" } },
  },
]

/** The error of an agent endpoint, by its name in the document. */
export const agentError = {
  description: "A JSON-RPC error. One found before the message is read has the body of other paths",
  ...headersNamed("Retry-After", "RateLimit", "RateLimit-Policy"),
  ...json({ type: "object", description: "A JSON-RPC 2.0 response, or an Error" }),
}

/** One message in, one out. */
const agent = ({ standard, call, responses, ...row }: AgentRow): Operation => ({
  ...row,
  tag: "agents",
  responses: {
    ...responses,
    ...Object.fromEntries(
      [400, 429, 503, "default"].map((status) => [
        status,
        { $ref: "#/components/responses/AgentError" },
      ]),
    ),
  },
  answer: {
    description: "The answer, or a JSON-RPC error",
    ...json({ type: "object", description: "A JSON-RPC 2.0 response" }),
  },
  more: {
    externalDocs: { url: standard },
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { type: "object", description: "A JSON-RPC 2.0 request" },
          example: { jsonrpc: "2.0", id: 1, ...call },
        },
      },
    },
  },
})

/** A query parameter, with the type and bounds it is decoded with. */
function queryParameter(parameter: Parameter): Json {
  const { description, ...schema } = parameterSchema(parameter)
  const { name, required, example } = parameter
  return { name, in: "query", required, description, schema, example }
}

const pathParameter = (parameter: Omit<Parameter, "type" | "required">): Json => ({
  ...queryParameter({ type: "string", required: true, ...parameter }),
  in: "path",
})
