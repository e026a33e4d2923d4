/**
 * The examples of the OpenAPI documents are valid answers: each is checked against its JSON Schema and
 * against the contract, and so are served answers.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect, Ref, Result, Schema } from "effect"
import { Base64 } from "effect/encoding"
import { TestClock } from "effect/testing"
import { bazaar } from "../../../src/payments/domain/x402/bazaar.ts"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { exampleOf } from "../../../src/catalog/domain/parameter.ts"
import { pageRows } from "../../../src/catalog/domain/pageRow.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { PaymentBody } from "../../../src/http/paywall/paymentStatus.ts"
import { ErrorBody } from "../../../src/http/server/errors.ts"
import { ChallengeBody, ChallengeV1Body } from "../../../src/payments/domain/x402/challenge.ts"
import { Slug } from "../../../src/markets/domain/market.ts"
import { test } from "../../support/effect.ts"
import { wholeContract } from "../../support/http/contract.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"
import { bookOf, endingMarket, pricesOver, whaleRow } from "../../support/products.ts"
import { bodies } from "../../support/http/shape.ts"

interface Media {
  readonly schema: object
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Example>>
}
interface Example {
  readonly value: unknown
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

const document: Document = JSON.parse(JSON.stringify(wholeContract))
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

const examplesOf = ({ example, examples = {} }: Media): ReadonlyArray<unknown> => [
  ...(example === undefined ? [] : [example]),
  ...Object.values(examples).map(({ value }) => value),
]

Deno.test("every body has an example", () => {
  const without = media
    .filter(({ body }) => examplesOf(body).length === 0)
    .map(({ path, method, status }) => `${method} ${path} ${status}`)
  equal(without, [])
})

Deno.test("every example of a body is valid by its schema", () => {
  const invalid = media.flatMap(({ path, method, status, body }) =>
    examplesOf(body)
      .map((example) => faults(body.schema, example))
      .filter((fault) => fault !== "")
      .map((fault) => `${method} ${path} ${status}: ${fault}`)
  )
  equal(invalid, [])
})

Deno.test("every example of a parameter is valid by its schema", () => {
  for (const { path, operation: { parameters = [] } } of operations) {
    for (const { name, schema, example } of parameters) {
      if (example !== undefined) strictEqual(faults(schema, example), "", `${path} ${name}`)
    }
  }
})

const contract = [freeRows, products, pageRows].flatMap(Object.values).map(({ path }) => path)

Deno.test("every example of an answer is valid by the contract", () => {
  for (const { path, status, body } of media) {
    const schema = path.startsWith("/v1/payments/") ? PaymentBody : bodies[path]
    if (status !== "200" || schema === undefined) continue
    for (const example of examplesOf(body)) Schema.decodeUnknownSync(schema)(example)
  }
  const unchecked = contract.filter((path) => bodies[path] === undefined)
  equal(unchecked, [freeRows.terms_text.path])
})

Deno.test("every example of an error is valid by the contract, and has its own status", () => {
  const isChallenge = Schema.is(Schema.Union([ChallengeBody, ChallengeV1Body]))
  const errors = media.filter(({ path, method, status }) =>
    method === "get" && Number(status) >= 400 && `${path} ${status}` !== "/health 503"
  )
  ok(errors.length > 0)
  for (const { path, status, body } of errors) {
    for (const example of examplesOf(body)) {
      if (status === "402") {
        ok(isChallenge(example), path)
        continue
      }
      const { error } = Schema.decodeUnknownSync(ErrorBody)(example)
      ok(new RegExp(`^${status.replace("XX", "..")}$`).test(`${error.status}`), path)
    }
  }
})

Deno.test("the whole answer of a product is valid by the bazaar schema in its 402", () => {
  for (const product of Object.values(products)) {
    const [found] = media.filter(({ path, status }) => path === product.path && status === "200")
    const { output } = bazaar(product, "http").schema.properties
    for (const example of examplesOf(found?.body ?? none)) {
      strictEqual(faults(output.properties.example, example), "", product.path)
    }
    ok(faults(output.properties.example, {}) !== "", product.path)
  }
})

test("every served body is valid by its schema in the document", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
    const world = yield* makeWorld(3)
    const now = Date.parse("2026-11-21T12:00:00.000Z")
    // The example calls name this market.
    const slug = Slug.make(products.research.parameters[0].example)
    const sold = endingMarket(1, now, { slug })
    yield* Ref.set(world.productPorts.markets, [sold])
    yield* Ref.set(world.productPorts.books, [bookOf(sold, now)])
    yield* Ref.set(world.productPorts.series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
    yield* Ref.set(world.productPorts.whales, [{ computedAt: now, row: whaleRow() }])
    const service = yield* makeService(world)
    const bodyOf = Effect.fnUntraced(function* (path: `/${string}`, client: number, paid = {}) {
      const headers = { "x-forwarded-for": `203.0.113.${client}`, ...paid }
      const response = yield* service.get(path, { headers })
      const [at] = path.split("?")
      const [found] = media.filter((one) =>
        one.path === at && one.method === "get" && one.status === `${response.status}`
      )
      const text = yield* Effect.promise(() => response.text())
      strictEqual(response.headers.get("content-type")?.split(";")[0], found?.type, path)
      const body = found?.type.includes("json") ? JSON.parse(text) : text
      strictEqual(faults(found?.body.schema ?? none.schema, body), "", path)
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
      const [message] = examplesOf(operation.requestBody?.content["application/json"] ?? none)
      const response = yield* service.get(path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.${client}` },
        body: JSON.stringify(message),
      })
      const [found] = media.filter((one) =>
        one.path === path && one.method === "post" && one.status === "200"
      )
      const body = yield* Effect.promise(() => response.json())
      strictEqual(faults(found?.body.schema ?? none.schema, body), "", path)
      equal([response.status, body.error, body.result !== undefined], [200, undefined, true], path)
    }
  }))

const none: Media = { schema: { not: {} } }

test("the challenge and the receipt in the headers are valid by the document's schemas", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("1 day")
    const service = yield* makeService(yield* makeWorld(3))
    const decoded = (response: globalThis.Response, name: string) =>
      JSON.parse(Result.getOrThrow(Base64.decodeString(response.headers.get(name) ?? "")))
    const schemaOf = (name: string) => document.components.headers[name]?.schema.contentSchema
    for (const product of Object.values(products)) {
      const challenge = decoded(yield* service.get(product.path), "payment-required")
      strictEqual(faults(schemaOf("PaymentRequired") ?? {}, challenge), "", product.path)
      ok(faults(schemaOf("PaymentRequired") ?? {}, { ...challenge, accepts: [] }) !== "")
    }
    const payment = yield* paymentFor(products.latest)
    const paid = yield* service.get(products.latest.path, {
      headers: { "payment-signature": payment },
    })
    const receipt = decoded(paid, "payment-response")
    strictEqual(faults(schemaOf("PaymentResponse") ?? {}, receipt), "")
    ok(faults(schemaOf("PaymentResponse") ?? {}, { ...receipt, payer: undefined }) !== "")
  }))
