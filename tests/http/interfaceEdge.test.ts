/**
 * The interface, row by row: the headers of every status, the methods of each path, the documents,
 * the redirects of the predecessor's paths, and the versions.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Ref, References } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../src/catalog/domain/product.ts"
import type { RefusalCode } from "../../src/catalog/domain/refusal.ts"
import { NotCharged } from "../../src/payments/domain/failedSale.ts"
import { hour } from "../../src/core/domain/time.ts"
import { test } from "../support/effect.ts"
import { makeService, paymentFor } from "../support/http/httpService.ts"
import { storedDigest } from "../support/digest/storedDigests.ts"
import { faultOf } from "../support/http/shape.ts"
import {
  at,
  json,
  missing,
  noon,
  sellingAs,
  stocked,
  stockedService,
} from "../support/http/stockedService.ts"
import { terms } from "../support/payments/terms.ts"

const base = terms.publicBaseUrl
const knownPayment = `/v1/payments/0x${"5a".repeat(32)}`
const reads = "GET, HEAD, OPTIONS"
const long = (length: number) => "x".repeat(length)

/** Request, headers, status and error code. */
const rows: ReadonlyArray<
  readonly [
    request: string,
    headers: Readonly<Record<string, string>>,
    status: number,
    code: string,
  ]
> = [
  ["GET /v1/index", {}, 200, ""],
  ["HEAD /v1/index", {}, 200, ""],
  ["OPTIONS /v1/index", {}, 204, ""],
  ["OPTIONS /v1/latest", {}, 204, ""],
  ["OPTIONS /nowhere", {}, 204, ""],
  ["OPTIONS /mcp", {}, 204, ""],
  ["OPTIONS /a2a", {}, 204, ""],
  ["GET /v1/index", { "if-none-match": "*" }, 304, ""],
  ["HEAD /v1/index", { "if-none-match": "*" }, 304, ""],
  ["GET /api/signals", {}, 308, ""],
  ["GET /v1/payments/0x5a", {}, 400, "invalid_parameter"],
  ["GET /v1/latest", {}, 402, ""],
  ["HEAD /v1/latest", {}, 402, ""],
  ["GET /v1/latest", { "payment-signature": "not base64" }, 402, ""],
  ["GET /v1/latest", { "x-payment": "e30=" }, 402, ""],
  ["GET /nowhere", {}, 404, "not_found"],
  ["GET /v1", {}, 404, "not_found"],
  [`GET ${knownPayment}`, {}, 404, "not_found"],
  ["POST /v1/index", {}, 405, "method_not_allowed"],
  ["DELETE /v1/latest", {}, 405, "method_not_allowed"],
  ["GET /mcp", {}, 405, "method_not_allowed"],
  ["PUT /a2a", {}, 405, "method_not_allowed"],
  ["POST /v1/index", { "content-length": "65537" }, 413, "payload_too_large"],
  [`GET /v1/index?${long(2_048)}`, {}, 414, "uri_too_long"],
  ["GET /v1/latest", { "payment-signature": long(8_193) }, 431, "headers_too_large"],
]

for (const [request, headers, status, code] of rows) {
  const [method = "", path = ""] = request.split(" ")
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 12)}`)
  test(`${[request.slice(0, 40), ...lines].join(", ")} is ${status} ${code}`, () =>
    Effect.gen(function* () {
      const { get } = yield* stockedService()
      const id = "request-0123456789"
      const response = yield* get(path, { method, headers: { ...headers, "x-request-id": id } })
      strictEqual(response.status, status)
      strictEqual(response.headers.get("x-request-id"), id)
      strictEqual(response.headers.get("access-control-allow-origin"), "*")
      strictEqual(yield* faultOf(path.split("?")[0] ?? "", method, response), null)
      if (code === "") return
      const body = yield* json(response)
      equal([at(body, "error.code"), at(body, "error.charged"), at(body, "error.requestId")], [
        ...[code, false, id],
      ])
    }))
}

/** Errors that only a request with a payment can get. */
const refused: ReadonlyArray<readonly [RefusalCode, status: number]> = [
  ["payment_in_progress", 409],
  ["payment_refunded", 410],
  ["below_threshold", 422],
  ["rate_limited", 429],
  ["internal_error", 500],
  ["facilitator_error", 502],
  ["payments_unavailable", 503],
  ["upstream_timeout", 504],
]

for (const [code, status] of refused) {
  test(`a paid request that is refused with ${status} ${code} follows the contract`, () =>
    Effect.gen(function* () {
      const refusal = new NotCharged({ code, message: "why" })
      const { get } = yield* stockedService(sellingAs(Effect.fail(refusal)))
      const headers = { "payment-signature": yield* paymentFor(products.latest) }
      const response = yield* get("/v1/latest", { headers })
      strictEqual(response.status, status)
      strictEqual(yield* faultOf("/v1/latest", "GET", response), null)
    }))
}

/** Products without an answer: product, query, state of the world, status, error code. */
const unanswered: ReadonlyArray<
  readonly [keyof typeof products, query: string, world: string, status: number, code: RefusalCode]
> = [
  ["latest", "", "an empty feed", 404, "signal_not_found"],
  ["signal", "?index=31", "thirty items", 404, "signal_not_found"],
  ["signals", "", "a feed of an hour ago", 503, "data_stale"],
  ["digest", "", "a digest of five hours ago", 503, "digest_stale"],
  ["resolving", "", "no market", 422, "below_threshold"],
  ["whales", "", "no labelled wallet", 422, "below_threshold"],
  ["research", "?market=unknown", "no such market", 404, "market_not_found"],
]

for (const [id, query, world, status, code] of unanswered) {
  const { path } = products[id]
  test(`a paid ${path}${query} with ${world} is ${status} ${code}, and is not charged`, () =>
    Effect.gen(function* () {
      const state = yield* stocked
      if (world === "an empty feed") yield* Ref.set(state.items, [])
      if (world === "no market") yield* Ref.set(state.productPorts.markets, [])
      if (world === "no labelled wallet") yield* Ref.set(state.productPorts.whales, [])
      if (world === "a digest of five hours ago") {
        yield* state.digests.prune(Infinity)
        yield* state.digests.add(storedDigest(noon - 5 * hour))
      }
      const { get } = yield* makeService(state)
      if (world.startsWith("a feed")) yield* TestClock.adjust("61 minutes")
      const headers = { "payment-signature": yield* paymentFor(products[id]) }
      const response = yield* get(path + query, { headers })
      strictEqual(response.status, status)
      strictEqual(yield* faultOf(path, "GET", response), null)
      const body = yield* json(response)
      equal([at(body, "error.code"), at(body, "error.charged")], [code, false])
      ok(!response.headers.has("payment-response"))
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
}

/** Posts to the agent endpoints: path, content type, body, status, JSON-RPC error code. */
const posted: ReadonlyArray<
  readonly [path: string, type: string, body: string, status: number, code: number | null]
> = [
  ["/mcp", "text/plain", "{}", 415, -32600],
  ["/a2a", "text/plain", "{}", 415, -32600],
  ["/mcp", "application/json", "{", 400, -32700],
  ["/a2a", "application/json", "{", 200, -32700],
  ["/a2a", "application/json", '{"jsonrpc":"2.0","id":1,"method":"nothing/known"}', 200, -32601],
]

for (const [path, type, body, status, code] of posted) {
  test(`POST ${path} of ${type} ${body} is ${status} with JSON-RPC error ${code}`, () =>
    Effect.gen(function* () {
      const { get } = yield* stockedService()
      const response = yield* get(path, { method: "POST", body, headers: { "content-type": type } })
      strictEqual(response.status, status)
      strictEqual(yield* faultOf(path, "POST", response), null)
      equal(at(yield* json(response), "error.code"), code)
    }))
}

/** Path, and its methods. */
const methods: ReadonlyArray<readonly [path: string, allow: string]> = [
  ["/v1/index", reads],
  ["/.well-known/family", reads],
  ["/v1/research", reads],
  ["/openapi.json", reads],
  [knownPayment, reads],
  ["/api/signals", reads],
  ["/a2a", `${reads}, POST`],
  ["/mcp", "OPTIONS, POST"],
]

for (const [path, allow] of methods) {
  test(`${path} answers ${allow}, and lists them in Allow`, () =>
    Effect.gen(function* () {
      const { get } = yield* stockedService()
      for (const method of ["OPTIONS", "PATCH"]) {
        const response = yield* get(path, { method })
        strictEqual(response.status, method === "OPTIONS" ? 204 : 405)
        strictEqual(response.headers.get("allow"), allow)
      }
      for (const method of ["GET", "HEAD", "POST"]) {
        const { status } = yield* get(path, { method })
        strictEqual(status !== 405, allow.includes(method), method)
      }
    }))
}

/** Document, its content type, and fields of its JSON body or a part of its text. */
const documents: ReadonlyArray<readonly [path: string, type: string, contents: string]> = [
  ["/openapi.json", "application/json", "openapi info.version paths servers.0.url"],
  ["/llms.txt", "text/plain; charset=utf-8", "# Bellwether"],
  ["/llms-full.txt", "text/plain; charset=utf-8", "# Bellwether"],
  ["/discovery", "application/json", "x402Version items.7.resource items.0.accepts.0.amount"],
  ["/discovery/resources", "application/json", "x402Version items.7.resource pagination.total"],
  ["/.well-known/x402", "application/json", "version x402Version resources.7 items.7.accepts"],
  [
    "/.well-known/agent-card.json",
    "application/json",
    "protocolVersion preferredTransport url skills.15.id capabilities.extensions.1.uri",
  ],
  ["/.well-known/agent.json", "application/json", "protocolVersion skills.15.id"],
  ["/a2a", "application/json", "protocolVersion skills.15.id"],
  ["/.well-known/api-catalog", "application/linkset+json", "linkset.1.service-desc.0.href"],
  ["/.well-known/security.txt", "text/plain; charset=utf-8", "Expires: "],
  ["/robots.txt", "text/plain; charset=utf-8", "User-agent: *"],
  ["/favicon.svg", "image/svg+xml", "<svg"],
]

for (const [path, type, contents] of documents) {
  test(`GET ${path} is a document, ${type}, with ${contents}`, () =>
    Effect.gen(function* () {
      const { get } = yield* stockedService()
      const response = yield* get(path)
      const { headers, status } = response
      strictEqual(status, 200)
      strictEqual(yield* faultOf(path, "GET", response), null)
      strictEqual(headers.get("content-type")?.startsWith(type), true)
      strictEqual(headers.get("cache-control"), "private, max-age=300")
      strictEqual(headers.get("ratelimit-policy"), '"documents";q=120;w=60')
      const etag = headers.get("etag") ?? ""
      strictEqual((yield* get(path, { headers: { "if-none-match": etag } })).status, 304)
      if (!type.includes("json")) {
        const text = yield* Effect.promise(() => response.text())
        return ok(text.includes(contents), text)
      }
      equal(missing(yield* json(response), contents), [])
    }))
}

test("the agent card names A2A 0.3.0 over JSONRPC, without push notifications or streaming", () =>
  Effect.gen(function* () {
    const { get } = yield* stockedService()
    const card = yield* json(yield* get("/.well-known/agent-card.json"))
    equal([card["protocolVersion"], card["preferredTransport"]], ["0.3.0", "JSONRPC"])
    const { streaming, pushNotifications } = card["capabilities"] ?? {}
    equal([streaming, pushNotifications], [false, false])
  }))

/** A path of the predecessor, and its permanent successor. */
const legacy: ReadonlyArray<readonly [path: string, to: string]> = [
  ["/api/signals", "/v1/signals"],
  ["/api/signals?since=5", "/v1/signals?since=5"],
  ["/api/whales", "/v1/whales"],
  ["/api/anything/else", "/v1/index"],
  ["/api", "/v1/index"],
]

for (const [path, to] of legacy) {
  test(`${path} is redirected permanently to ${to}`, () =>
    Effect.gen(function* () {
      const { get } = yield* stockedService()
      const { status, headers } = yield* get(path)
      equal([status, headers.get("location")], [308, `${base}${to}`])
      strictEqual(headers.get("link"), `<${base}${to.split("?")[0]}>; rel="successor-version"`)
      match(headers.get("deprecation") ?? "", /^@\d+$/)
    }))
}

test("the service is version 1.0.0, described by OpenAPI 3.1, with the security scheme x402", () =>
  Effect.gen(function* () {
    const { get } = yield* stockedService()
    const contract = yield* json(yield* get("/openapi.json"))
    equal([at(contract, "info.version")], ["1.0.0"])
    match(String(at(contract, "openapi")), /^3\.1\.\d$/)
    equal(at(contract, "components.securitySchemes.x402.scheme"), "x402")
    const paths = contract["paths"] ?? {}
    for (const { path } of Object.values(products)) {
      equal(paths[path]?.["get"]?.["security"], [{ x402: [] }], path)
    }
    const health = yield* json(yield* get("/health"))
    equal([at(health, "version"), at(health, "commit")], ["1.0.0", "0123456789ab"])
  }))
