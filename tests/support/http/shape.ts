/**
 * Whether a response is one the contract allows, read as a client would read it.
 *
 * @module
 */
import { Effect, Schema } from "effect"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { PaymentBody } from "../../../src/http/paywall/paymentStatus.ts"
import { ErrorBody } from "../../../src/http/server/errors.ts"
import { ChallengeBody, ChallengeV1Body } from "../../../src/payments/domain/x402/challenge.ts"

/** What a 200 of a path holds; a path that is absent holds anything. */
export const bodies: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = Object.fromEntries([
  ...Object.values(freeRows).filter(({ format }) => format === "json"),
  ...Object.values(products),
].map(({ path, body }) => [path, body]))
const HealthBody = freeRows.health.body

const text = "text/plain; charset=utf-8"
/** What a 200 is where it is no application/json. */
const otherTypes: Readonly<Record<string, string>> = {
  ...{ "/": text, "/terms.txt": text, "/llms.txt": text, "/llms-full.txt": text },
  ...{ "/robots.txt": text, "/.well-known/security.txt": text },
  "/favicon.svg": "image/svg+xml",
  "/.well-known/api-catalog":
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
}

const challenges = Schema.Union([ChallengeBody, ChallengeV1Body])

/** What a page may read of an answer. */
export const corsHeaders = [
  "PAYMENT-REQUIRED",
  "PAYMENT-RESPONSE",
  "X-PAYMENT-RESPONSE",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "X-Request-Id",
  "ETag",
  "Link",
  "X-A2A-Extensions",
]

const allowedHeaders = [
  "Content-Type",
  "Accept",
  "Authorization",
  "PAYMENT-SIGNATURE",
  "X-PAYMENT",
  "Access-Control-Expose-Headers",
  "If-None-Match",
  "X-Request-Id",
  "Idempotency-Key",
  "A2A-Version",
  "A2A-Extensions",
  "X-A2A-Extensions",
  "MCP-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
]

/** The first thing about a response that the contract does not allow; null when there is none. */
export const faultOf = (
  path: string,
  method: string,
  response: Response,
): Effect.Effect<string | null> =>
  Effect.map(
    Effect.promise(() => response.clone().text()),
    (text) => headerFault(path, response) ?? bodyFault(path, method, response, text),
  )

/** What is posted to, and speaks JSON-RPC to a POST. */
const posted = new Set(["/a2a", "/mcp"])
const readMethods = new Set(["GET, HEAD, OPTIONS"])
const postMethods = new Set(["GET, HEAD, OPTIONS, POST", "OPTIONS, POST"])

function headerFault(path: string, { status, headers }: Response): string | null {
  const methods = posted.has(path) ? postMethods : readMethods
  const has = (name: string, value: string) => headers.get(name) === value
  if (!has("access-control-allow-origin", "*")) return "no CORS"
  if (!has("access-control-expose-headers", corsHeaders.join(", "))) return "other exposed headers"
  if (!/^[A-Za-z0-9_-]{8,64}$/.test(headers.get("x-request-id") ?? "")) return "no request id"
  if (status === 204) {
    if (!has("access-control-allow-headers", allowedHeaders.join(", "))) return "other headers"
    if (!has("access-control-max-age", "86400")) return "another max-age"
    if (!methods.has(headers.get("access-control-allow-methods") ?? "")) return "other methods"
  }
  const tellsMethods = status === 405 || status === 204
  if (tellsMethods && !methods.has(headers.get("allow") ?? "")) return "no Allow"
  if (status === 402 && headers.get("payment-required") === null) return "no PAYMENT-REQUIRED"
  const waits = [429, 502, 503, 504].includes(status)
  if (waits && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? "")) return "no Retry-After"
  if (status >= 400 && !has("cache-control", "no-store")) return "an error that is stored"
  if (status === 429 && headers.get("ratelimit") === null) return "no RateLimit"
  return null
}

function bodyFault(path: string, method: string, response: Response, text: string): string | null {
  const { status, headers } = response
  if (method === "HEAD" || [204, 304, 308].includes(status)) {
    return text === "" ? null : "a body where none belongs"
  }
  const type = headers.get("content-type")
  const other = status === 200 ? otherTypes[path] : undefined
  if (other !== undefined) return type === other ? null : `content-type ${type}`
  if (type !== "application/json") return `content-type ${type}`
  const body: unknown = parse(text)
  if (body === undefined) return "not JSON"
  if (posted.has(path) && method === "POST") {
    return isRpcAnswer(body) ? null : `no JSON-RPC: ${text}`
  }
  const schema = status === 200
    ? path.startsWith("/v1/payments/") ? PaymentBody : bodies[path]
    : status === 402
    ? challenges
    : path === "/health" && status === 503 && Schema.is(HealthBody)(body)
    ? HealthBody
    : ErrorBody
  if (schema !== undefined && !Schema.is(schema)(body)) return `not the documented body: ${text}`
  if (schema !== ErrorBody) return null
  return errorFault(response, Schema.decodeUnknownSync(ErrorBody)(body))
}

const isRpcAnswer = Schema.is(Schema.Struct({ jsonrpc: Schema.Literal("2.0") }))

/** An error repeats in its body what its status line and headers say. */
function errorFault({ status, headers }: Response, { error }: typeof ErrorBody.Type) {
  if (error.status !== status) return "another status in the body"
  if (error.requestId !== headers.get("x-request-id")) return "another request id in the body"
  const wait = headers.get("retry-after")
  if (wait !== (error.retryAfterSeconds?.toString() ?? null)) return "another wait in the body"
  if ((status === 400) !== (error.details !== undefined)) return "details on another status"
  if ((status === 405) !== (error.allowed !== undefined)) return "allowed on another status"
  return null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
