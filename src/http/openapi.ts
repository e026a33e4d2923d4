/**
 * /openapi.json: the contract as an OpenAPI 3.1 document, completed with what the contract's own
 * language cannot say: prices, the x402 scheme, integer parameters, headers.
 *
 * @module
 */
import { OpenApi } from "effect/http-api"
import { usd } from "../domain/money.ts"
import { type Parameter, type Product, products } from "../domain/product.ts"
import { api } from "./api.ts"
import { plainly } from "./openapi/schemas.ts"
import { paymentIdFormula, paymentsPrefix } from "./paymentStatus.ts"

type Json = Record<string, unknown>

export interface OpenApiOptions {
  readonly publicBaseUrl: string
  readonly version: string
}

/** The whole document, as JSON text. */
export function openApiDocument({ publicBaseUrl, version }: OpenApiOptions): string {
  const made = OpenApi.fromApi(api)
  const paths: Json = {}
  for (const [path, item] of Object.entries(made.paths)) {
    if (item.get !== undefined) paths[path] = { get: completed(path, item.get) }
  }
  return JSON.stringify({
    openapi: "3.1.0",
    info: {
      title: "Bellwether",
      version,
      summary: "Prediction-market signals for agents, paid per call",
      description:
        "Free paths need nothing. Paid paths answer 402 with an x402 version 2 challenge in the " +
        "PAYMENT-REQUIRED header: sign it, and send the same request again with the payment in " +
        "PAYMENT-SIGNATURE. What cannot be answered is not charged, or, where the payment comes " +
        "first (/v1/resolving, /v1/whales, /v1/research), refunded: `charged` and `refund` of the " +
        "error say which. A buyer of x402 version 1 asks for its challenge with ?x402Version=1.",
      termsOfService: `${publicBaseUrl}/terms.txt`,
      contact: { name: "Bellwether", url: `${publicBaseUrl}/terms.txt` },
      license: { name: "Proprietary", url: `${publicBaseUrl}/terms.txt` },
      "x-guidance": guidance,
    },
    servers: [{ url: publicBaseUrl }],
    tags: [
      {
        name: "free",
        description: "No payment; a budget for each client address, named in RateLimit-Policy",
      },
      { name: "payments", description: "No payment; what became of one" },
      { name: "paid", description: "Paid per call in USDC through x402" },
    ],
    security: [],
    paths,
    components: {
      securitySchemes: { x402: scheme },
      headers,
      responses: shared,
      schemas: made.components.schemas,
    },
  }, plainly)
}

const guidance =
  "Poll GET /v1/index, which is free, about every 10 minutes. When `index` has moved, buy GET " +
  "/v1/signals with `since` set to the last index you saw. Every paid GET answers 402 first; its " +
  "PAYMENT-REQUIRED header is base64 JSON, with the amount in units of 0.000001 USDC."

const scheme = {
  type: "http",
  scheme: "x402",
  description:
    "x402 version 2, scheme exact: a signed EIP-3009 authorization in the PAYMENT-SIGNATURE header " +
    "(or X-PAYMENT, legacy), as base64 JSON",
}

const header = (description: string, type: "string" | "integer" = "string") => ({
  description,
  schema: { type },
})
const headers = {
  RequestId: header("The request's id: the caller's own when it is 8 to 64 of A-Z a-z 0-9 _ -"),
  ETag: header("The tag of this body, for If-None-Match"),
  CacheControl: header("How long the answer may be kept"),
  Allow: header("The methods this path answers"),
  RateLimit: header(
    "What is left of the budget, and seconds until it grows; absent when a payment was shown",
  ),
  RateLimitPolicy: header("The budget and its window in seconds; absent when a payment was shown"),
  RetryAfter: header("Seconds to wait", "integer"),
  PaymentRequired: header("The x402 challenge, base64 JSON"),
  PaymentResponse: header("The x402 receipt, base64 JSON; absent when nothing was charged"),
  IdempotentReplayed: header("`true` when this is the answer of an earlier call, given again"),
}

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })
const limited = { RateLimit: ref("RateLimit"), "RateLimit-Policy": ref("RateLimitPolicy") }
const waiting = { "Retry-After": ref("RetryAfter") }

/** What any path may answer before it looks at its own parameters. */
const refusals = {
  InvalidRequest: ["400", "The Host header is not the name of a host"],
  MethodNotAllowed: ["405", "The path answers GET and HEAD only"],
  PayloadTooLarge: ["413", "A request body is larger than 64 KiB"],
  UriTooLong: ["414", "Path and query are longer than 2048 characters"],
} as const

const errorContent = {
  "application/json": { schema: { $ref: "#/components/schemas/Error" } },
}
const shared = Object.fromEntries(
  Object.entries(refusals).map(([name, [status, description]]) => [name, {
    description,
    headers: headersOf(status, "tagged"),
    content: errorContent,
  }]),
)
const sharedRefs = Object.fromEntries(
  Object.entries(refusals).map((
    [name, [status]],
  ) => [status, { $ref: `#/components/responses/${name}` }]),
)

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

/** What a status means for a lookup, where it is something else. */
const ofPayments: Readonly<Record<string, string>> = {
  400: "The payment id is not one",
  404: "No payment with this id was ever shown here",
  503: "The payment cannot be looked up now",
}

const descriptions: Readonly<Record<string, string>> = {
  304: "The body you hold, by the tag you sent, is still the answer",
  400: "A parameter is invalid; a payment that was shown was not used",
  402: "Payment required, or the payment shown is not valid: `error` says why",
  404: "There is no such item, market, digest or payment",
  409: "The payment is in use, was used, or was shown for another request",
  410: "The payment was refunded",
  422: "The answer would not be worth its price: it was not charged, or is refunded",
  429: "Too many requests from this address",
  431: "A header is too large",
  500: "The service failed; with `charged` true the payment is refunded, as `refund` says",
  502: "A service behind this one failed; with `charged` true the payment is refunded",
  503: "Not now: stale data, overload, or a settlement that is not clear yet",
  504: "A service behind this one took too long; with `charged` true the payment is refunded",
}

/** What is sold, what is polled by its tag, and what is read afresh each time. */
type Kind = "paid" | "tagged" | "fresh"

/** One operation, with everything the contract could not say. */
function completed(path: string, operation: OpenApi.OpenAPISpecOperation): Json {
  const product: Product | undefined = Object.values(products).find((row) => row.path === path)
  const beneath = path.startsWith(paymentsPrefix)
  const kind: Kind = product !== undefined ? "paid" : beneath ? "fresh" : "tagged"
  const responses: Json = { ...sharedRefs }
  for (const [status, response] of Object.entries(operation.responses)) {
    responses[status] = {
      ...response,
      description: (beneath ? ofPayments[status] : undefined) ?? descriptions[status] ??
        operation.summary,
      headers: headersOf(status, kind),
    }
  }
  if (kind === "tagged") {
    responses[304] = { description: descriptions[304], headers: headersOf("304", kind) }
  }
  return {
    ...operation,
    operationId: operation.operationId.split(".").at(-1),
    parameters: product !== undefined
      ? [...product.parameters.map(parameterOf), idempotencyKey]
      : beneath
      ? [paymentId]
      : [ifNoneMatch],
    security: product === undefined ? [] : [{ x402: [] }],
    ...(product === undefined ? {} : {
      "x-payment-info": {
        price: { mode: "fixed", currency: "USD", amount: usd(product.price) },
        protocols: [{ x402: {} }],
      },
    }),
    responses,
  }
}

function headersOf(status: string, kind: Kind): Json {
  const every = { "X-Request-Id": ref("RequestId"), "Cache-Control": ref("CacheControl") }
  if (status === "402") {
    return { ...every, ...limited, "PAYMENT-REQUIRED": ref("PaymentRequired") }
  }
  if (status === "200") {
    if (kind === "fresh") return { ...every, ...limited }
    return kind === "paid"
      ? {
        ...every,
        "PAYMENT-RESPONSE": ref("PaymentResponse"),
        "X-PAYMENT-RESPONSE": ref("PaymentResponse"),
        "Idempotent-Replayed": ref("IdempotentReplayed"),
      }
      : { ...every, ...limited, ETag: ref("ETag") }
  }
  if (status === "304") return { ...every, ...limited, ETag: ref("ETag") }
  if (status === "405") return { ...every, Allow: ref("Allow") }
  if (status === "429") return { ...every, ...limited, ...waiting }
  if (kind === "fresh" && ["400", "404"].includes(status)) return { ...every, ...limited }
  return ["409", "502", "503", "504"].includes(status) ? { ...every, ...waiting } : every
}

/** A query parameter as it is decoded: an integer is an integer, with its bounds. */
function parameterOf(parameter: Parameter): Json {
  const { name, description, type, minimum, maximum, values, pattern, example } = parameter
  return {
    name,
    in: "query",
    required: parameter.required === true,
    description,
    schema: { type, minimum, maximum, default: parameter.default, enum: values, pattern },
    example,
  }
}
