/**
 * /openapi.json has every path of the interface, what a payer needs to know, schemas that served
 * bodies obey, and a meaning of every field.
 *
 * @module
 */
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { errorRules } from "../../../src/catalog/domain/refusal.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { documentRows, paths } from "../../../src/http/documents/addresses.ts"
import { agentCard } from "../../../src/http/documents/cards.ts"
import { openApiText } from "../../../src/http/documents/openapi.ts"
import { callSchemas } from "../../../src/http/documents/schemas.ts"
import { tools } from "../../../src/http/mcp/tools.ts"
import { Slug } from "../../../src/markets/domain/market.ts"
import { test } from "../../support/effect.ts"
import {
  makeService,
  makeWorld,
  paymentFor,
  serviceOptions,
} from "../../support/http/httpService.ts"
import { terms } from "../../support/payments/terms.ts"
import { endingMarket, stock } from "../../support/products.ts"

interface Media {
  readonly schema: object
  readonly example?: unknown
}
interface Answered {
  readonly $ref?: string
  readonly description?: string
  readonly headers?: object
  readonly content?: Readonly<Record<string, Media>>
}
interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: string
  readonly schema: { readonly type: string }
  readonly example?: unknown
}
interface Operation {
  readonly description: string
  readonly security: ReadonlyArray<object>
  readonly responses: Readonly<Record<string, Answered>>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly parameters?: ReadonlyArray<Parameter>
  readonly "x-payment-info"?: { readonly price: object }
}
interface Document {
  readonly openapi: string
  readonly info: Readonly<Record<"version" | "description" | "x-guidance", string>>
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<"get" | "post", Operation>>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Answered>>
    readonly headers: Readonly<
      Record<string, { readonly schema: { readonly contentSchema?: object } }>
    >
  }
}

const contractText = openApiText(serviceOptions)
const document: Document = JSON.parse(contractText)

/** What a reference names in the components of the document; another row as it is. */
const resolved = <Row extends { readonly $ref?: string }>(
  row: Row,
  components: Readonly<Record<string, Row>>,
): Row => row.$ref === undefined ? row : components[row.$ref.split("/").at(-1) ?? ""] ?? row

const responseIn = (row: Answered) => resolved(row, document.components.responses)

const operations = Object.entries(document.paths).flatMap(([path, { get, post }]) =>
  Object.entries({ get, post }).flatMap(([method, operation]) =>
    operation === undefined ? [] : [{ path, method, operation }]
  )
)

/** The parameters of GET on a path: name, place and type. */
const parametersOf = (path: string) =>
  document.paths[path]?.get?.parameters?.map((row) => {
    const { name, in: place, schema } = resolved(row, document.components.parameters)
    return [name, place, schema.type]
  })

/** A well-formed id of no payment. */
const unknownPayment = `0x${"5a".repeat(32)}`

test("every path of the contract is served, with the methods that it lists", function* () {
  const service = yield* makeService(yield* makeWorld(3))
  let client = 0
  for (const [path, { get, post }] of Object.entries(document.paths)) {
    const headers = { "x-forwarded-for": `203.0.113.${client++}` }
    const target = path.replace("{paymentId}", unknownPayment)
    const { status } = yield* service.get(target as `/${string}`, { headers })
    // GET /a2a is an alias of the agent card.
    const withoutGet = [path === paths.a2a ? 200 : 405]
    const found = path.includes("{paymentId}") ? [404] : get === undefined ? withoutGet : [200, 402]
    ok(found.includes(status), `${path} is ${status}`)
    const posted = yield* service.get(target as `/${string}`, { method: "POST", headers })
    strictEqual(posted.status !== 405, post !== undefined, `POST ${path} is ${posted.status}`)
  }
  const served = yield* service.get(paths.openApi)
  strictEqual(served.headers.get("cache-control"), "private, max-age=300")
  strictEqual(yield* Effect.promise(() => served.text()), contractText)
})

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
    equal(operation?.["x-payment-info"]?.price, {
      ...{ mode: "fixed", currency: "USD", amount: usd(product.price) },
    })
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
    ok(response?.description?.includes(`${code}: `), `${code} in ${name}`)
  }
})

/** The most that a model should have to read, in bytes. */
const bytesMax = 130_000

Deno.test(`/openapi.json is under ${bytesMax} bytes`, () => {
  const { length } = new TextEncoder().encode(contractText)
  ok(length < bytesMax, `${length}`)
})

Deno.test("no description of a call is longer than catalogs take, 500 characters", () => {
  const described = [
    ...operations.map(({ operation }) => operation),
    ...agentCard(serviceOptions).skills,
    ...tools(),
  ]
  for (const { description = "" } of described) {
    ok(description.length <= 500, `${description.length}: ${description}`)
  }
})

/** The response to GET of a path with a status, under that status or the default. */
function responseOf(path: string, status: number): Answered | undefined {
  const { responses = {} } = document.paths[path]?.get ?? {}
  const found = responses[status] ?? responses["default"]
  return found === undefined ? undefined : responseIn(found)
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
  ["another method", 405, "/v1/index", { method: "POST" }],
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
  test(`the document has the ${status} of ${what}, with its headers`, function* () {
    const service = yield* makeService(yield* makeWorld(3))
    const response = yield* service.get(target, init)
    strictEqual(response.status, status)
    const path = (target.split("?")[0] ?? "").replace(/payments\/.*/, "payments/{paymentId}")
    strictEqual(missing(path, response), null)
  })
}

test("the document has the 200 of a product, with its receipt", function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
  const service = yield* makeService(yield* makeWorld(3))
  const headers = { "x-payment": yield* paymentFor(products.latest) }
  const response = yield* service.get("/v1/latest", { headers })
  strictEqual(response.status, 200)
  strictEqual(missing("/v1/latest", response), null)
})

Deno.test("the contact is a page, and an email where the address can receive mail", () => {
  const contactIn = (contact: string) =>
    JSON.parse(openApiText({ ...serviceOptions, contact })).info.contact
  const page = { name: "Bellwether", url: `${terms.publicBaseUrl}/contact` }
  equal(contactIn("mailto:security@feed.example"), { ...page, email: "security@feed.example" })
  for (const contact of ["mailto:security@localhost", "https://feed.example/security"]) {
    equal(contactIn(contact), page)
  }
})

Deno.test("the contract is OpenAPI 3.1 with guidance for agents of at most 4,000 characters", () => {
  const { openapi, info } = document
  equal([openapi, info.version], ["3.1.0", "1.0.0"])
  ok(info["x-guidance"].length > 0 && info["x-guidance"].length <= 4_000)
})

Deno.test("the contract does not contain the rate limits of a deployment", () => {
  ok(!/\d+ requests/.test(contractText))
})

const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, "openapi")

/** The faults of a value by a JSON Schema of the document; empty when it is valid. */
function faults(schema: object, value: unknown): string {
  const local = JSON.stringify(schema).replaceAll('"#/', '"openapi#/')
  const validate = ajv.compile(JSON.parse(local))
  return validate(value) ? "" : ajv.errorsText(validate.errors)
}

/** Every body of the document, with its path, method, status and content type. */
const media = operations.flatMap(({ path, method, operation: { requestBody, responses } }) => {
  const all: ReadonlyArray<readonly [string, Answered]> = [
    ...Object.entries(responses),
    ...(requestBody === undefined ? [] : [["request", requestBody] as const]),
  ]
  return all.flatMap(([status, row]) =>
    Object.entries(responseIn(row).content ?? {})
      .map(([type, body]) => ({ path, method, status, type, body }))
  )
})

/** The body of a path with a status. */
const mediaOf = (path: string, status: number, method = "get"): Media =>
  media.find((one) => one.path === path && one.status === `${status}` && one.method === method)
    ?.body ?? { schema: { not: {} } }

Deno.test("the sample of every skill is valid by the document and by the contract", () => {
  for (const skill of skills) {
    const { sample } = skill
    if (typeof sample === "string") continue
    strictEqual(faults(mediaOf(skill.path, 200).schema, sample), "", skill.path)
    Schema.decodeUnknownSync(skill.body)(sample)
  }
})

Deno.test("every example of a parameter is valid by its schema", () => {
  for (const { path, operation: { parameters = [] } } of operations) {
    for (const { name, schema, example } of parameters) {
      if (example !== undefined) strictEqual(faults(schema, example), "", `${path} ${name}`)
    }
  }
})

test("every served body is valid by its schema in the document", function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
  const world = yield* makeWorld(3)
  const now = Date.parse("2026-11-21T12:00:00.000Z")
  // The example calls name this market.
  const slug = Slug.make(products.research.parameters[0].example)
  yield* stock(world.productPorts, now, [endingMarket(1, now, { slug })])
  const service = yield* makeService(world)
  const bodyOf = Effect.fnUntraced(function* (path: `/${string}`, client: number, paid = {}) {
    const headers = { "x-forwarded-for": `203.0.113.${client}`, ...paid }
    const response = yield* service.get(path, { headers })
    const [at = ""] = path.split("?")
    const found = media.find((one) =>
      one.path === at && one.method === "get" && one.status === `${response.status}`
    )
    const text = yield* Effect.promise(() => response.text())
    strictEqual(response.headers.get("content-type")?.split(";")[0], found?.type, path)
    const body = found?.type.includes("json") ? JSON.parse(text) : text
    strictEqual(faults(mediaOf(at, response.status).schema, body), "", path)
    return response.status
  })
  const free = operations.filter(({ path, method }) =>
    method === "get" && !Object.values(products).some((product) => product.path === path) &&
    !path.includes("{")
  )
  for (const [client, { path }] of free.entries()) {
    strictEqual(yield* bodyOf(path as `/${string}`, client), 200, path)
  }
  for (const [client, product] of Object.values(products).entries()) {
    strictEqual(yield* bodyOf(product.path, client), 402)
    const paid = { "payment-signature": yield* paymentFor(product, client) }
    const example = Object.entries(exampleOf(product.parameters))
    const query = new URLSearchParams(example.map(([name, value]) => [name, `${value}`]))
    strictEqual(yield* bodyOf(`${product.path}?${query}`, client, paid), 200, product.path)
  }
})

test("the example message of each agent endpoint is answered with a result", function* () {
  const service = yield* makeService(yield* makeWorld(3))
  const posts = operations.filter(({ method }) => method === "post")
  equal(posts.map(({ path }) => path).toSorted(), ["/a2a", "/mcp"])
  for (const [client, { path, operation }] of posts.entries()) {
    const message = operation.requestBody?.content["application/json"]?.example
    const response = yield* service.get(path, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.${client}` },
      body: JSON.stringify(message),
    })
    const body = yield* Effect.promise(() => response.json())
    strictEqual(faults(mediaOf(path, 200, "post").schema, body), "", path)
    equal([response.status, body.error, body.result !== undefined], [200, undefined, true], path)
    const typeless = yield* service.get(path, { method: "POST", body: JSON.stringify(message) })
    strictEqual(typeless.status, 415)
    const refused = yield* Effect.promise(() => typeless.json())
    const { content } = responseIn(operation.responses["default"] ?? {})
    const schema = content?.["application/json"]?.schema ?? { not: {} }
    strictEqual(faults(schema, refused), "", path)
  }
})

test("the challenge and the receipt in the headers are valid by the document's schemas", function* () {
  yield* TestClock.adjust("1 day")
  const service = yield* makeService(yield* makeWorld(3))
  const decoded = (response: Response, name: string) =>
    JSON.parse(Result.getOrThrow(Base64.decodeString(response.headers.get(name) ?? "")))
  const schemaOf = (name: string) => document.components.headers[name]?.schema.contentSchema
  for (const product of Object.values(products)) {
    const challenge = decoded(yield* service.get(product.path), "payment-required")
    strictEqual(faults(schemaOf("PAYMENT-REQUIRED") ?? {}, challenge), "", product.path)
    ok(faults(schemaOf("PAYMENT-REQUIRED") ?? {}, { ...challenge, accepts: [] }) !== "")
  }
  const payment = yield* paymentFor(products.latest)
  const paid = yield* service.get(products.latest.path, {
    headers: { "payment-signature": payment },
  })
  const receipt = decoded(paid, "payment-response")
  strictEqual(faults(schemaOf("PAYMENT-RESPONSE") ?? {}, receipt), "")
  ok(faults(schemaOf("PAYMENT-RESPONSE") ?? {}, { ...receipt, payer: undefined }) !== "")
})

type Json = Readonly<Record<string, unknown>>

const schemas: Json = { components: { schemas: callSchemas().types } }

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** What a reference in the document names; another schema as it is. */
function target(schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== "string") return schema
  const found = $ref.split("/").slice(1).reduce<unknown>(
    (part, key) => isObject(part) ? part[key] : undefined,
    schemas,
  )
  return isObject(found) ? target(found) : {}
}

interface Field {
  readonly place: string
  readonly name: string
  readonly description: string
  /** Its types, without null. */
  readonly types: ReadonlyArray<unknown>
  readonly nullable: boolean
}

/** Parts of the document that are values, not schemas. */
const values = new Set(["example", "examples", "default", "enum", "const", "required"])

/** Every property of every object schema below `part`. */
function fieldsIn(part: unknown, place: string): ReadonlyArray<Field> {
  if (Array.isArray(part)) return part.flatMap((one) => fieldsIn(one, place))
  if (!isObject(part)) return []
  const own = isObject(part["properties"])
    ? Object.entries(part["properties"]).map(([name, schema]) =>
      fieldOf(`${place}.${name}`, name, schema)
    )
    : []
  const nested = Object.entries(part).filter(([key]) => !values.has(key)).flatMap(([key, value]) =>
    fieldsIn(
      value,
      ["properties", "items", "anyOf", "allOf"].includes(key) ? place : `${place}.${key}`,
    )
  )
  return [...own, ...nested]
}

function fieldOf(place: string, name: string, schema: unknown): Field {
  const own = isObject(schema) ? schema : {}
  const parts = [own, target(own), ...[own["allOf"] ?? []].flat().filter(isObject)]
  const description = parts.map(({ description }) => description).find((it) =>
    typeof it === "string"
  )
  const types = [...parts, ...alternatives(own), ...alternatives(target(own))].flatMap(({ type }) =>
    Array.isArray(type) ? type : type === undefined ? [] : [type]
  )
  return {
    ...{ place, name, description: String(description ?? "") },
    types: types.filter((type) => type !== "null"),
    nullable: types.includes("null"),
  }
}

const alternatives = ({ anyOf }: Json): ReadonlyArray<Json> =>
  Array.isArray(anyOf) ? anyOf.filter(isObject) : []

const fields = fieldsIn(schemas, "")
const failing = (fails: (field: Field) => boolean) => [
  ...new Set(fields.filter(fails).map(({ place, description }) => `${place}: ${description}`)),
]

/** The words of a text, without endings and without words that say nothing. */
const wordsOf = (text: string) =>
  text.replace(/([a-z])([A-Z0-9])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/)
    .filter((word) =>
      word !== "" && !["the", "a", "an", "of", "its", "this", "is", "it"].includes(word)
    )
    .map((word) => word.replace(/(?:s|ed|ing)$/, ""))

Deno.test("every field has a description of its own", () => {
  ok(fields.length > 400, `${fields.length} fields`)
  equal(failing(({ description }) => description === ""), [])
  // The description of the type.
  equal(failing(({ description }) => description === "ISO 8601 UTC, with milliseconds"), [])
})

Deno.test("no description only repeats the name of its field, and none is long", () => {
  equal(
    failing(({ name, description }) => {
      const known = new Set(wordsOf(name))
      return wordsOf(description).filter((word) => !known.has(word)).length < 2
    }),
    [],
  )
  equal(failing(({ description }) => description.length > 700), [])
})

Deno.test("the description of a field that may be null says when", () => {
  equal(failing(({ nullable, description }) => nullable && !/\bnull\b/i.test(description)), [])
})

const units =
  /USD|cents?\b|number of|shares bought|standard dev|hours?\b|minutes?\b|seconds?\b|0 to 1|-1 to 1|no unit|unit of|same unit|squared error/i

Deno.test("the description of a number that is no count says its unit", () => {
  equal(
    failing(({ types, description }) => types.includes("number") && !units.test(description)),
    [],
  )
})
