/**
 * The bodies in /openapi.json: samples and served answers are valid by their JSON Schemas.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { skills } from "../../../src/catalog/domain/skill.ts"
import { Slug } from "../../../src/markets/domain/market.ts"
import { test } from "../../support/effect.ts"
import { contractText } from "../../support/http/contract.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"
import { endingMarket, stock } from "../../support/products.ts"

interface Media {
  readonly schema: object
  readonly example?: unknown
}
interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Media>>
}
interface Operation {
  readonly responses: Readonly<Record<string, Response>>
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly schema: object
    readonly example?: unknown
  }>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<
      Record<string, { readonly schema: { readonly contentSchema?: object } }>
    >
  }
}

const document: Document = JSON.parse(contractText)
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, "openapi")

/** The faults of a value by a JSON Schema of the document; empty when it is valid. */
function faults(schema: object, value: unknown): string {
  const local = JSON.stringify(schema).replaceAll('"#/', '"openapi#/')
  const validate = ajv.compile(JSON.parse(local))
  return validate(value) ? "" : ajv.errorsText(validate.errors)
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
)

/** Every body of the document, with its path, method, status and content type. */
const media = operations.flatMap(({ path, method, operation }) => {
  const { requestBody, responses } = operation
  const all: ReadonlyArray<readonly [string, Response]> = [
    ...Object.entries(responses).map(([status, response]): [string, Response] => [
      status,
      response.$ref === undefined
        ? response
        : document.components.responses[response.$ref.split("/").at(-1) ?? ""] ?? {},
    ]),
    ...(requestBody === undefined ? [] : [["request", requestBody] as const]),
  ]
  return all.flatMap(([status, { content = {} }]) =>
    Object.entries(content).map(([type, body]) => ({ path, method, status, type, body }))
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

test("every served body is valid by its schema in the document", () =>
  Effect.gen(function* () {
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
  }))

test("the example message of each agent endpoint is answered with a result", () =>
  Effect.gen(function* () {
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
      const { $ref = "" } = operation.responses["default"] ?? {}
      const { content } = document.components.responses[$ref.split("/").at(-1) ?? ""] ?? {}
      const schema = content?.["application/json"]?.schema ?? { not: {} }
      strictEqual(faults(schema, refused), "", path)
    }
  }))

test("the challenge and the receipt in the headers are valid by the document's schemas", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 day")
    const service = yield* makeService(yield* makeWorld(3))
    const decoded = (response: globalThis.Response, name: string) =>
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
  }))
