/**
 * The interface, row by row: the headers of every status, the methods of each path, and the versions.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../src/catalog/domain/product.ts"
import { test } from "../support/effect.ts"
import { faultOf } from "../support/http/shape.ts"
import { at, json, stockedService } from "../support/http/stockedService.ts"
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
  ["GET /v1/latest", { "x-payment": long(8_193) }, 431, "headers_too_large"],
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
