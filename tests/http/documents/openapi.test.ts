/**
 * /openapi.json has every path of the interface, and what a payer needs to know.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { documentRows, paths } from "../../../src/http/documents/addresses.ts"
import { agentCard } from "../../../src/http/documents/cards.ts"
import { openApiText } from "../../../src/http/documents/openapi.ts"
import { tools } from "../../../src/http/mcp/tools.ts"
import { errorRules } from "../../../src/catalog/domain/refusal.ts"
import { contract, contractText } from "../../support/http/contract.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"
import { terms } from "../../support/payments/terms.ts"

const DocumentedResponse = Schema.Union([
  Schema.Struct({
    description: Schema.String,
    headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json)),
  }),
  Schema.Struct({ $ref: Schema.String }),
])
const Reference = Schema.Struct({ $ref: Schema.String })
const Parameter = Schema.Struct({
  name: Schema.String,
  in: Schema.Literals(["query", "header", "path"]),
  schema: Schema.Struct({
    type: Schema.Literals(["integer", "number", "string"]),
    minimum: Schema.optionalKey(Schema.Int),
    maximum: Schema.optionalKey(Schema.Int),
    default: Schema.optionalKey(Schema.Int),
    enum: Schema.optionalKey(Schema.Array(Schema.String)),
  }),
})
const common = {
  operationId: Schema.String,
  summary: Schema.String,
  description: Schema.String,
  tags: Schema.NonEmptyArray(Schema.String),
  security: Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  responses: Schema.Record(Schema.String, DocumentedResponse),
}
/** An agent endpoint, whose body its protocol defines. */
const PostOperation = Schema.Struct({ ...common, requestBody: Schema.Json })
const Operation = Schema.Struct({
  ...common,
  parameters: Schema.optionalKey(Schema.Array(Schema.Union([Reference, Parameter]))),
  "x-payment-info": Schema.optionalKey(Schema.Struct({
    price: Schema.Struct({
      mode: Schema.Literal("fixed"),
      currency: Schema.Literal("USD"),
      amount: Schema.String,
    }),
    protocols: Schema.Array(Schema.Json),
  })),
})
const Document = Schema.Struct({
  openapi: Schema.Literal("3.1.0"),
  info: Schema.Struct({ version: Schema.Literal("1.0.0"), description: Schema.String }),
  servers: Schema.Array(Schema.Struct({ url: Schema.String })),
  security: Schema.Array(Schema.Json),
  paths: Schema.Record(
    Schema.String,
    Schema.Struct({ get: Schema.optionalKey(Operation), post: Schema.optionalKey(PostOperation) }),
  ),
  components: Schema.Struct({
    securitySchemes: Schema.Struct({
      x402: Schema.Struct({ type: Schema.Literal("http"), scheme: Schema.Literal("x402") }),
    }),
    headers: Schema.Record(Schema.String, Schema.Json),
    parameters: Schema.Record(Schema.String, Parameter),
    responses: Schema.Record(Schema.String, DocumentedResponse),
    schemas: Schema.Record(Schema.String, Schema.Json),
  }),
})

const document = Schema.decodeUnknownSync(Document)(contract)

/** The parameters of GET on a path: name, place and type. */
const parametersOf = (path: string) =>
  document.paths[path]?.get?.parameters?.map((row) => {
    const { name, in: place, schema } = "$ref" in row
      ? document.components.parameters[row.$ref.split("/").at(-1) ?? ""] ?? none
      : row
    return [name, place, schema.type]
  })
const none: typeof Parameter.Type = { name: "", in: "query", schema: { type: "string" } }

/** A well-formed id of no payment. */
const unknownPayment = `0x${"5a".repeat(32)}`

test("every path of the contract is served, with the methods that it lists", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* makeWorld(3))
    let client = 0
    for (const [path, { get, post }] of Object.entries(document.paths)) {
      const headers = { "x-forwarded-for": `203.0.113.${client++}` }
      const target = path.replace("{paymentId}", unknownPayment)
      const { status } = yield* service.get(target as `/${string}`, { headers })
      // GET /a2a is an alias of the agent card.
      const withoutGet = [path === paths.a2a ? 200 : 405]
      const found = path.includes("{paymentId}")
        ? [404]
        : get === undefined
        ? withoutGet
        : [200, 402]
      ok(found.includes(status), `${path} is ${status}`)
      const posted = yield* service.get(target as `/${string}`, { method: "POST", headers })
      strictEqual(posted.status !== 405, post !== undefined, `POST ${path} is ${posted.status}`)
    }
    const served = yield* service.get(paths.openApi)
    strictEqual(served.headers.get("cache-control"), "private, max-age=300")
    strictEqual(yield* Effect.promise(() => served.text()), contractText)
  }))

Deno.test("the contract has the catalog, the documents for programs, and the agents' paths", () => {
  const documents = documentRows.filter(({ type }) => !type.startsWith("text/markdown"))
  const rows = [...Object.values(products), ...Object.values(freeRows), ...documents]
  equal(
    Object.keys(document.paths).toSorted(),
    [...rows.map(({ path }) => path), "/v1/payments/{paymentId}", paths.a2a, paths.mcp].toSorted(),
  )
})

Deno.test("every product is a paid operation with its price, its 402 and its parameters", () => {
  for (const product of Object.values(products)) {
    const operation = document.paths[product.path]?.get
    equal(operation?.security, [{ x402: [] }])
    strictEqual(operation?.["x-payment-info"]?.price.amount, usd(product.price))
    ok(operation?.responses["402"] !== undefined)
    equal(
      parametersOf(product.path),
      [
        ...product.parameters.map(({ name, type }) => [name, "query", type]),
        ["Idempotency-Key", "header", "string"],
        ...(product.settlementOrder === "compute-first"
          ? [["If-None-Match", "header", "string"]]
          : []),
      ],
    )
    equal(
      operation?.responses["304"] !== undefined,
      product.settlementOrder === "compute-first",
      product.id,
    )
  }
})

Deno.test("a listing has the parameters of x402 discovery", () => {
  equal(
    parametersOf("/discovery")?.map(([name, place]) => [name, place]),
    [["limit", "query"], ["offset", "query"]],
  )
})

Deno.test("every operation lists its error statuses one by one, and the others as default", () => {
  const always = ["429", "503"]
  const paid = ["400", "402", "409", "410", "502", "504"]
  const of: Readonly<Record<string, ReadonlyArray<string>>> = {
    [products.signal.path]: ["404"],
    [products.latest.path]: ["404"],
    [products.research.path]: ["404", "422"],
    [products.resolving.path]: ["422"],
    [products.whales.path]: ["422"],
    [freeRows.digest_brief.path]: ["404"],
    [freeRows.feed_proof.path]: ["400", "404"],
    [freeRows.outcomes.path]: ["400"],
    "/v1/payments/{paymentId}": ["400", "404"],
    [paths.discovery]: ["400"],
    [paths.a2a]: ["400"],
    [paths.mcp]: ["400"],
  }
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    const { responses = {}, security = [] } = get ?? post ?? {}
    const listed = Object.keys(responses).filter((status) => !/^[23]/.test(status))
    const own = [...always, ...(security.length > 0 ? paid : []), ...(of[path] ?? [])]
    equal(listed.toSorted(), [...own, "default"].toSorted(), path)
  }
})

Deno.test("the response of a status names every code that has it, and default the others", () => {
  const listed = [400, 404, 409, 410, 422, 429, 502, 503, 504]
  for (const [code, { status }] of Object.entries(errorRules)) {
    const name = listed.includes(status) ? `Error${status}` : "Error"
    const response = document.components.responses[name]
    if (status === 402) continue
    ok(response !== undefined && !("$ref" in response))
    ok(response.description.includes(`${code}: `), `${code} in ${name}`)
  }
})

/** The most that a model should have to read, in bytes. */
const bytesMax = 130_000

Deno.test(`/openapi.json is under ${bytesMax} bytes`, () => {
  const { length } = new TextEncoder().encode(contractText)
  ok(length < bytesMax, `${length}`)
})

Deno.test("no description of a call is longer than catalogs take, 500 characters", () => {
  const operations = Object.values(document.paths).flatMap(({ get, post }) =>
    [get, post].flatMap((operation) => operation ?? [])
  )
  const { skills } = agentCard({ terms, version: "1.0.0" })
  for (const { description = "" } of [...operations, ...skills, ...tools()]) {
    ok(description.length <= 500, `${description.length}: ${description}`)
  }
})

/** The response to GET of a path with a status, under that status or the default. */
function responseOf(path: string, status: number) {
  const { responses = {} } = document.paths[path]?.get ?? {}
  const found = responses[status] ?? responses["default"]
  const response = found !== undefined && "$ref" in found
    ? document.components.responses[found.$ref.split("/").at(-1) ?? ""]
    : found
  return response === undefined || "$ref" in response ? undefined : response
}

/** Headers of HTTP and CORS that no operation documents. */
const undocumentedHeaders =
  /^(access-control-.*|content-(type|length|encoding)|vary|x-content-type-options)$/
/** Headers that the document describes once, for all operations. */
const commonHeaders =
  document.info.description.match(/X-Request-Id|Cache-Control|RateLimit\S*|ETag/g)
    ?.map((name) => name.toLowerCase()) ?? []

/** The first status or header of an answer that the document lacks; null when it has all. */
function missing(path: string, { status, headers }: Response): string | null {
  const response = responseOf(path, status)
  if (response === undefined) return `no ${status}`
  const documented = [
    ...Object.keys(response.headers ?? {}).map((name) => name.toLowerCase()),
    ...commonHeaders,
  ]
  const name = [...headers.keys()].find((name) =>
    !undocumentedHeaders.test(name) && !documented.includes(name)
  )
  return name === undefined ? null : `no ${name} on ${status}`
}

const tooLong = `?${"x".repeat(2_048)}`
/** What is requested, its status, and the request. */
const requests: ReadonlyArray<readonly [string, number, `/${string}`, RequestInit]> = [
  ["a poll", 200, "/v1/index", {}],
  ["an invalid Host", 400, "/v1/index", { headers: { host: "x/y" } }],
  ["an invalid limit of a listing", 400, "/discovery?limit=0", {}],
  ["another method", 405, "/v1/index", { method: "POST" }],
  ["a large body", 413, "/v1/index", { method: "POST", headers: { "content-length": "65537" } }],
  ["a long query", 414, `/v1/index${tooLong}`, {}],
  ["a call without a payment", 402, "/v1/latest", {}],
  ["a call with an invalid payment", 402, "/v1/latest", { headers: { "x-payment": "e30=" } }],
  ["a large payment", 431, "/v1/latest", { headers: { "x-payment": "x".repeat(8_193) } }],
  ["another method of a product", 405, "/v1/latest", { method: "PUT" }],
  ["an unknown payment", 404, `/v1/payments/${unknownPayment}`, {}],
  ["an invalid payment id", 400, "/v1/payments/1", {}],
  ["another method of a payment", 405, `/v1/payments/${unknownPayment}`, { method: "DELETE" }],
  ["a long query of a product", 414, `/v1/latest${tooLong}`, {}],
]

for (const [what, status, target, init] of requests) {
  test(`the document has the ${status} of ${what}, with its headers`, () =>
    Effect.gen(function* () {
      const service = yield* makeService(yield* makeWorld(3))
      const response = yield* service.get(target, init)
      strictEqual(response.status, status)
      const path = (target.split("?")[0] ?? "").replace(/payments\/.*/, "payments/{paymentId}")
      strictEqual(missing(path, response), null)
    }))
}

test("the document has the 200 of a product, with its receipt", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
    const service = yield* makeService(yield* makeWorld(3))
    const headers = { "x-payment": yield* paymentFor(products.latest) }
    const response = yield* service.get("/v1/latest", { headers })
    strictEqual(response.status, 200)
    strictEqual(missing("/v1/latest", response), null)
  }))

Deno.test("the contact is a page, and an email where the address can receive mail", () => {
  const contactIn = (contact: string) =>
    JSON.parse(openApiText({ terms, version: "1.0.0", contact })).info.contact
  const page = { name: "Bellwether", url: `${terms.publicBaseUrl}/contact` }
  equal(contactIn("mailto:security@feed.example"), { ...page, email: "security@feed.example" })
  for (const contact of ["mailto:security@localhost", "https://feed.example/security"]) {
    equal(contactIn(contact), page)
  }
})

Deno.test("the guidance for agents has at most 4,000 characters", () => {
  const { info } = JSON.parse(contractText)
  ok(info["x-guidance"].length > 0 && info["x-guidance"].length <= 4_000)
})

Deno.test("the contract does not contain the rate limits of a deployment", () => {
  ok(!/\d+ requests/.test(contractText))
})
