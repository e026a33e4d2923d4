/**
 * Which clients get a page, that both answers of a path are kept apart for caches, and that a
 * browser at a paid path keeps the status and the header of the JSON answer.
 *
 * @module
 */
import { Effect } from "effect"
import {
  deepStrictEqual as equal,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { acceptsGzip, prefersHtml } from "../../../src/http/server/answer.ts"
import { test } from "../../support/effect.ts"
import { openDocumentService } from "../../support/http/documents.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"
import { browserAccept as accept } from "../../support/http/pages.ts"
import { stockedService } from "../../support/http/stockedService.ts"

/** What clients send, and whether they get a page. */
const clients: ReadonlyArray<readonly [client: string, accept: string, page: boolean]> = [
  ["curl and wget", "*/*", false],
  ["fetch of Node and Deno", "*/*", false],
  ["axios", "application/json, text/plain, */*", false],
  ["Python requests and httpx", "*/*", false],
  ["MCP over HTTP", "application/json, text/event-stream", false],
  ["an agent that reads Markdown", "text/markdown, text/html, */*", false],
  ["an agent that weighs Markdown", "text/markdown, text/html;q=0.9, text/plain;q=0.8", false],
  ["an agent that prefers text", "text/plain;q=1.0, text/html;q=0.9, */*;q=0.1", false],
  ["a crawler of text", "text/plain,text/html,*/*", false],
  ["any text", "text/*", false],
  [
    "Chromium",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8," +
    "application/signed-exchange;v=b3;q=0.7",
    true,
  ],
  ["Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  [
    "older Firefox",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    true,
  ],
  ["Safari", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["Googlebot", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true],
  ["lynx", "text/html, text/plain, text/sgml, text/css, application/xhtml+xml, */*;q=0.01", true],
]

for (const [client, accept, page] of clients) {
  Deno.test(`${client} gets ${page ? "the page" : "what agents get"}`, () => {
    strictEqual(prefersHtml(accept), page)
  })
}

Deno.test("a client without Accept gets what agents get", () => {
  strictEqual(prefersHtml(null), false)
  strictEqual(prefersHtml(""), false)
})

Deno.test("who names HTML nowhere is no browser, also where the other types are refused", () => {
  strictEqual(prefersHtml("text/*, text/plain;q=0, text/markdown;q=0"), false)
})

Deno.test("only the start of a long header is read, so that it costs little", () => {
  strictEqual(prefersHtml(`text/html,${"a/b;q=0.1,".repeat(1_000)}`), true)
  strictEqual(prefersHtml(`${"a/b;q=0.1,".repeat(1_000)}text/html`), false)
  strictEqual(acceptsGzip(`${"br,".repeat(1_000)}gzip`), false)
})

const browser = { headers: { accept } }

test("the page of a misspelt path links to the one that was meant", function* () {
  const { get } = yield* openDocumentService
  for (const [wrong, meant] of [["/v1/latests", "/v1/latest"], ["/sigals", "/signals"]] as const) {
    const page = yield* bodyOf(yield* get(wrong, browser))
    match(page, new RegExp(`Did you mean <a href="${meant}">${meant}</a>\\?`))
  }
})

/** Paths with two answers. */
const negotiated = ["/", ...Object.values(products).map(({ path }) => path)]

for (const path of negotiated) {
  test(`GET ${path} answers a page or not, and both vary by Accept`, function* () {
    const { get } = yield* openDocumentService
    const page = yield* get(path, browser)
    const other = yield* get(path)
    match(page.headers.get("content-type") ?? "", /^text\/html/)
    strictEqual(page.status, other.status)
    notStrictEqual(yield* bodyOf(page), yield* bodyOf(other))
    for (const response of [page, other]) match(response.headers.get("vary") ?? "", /^Accept\b/)
    for (const headers of [{ accept }, {}]) {
      const head = yield* get(path, { method: "HEAD", headers })
      const whole = yield* get(path, { headers })
      strictEqual(head.headers.get("content-type"), whole.headers.get("content-type"))
      strictEqual(head.headers.get("content-length"), `${(yield* bytesOf(whole)).length}`)
    }
  })
}

test("each answer of / has a tag of its own, and 304 keeps Vary", function* () {
  const { get } = yield* openDocumentService
  for (const encoding of ["identity", "gzip"]) {
    const base = { "accept-encoding": encoding }
    const tagOf = (response: Response) => response.headers.get("etag") ?? ""
    const page = yield* get("/", { headers: { ...base, accept } })
    const text = yield* get("/", { headers: base })
    notStrictEqual(tagOf(page), tagOf(text))
    for (
      const [own, tag, status] of [
        [{ accept }, tagOf(page), 304],
        [{}, tagOf(text), 304],
        [{ accept }, tagOf(text), 200],
        [{}, tagOf(page), 200],
      ] as const
    ) {
      const again = yield* get("/", { headers: { ...base, ...own, "if-none-match": tag } })
      equal([again.status, again.headers.get("vary")], [status, "Accept, Accept-Encoding"])
    }
  }
})

test("/llms.txt does not vary by Accept", function* () {
  const { get } = yield* openDocumentService
  const response = yield* get("/llms.txt", browser)
  match(response.headers.get("content-type") ?? "", /^text\/plain/)
  strictEqual(response.headers.get("vary"), "Accept-Encoding")
})

const bytesOf = (response: Response) => Effect.promise(() => response.clone().bytes())
const bodyOf = (response: Response) => Effect.promise(() => response.clone().text())

const textOf = (response: Response) => Effect.promise(() => response.text())
const typeOf = ({ headers }: Response) => headers.get("content-type")

test("the page of each paid path keeps 402, PAYMENT-REQUIRED and no-store, and says the price", function* () {
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
})

test("a client of x402 version 1 gets the body that it reads, also from a browser", function* () {
  const { get } = yield* openDocumentService
  const asked = [
    yield* get("/v1/latest?x402Version=1", browser),
    yield* get("/v1/latest", { headers: { accept, "x-402-version": "1" } }),
  ]
  for (const response of asked) {
    equal([response.status, typeOf(response)], [402, "application/json"])
    strictEqual(JSON.parse(yield* textOf(response)).x402Version, 1)
  }
})

test("a request with a payment is answered in JSON, accepted or not", function* () {
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
})

test("a browser gets a page with 404 and 429, and every other error as JSON", function* () {
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
})
