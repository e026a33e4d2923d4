/**
 * A browser at a paid path gets a page with the status and the header of the JSON answer; every other
 * request is answered as without pages.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { test } from "../../support/effect.ts"
import { openDocumentService } from "../../support/http/documents.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"
import { browserAccept as accept } from "../../support/http/pages.ts"
import { stockedService } from "../../support/http/stockedService.ts"

const browser = { headers: { accept } }
const textOf = (response: Response) => Effect.promise(() => response.text())
const typeOf = ({ headers }: Response) => headers.get("content-type")

test("the page of each paid path keeps 402, PAYMENT-REQUIRED and no-store, and says the price", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    for (const { path, price, title } of Object.values(products)) {
      const page = yield* get(path, browser)
      const json = yield* get(path)
      equal([page.status, typeOf(page)], [402, "text/html; charset=utf-8"], path)
      for (const name of ["payment-required", "cache-control"]) {
        strictEqual(page.headers.get(name), json.headers.get(name), `${path} ${name}`)
      }
      strictEqual(page.headers.get("cache-control"), "no-store")
      const html = yield* textOf(page)
      ok(html.includes(`<h1>${title}</h1>`), path)
      ok(html.includes(`$${usd(price)}`), path)
      match(html, /A sample: the fields are real, and the values are invented/)
      match(html, /name="robots" content="noindex"/)
      ok(!html.includes("<script"), path)
    }
  }))

test("a client of x402 version 1 gets the body that it reads, also from a browser", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const asked = [
      yield* get("/v1/latest?x402Version=1", browser),
      yield* get("/v1/latest", { headers: { accept, "x-402-version": "1" } }),
    ]
    for (const response of asked) {
      equal([response.status, typeOf(response)], [402, "application/json"])
      strictEqual(JSON.parse(yield* textOf(response)).x402Version, 1)
    }
  }))

test("a request with a payment is answered in JSON, accepted or not", () =>
  Effect.gen(function* () {
    const { get } = yield* stockedService()
    const payment = yield* paymentFor(products.latest)
    const paid = yield* get("/v1/latest", { headers: { accept, "payment-signature": payment } })
    equal([paid.status, typeOf(paid)], [200, "application/json"])
    for (const name of ["payment-signature", "x-payment"]) {
      const refused = yield* get("/v1/latest", { headers: { accept, [name]: "not base64" } })
      equal([refused.status, typeOf(refused)], [402, "application/json"], name)
    }
    const empty = yield* get("/v1/latest", { headers: { accept, "payment-signature": "" } })
    equal([empty.status, typeOf(empty)], [402, "text/html; charset=utf-8"])
  }))

test("a browser gets a page with 404 and 429, and every other error as JSON", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const page = yield* get("/nowhere", browser)
    equal([page.status, typeOf(page)], [404, "text/html; charset=utf-8"])
    match(yield* textOf(page), /<h1>There is no such page<\/h1>/)
    for (
      const [path, init, status] of [
        ["/nowhere", {}, 404],
        ["/v1/payments/0x5a", browser, 400],
        ["/v1/latest", { ...browser, method: "DELETE" }, 405],
      ] as const
    ) {
      const response = yield* get(path, init)
      equal([response.status, typeOf(response)], [status, "application/json"], path)
    }
    const service = yield* makeService(yield* makeWorld(1))
    const requests = Array.from({ length: 6 }, () => service.get("/v1/index", browser))
    const last = (yield* Effect.all(requests)).at(-1)
    equal([last?.status, typeOf(last ?? page)], [429, "text/html; charset=utf-8"])
    ok(Number(last?.headers.get("retry-after")) > 0)
    ok(last?.headers.has("ratelimit"))
  }))
