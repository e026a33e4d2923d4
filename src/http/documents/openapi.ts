/**
 * /openapi.json: the whole interface, in OpenAPI 3.1. One operation for each product and free row, one
 * for each document that programs read, and the two agent endpoints, whose messages their protocols
 * define; the headers and error responses that they share are from the table of errors.
 *
 * Catalogs and models read it whole, so it has no examples of answers: /v1/sample and /llms-full.txt
 * have them.
 *
 * @module
 */
import { Record } from "effect"
import { type FreeRow, freeRows } from "../../catalog/domain/freeRow.ts"
import { type Parameter, parameterSchema } from "../../catalog/domain/parameter.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import {
  codeOfError,
  errorRules,
  type RefusalCode,
  resend,
  resendRule,
} from "../../catalog/domain/refusal.ts"
import type { Json } from "../../catalog/domain/jsonSchema.ts"
import { operationId, skillName } from "../../catalog/domain/skill.ts"
import { usd } from "../../core/domain/money.ts"
import { version } from "../../core/domain/version.ts"
import { challenge } from "../../payments/domain/x402/challenge.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { paymentIdFormula } from "../../payments/domain/payment.ts"
import { simulationNotes, type Site } from "../site.ts"
import { type DocumentRow, documentRows, markdownType, paths } from "./addresses.ts"
import { callSchemas, paymentPath } from "./schemas.ts"

/** The document as JSON text. */
export function openApiText(site: Site): string {
  const { terms, contact } = site
  const { publicBaseUrl } = terms
  const at = (path: string) => `${publicBaseUrl}${path}`
  const termsOfService = at("/terms.txt")
  const document = {
    openapi: "3.1.0",
    info: {
      ...info,
      description: [...simulationNotes(site), info.description].join(" "),
      version,
      termsOfService,
      contact: { name: "Bellwether", url: at(paths.contact), ...emailOf(contact) },
      license: { name: "Proprietary", url: termsOfService },
    },
    servers: [{ url: publicBaseUrl }],
    tags: Record.toEntries(tags).map(([name, description]) => ({ name, description })),
    security: [],
    paths: operations(),
    components: {
      securitySchemes: { x402: scheme },
      headers,
      parameters: sharedParameters,
      responses: { NotModified: notModified, AgentError: agentError, ...errorResponses(terms) },
      schemas: callSchemas().types,
    },
    "x-agentcash-guidance": { llmsTxtUrl: at(paths.llms) },
    "x-service-info": {
      categories: ["data", "finance"],
      docs: { homepage: publicBaseUrl, apiReference: at(paths.openApi), llms: at(paths.llms) },
    },
    externalDocs: { url: at(paths.llmsFull), description: "The full documentation as one text" },
  }
  return JSON.stringify(document)
}

/** The mail addresses that OpenAPI validators accept; they reject `localhost` as a domain. */
const mailPattern = /^mailto:([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,})$/i

/** The address of a contact that is a mail address; info.contact has the page as well. */
function emailOf(contact: string) {
  const [, email] = mailPattern.exec(contact) ?? []
  return email === undefined ? {} : { email }
}

/** What an agent must know in addition to the operations. */
const guidance = [
  "Poll the free GET /v1/index about every 10 minutes. When `index` has increased, buy GET " +
  "/v1/signals with `since` set to the last `feedIndex` you got. It is not charged when there is nothing " +
  "new. The free GET /v1/sample shows the shape of every paid answer.",
  "To pay: call without a payment. The 402 has a PAYMENT-REQUIRED header: base64 JSON of x402 " +
  "version 2, with the amount in units of 0.000001 USDC. Sign an EIP-3009 authorization for the only " +
  "entry of `accepts`, and send the same request again with the payment as base64 JSON in " +
  "PAYMENT-SIGNATURE. Parameters are checked before the payment: a 400 leaves it unused.",
  "Send an Idempotency-Key on the first paid call, and keep it: a secret of 16 to 128 letters, digits, " +
  `- or _ that you choose, one for each purchase. ${resendRule} The same request with the same key ` +
  "returns the answer again for 24 hours, without a second charge. Without a key nothing does.",
  "`error.charged` says whether you paid. false: nothing was taken. true: the payment was taken, and " +
  `\`refund\` shows its refund. null: not known yet; after Retry-After, ${resend}. ` +
  "GET /v1/payments/{paymentId} returns the state of the payment.",
  `/v1/research may take a minute. Use a timeout of 90 seconds; after it, ${resend}.`,
].join("\n\n")

/** The headers that no operation lists. */
const commonHeadersText =
  "Every answer has X-Request-Id (your own, if it has 8 to 64 characters of A-Z a-z 0-9 _ -) and " +
  "Cache-Control (shared caches may not store it). An answer without a payment has RateLimit and " +
  "RateLimit-Policy where its path has a limit. A free answer and a document have an ETag: with " +
  "If-None-Match an unchanged one is 304. `default` is any other error, such as 405 or 414."

const info = {
  title: "Bellwether",
  summary: "Prediction-market signals for agents, paid per call",
  description: "You do not pay for a call without an answer. " + commonHeadersText,
  "x-guidance": guidance,
}

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON. No account and no key: Authorization is not read",
}

/** The kinds of paths. */
const tags = {
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
function operations(): Readonly<Record<string, Json>> {
  const get = <Row extends { readonly path: string }>(
    rows: Iterable<Row>,
    describe: (row: Row) => Operation,
  ) => Array.from(rows, (row) => [row.path, { get: operation(describe(row)) }] as const)
  return Object.fromEntries([
    ...get<Product>(Object.values(products), paid),
    ...get<FreeRow>(Object.values(freeRows), free),
    ...get([{ path: paymentPath }], payment),
    ...get<DocumentRow>(documentRows.filter(({ type }) => type !== markdownType), document),
    ...Object.entries(agents).map(([path, of]) => [path, { post: operation(of) }] as const),
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
      ...errors.flatMap(({ identifier }) => {
        const code = codeOfError.get(identifier)
        return code === undefined ? [] : [errorRules[code].status]
      }),
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
const sharedParameters = {
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
const notModified = {
  description: "The body still has the ETag you sent",
  ...headersNamed("ETag"),
}

function free({ parameters = [], isText, mayLack, downBody, ...row }: FreeRow): Operation {
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
      ...content(isText === true ? "text/plain" : "application/json", schema),
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

const document = ({ type, aliases = [], ...row }: DocumentRow): Operation => ({
  ...row,
  operationId: operationId(row),
  tag: "documents",
  description: [row.description, ...aliases.map((path) => `Also at ${path}.`)].join(" "),
  answer: {
    description: "The document",
    ...content(type.split(";")[0] ?? type, { type: type.includes("json") ? "object" : "string" }),
  },
})

const freeSkill = skillName(freeRows.index)

/** The agent endpoints, by path. */
const agents: Readonly<Record<string, Operation>> = {
  [paths.a2a]: {
    operationId: "sendA2aMessage",
    title: "The skills over A2A",
    description:
      "JSON-RPC of A2A 0.3.0. message/send with a data part { skill, params } returns a task: completed " +
      "at once, or input-required with the payment requirements in its metadata (a2a-x402).",
    ...messages("https://a2a-protocol.org/v0.3.0/specification/", "message/send", {
      message: {
        kind: "message",
        role: "user",
        messageId: "example-message",
        parts: [{ kind: "data", data: { skill: freeSkill, params: {} } }],
      },
    }),
  },
  [paths.mcp]: {
    operationId: "sendMcpMessage",
    title: "The skills over MCP",
    description:
      "Streamable HTTP of the Model Context Protocol, without sessions and streams: one tool per " +
      "skill. A paid tool returns its payment requirements (x402); send the payment in " +
      '_meta["x402/payment"].',
    ...messages("https://modelcontextprotocol.io/specification/", "tools/call", {
      name: freeSkill,
      arguments: {},
    }, { 202: { description: "Accepted; a notification has no answer" } }),
  },
}

/** The error of an agent endpoint, by its name in the document. */
const agentError = {
  description: "A JSON-RPC error. One found before the message is read has the body of other paths",
  ...headersNamed("Retry-After", "RateLimit", "RateLimit-Policy"),
  ...json({ type: "object", description: "A JSON-RPC 2.0 response, or an Error" }),
}

/** One message in, one out; the example calls a free skill. */
function messages(standard: string, method: string, params: Json, others: Json = {}) {
  const failed = { $ref: "#/components/responses/AgentError" }
  return {
    tag: "agents",
    answer: {
      description: "The answer, or a JSON-RPC error",
      ...json({ type: "object", description: "A JSON-RPC 2.0 response" }),
    },
    responses: { ...others, 400: failed, 429: failed, 503: failed, default: failed },
    more: {
      externalDocs: { url: standard },
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { type: "object", description: "A JSON-RPC 2.0 request" },
            example: { jsonrpc: "2.0", id: 1, method, params },
          },
        },
      },
    },
  } as const
}

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

/** Every header that an operation lists. */
const headers = {
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
type HeaderName = keyof typeof headers

/** The `headers` of a response: nothing where it lists none. */
function headersNamed(...names: ReadonlyArray<HeaderName>) {
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }])
  return names.length === 0 ? {} : { headers: Object.fromEntries(references) }
}

/** The statuses that an operation lists where it can return them; the others are `default`. */
const listed: ReadonlyArray<number> = [400, 402, 404, 409, 410, 422, 429, 502, 503, 504]

type Rules = ReadonlyArray<readonly [RefusalCode, typeof errorRules[RefusalCode]]>

const byStatus = Map.groupBy(Record.toEntries(errorRules), ([, { status }]) => status)

/** The responses of an operation that can return these error statuses. */
function errorsOf(statuses: ReadonlyArray<number>): Json {
  const possible = listed.filter((status) => statuses.includes(status)).map((status) => [
    status,
    reference(`Error${status}`),
  ])
  return { ...Object.fromEntries(possible), default: reference("Error") }
}

const reference = (name: string) => ({ $ref: `#/components/responses/${name}` })

/** The error responses by their name in the document. */
function errorResponses(terms: PaymentTerms): Json {
  const others = [...byStatus].filter(([status]) => !listed.includes(status))
  return {
    ...Object.fromEntries(listed.map((status) => [
      `Error${status}`,
      status === 402 ? paymentRequired(terms) : responseOf(byStatus.get(status) ?? []),
    ])),
    Error: responseOf(others.flatMap(([, rules]) => rules)),
  }
}

const responseOf = (rules: Rules): Json => ({
  description: [
    ...rules.map(([code, { meaning }]) => `${code}: ${meaning}`),
    ...(rules.some(([, { status }]) => status >= 500) ? [resendRule] : []),
  ].join(" "),
  ...headersNamed(...headersOf(rules)),
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
})

function headersOf(rules: Rules): ReadonlyArray<HeaderName> {
  const has = (is: (rule: typeof errorRules[RefusalCode], code: RefusalCode) => boolean) =>
    rules.some(([code, rule]) => is(rule, code))
  return [
    ...(has(({ retryable }) => retryable) ? ["Retry-After"] as const : []),
    ...(has(({ charged }) => charged.includes(true))
      ? ["Refund-Id", "Payment-Transaction"] as const
      : []),
    ...(has((_, code) => code === "rate_limited")
      ? ["RateLimit", "RateLimit-Policy"] as const
      : []),
    ...(has((_, code) => code === "method_not_allowed") ? ["Allow"] as const : []),
  ]
}

/** The 402 of every product, with the body of one of them. */
const paymentRequired = (terms: PaymentTerms): Json => ({
  description:
    "Payment required, at the price in `x-payment-info`. If a payment was sent, it was not " +
    "accepted, and `error` says why",
  ...headersNamed("PAYMENT-REQUIRED"),
  content: {
    "application/json": {
      schema: {
        anyOf: [
          { $ref: "#/components/schemas/PaymentChallenge" },
          { type: "object", description: "With ?x402Version=1: the body of x402 version 1" },
        ],
      },
      example: challenge(products.latest, terms).body,
    },
  },
})
