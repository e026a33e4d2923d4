/**
 * Checks a response against the published contract, as a client reads it.
 *
 * @module
 */
import { Effect, Result, Schema } from "effect"
import { type FreeRow, freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { StatusReport } from "../../../src/status/domain/status.ts"
import { PaymentBody } from "../../../src/http/paywall/paymentStatus.ts"
import { ErrorBody } from "../../../src/http/server/errors.ts"
import { ChallengeBody, ChallengeV1Body } from "../../../src/payments/domain/x402/challenge.ts"

/** The schema of a 200 by path; a path that is absent is not checked. */
export const bodies: Readonly<Record<string, Schema.Codec<unknown, unknown>>> = Object.fromEntries([
  ...Object.values(freeRows).filter((row: FreeRow) => row.isText !== true),
  ...Object.values(products),
  { path: "/status.json", body: StatusReport },
].map(({ path, body }) => [path, body]))
const HealthBody = freeRows.health.body

const text = "text/plain; charset=utf-8"
/** The content types of a 200 other than application/json. */
const otherTypes: Readonly<Record<string, string>> = {
  ...{ "/": text, "/terms.txt": text, "/llms.txt": text, "/llms-full.txt": text },
  ...{ "/robots.txt": text, "/.well-known/security.txt": text },
  "/favicon.svg": "image/svg+xml",
  "/.well-known/api-catalog":
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
}

const challenges = Schema.Union([ChallengeBody, ChallengeV1Body])

/** The response headers that a page of another origin may read. */
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
  "Payment-Transaction",
  "Refund-Id",
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
  "X-402-Version",
  "Bellwether-Test",
]

/** The first way in which a response breaks the contract; null when there is none. */
export const faultOf = (
  path: string,
  method: string,
  response: Response,
): Effect.Effect<string | null> =>
  Effect.map(
    Effect.promise(() => response.clone().text()),
    (text) => headerFault(path, response) ?? bodyFault(path, method, response, text),
  )

/** The paths that answer a POST in JSON-RPC. */
const posted = new Set(["/a2a", "/mcp"])
const readMethods = new Set(["GET, HEAD, OPTIONS"])
const postMethods = new Set(["GET, HEAD, OPTIONS, POST", "OPTIONS, POST"])

function headerFault(path: string, { status, headers }: Response): string | null {
  const methods = posted.has(path) ? postMethods : readMethods
  const has = (name: string, value: string) => headers.get(name) === value
  if (!has("access-control-allow-origin", "*")) return "no CORS"
  if (!has("access-control-expose-headers", corsHeaders.join(", "))) {
    return "unexpected exposed headers"
  }
  if (!/^[A-Za-z0-9_-]{8,64}$/.test(headers.get("x-request-id") ?? "")) return "no request id"
  if (status === 204) {
    if (!has("access-control-allow-headers", allowedHeaders.join(", "))) {
      return "unexpected allowed headers"
    }
    if (!has("access-control-max-age", "86400")) return "wrong max-age"
    if (!methods.has(headers.get("access-control-allow-methods") ?? "")) {
      return "unexpected allowed methods"
    }
  }
  const listsMethods = status === 405 || status === 204
  if (listsMethods && !methods.has(headers.get("allow") ?? "")) return "no Allow"
  if (status === 402 && headers.get("payment-required") === null) return "no PAYMENT-REQUIRED"
  const isRetryable = [429, 502, 503, 504].includes(status)
  if (isRetryable && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? "")) return "no Retry-After"
  if (status >= 400 && !has("cache-control", "no-store")) return "a cacheable error"
  const cacheControl = headers.get("cache-control") ?? ""
  if (/public|max-age/.test(cacheControl) && !/private/.test(cacheControl)) {
    return "a shared cache may store the caller's headers"
  }
  if (status === 429 && headers.get("ratelimit") === null) return "no RateLimit"
  return null
}

function bodyFault(path: string, method: string, response: Response, text: string): string | null {
  const { status, headers } = response
  if (method === "HEAD" || [204, 304, 308].includes(status)) {
    return text === "" ? null : "an unexpected body"
  }
  const type = headers.get("content-type")
  const other = status === 200 ? otherTypes[path] : undefined
  if (other !== undefined) return type === other ? null : `content-type ${type}`
  if (type !== "application/json") return `content-type ${type}`
  const body: unknown = parse(text)
  if (body === undefined) return "not JSON"
  if (posted.has(path) && method === "POST") {
    return isRpcAnswer(body) ? null : `not JSON-RPC: ${text}`
  }
  const schema = status === 200
    ? path.startsWith("/v1/payments/") ? PaymentBody : bodies[path]
    : status === 402
    ? challenges
    : path === "/health" && status === 503 && Schema.is(HealthBody)(body)
    ? HealthBody
    : ErrorBody
  if (schema !== undefined && Result.isFailure(decodeExactly(schema)(body))) {
    return `not the documented body: ${text}`
  }
  if (schema !== ErrorBody) return null
  return errorFault(response, Schema.decodeUnknownSync(ErrorBody)(body))
}

/** A field that the contract does not have is a fault, too. */
const decodeExactly = (schema: Schema.Codec<unknown, unknown>) =>
  Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })

const isRpcAnswer = Schema.is(Schema.Struct({ jsonrpc: Schema.Literal("2.0") }))

/** The body of an error must repeat its status, request id and Retry-After. */
function errorFault({ status, headers }: Response, { error }: typeof ErrorBody.Type) {
  if (error.status !== status) return "wrong status in the body"
  if (error.requestId !== headers.get("x-request-id")) return "wrong request id in the body"
  const wait = headers.get("retry-after")
  if (wait !== (error.retryAfterSeconds?.toString() ?? null)) {
    return "wrong retryAfterSeconds in the body"
  }
  if ((status === 400) !== (error.details !== undefined)) {
    return "details without status 400, or 400 without details"
  }
  if ((status === 405) !== (error.allowed !== undefined)) {
    return "allowed without status 405, or 405 without allowed"
  }
  return null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
