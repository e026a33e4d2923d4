/**
 * The page at / names every price and the commands of the quickstarts, and says what is simulated;
 * robots.txt, the sitemap and the icon lead to pages.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { test } from "../../support/effect.ts"
import { base, openDocumentService } from "../../support/http/documents.ts"
import { makeService, makeWorld, serviceOptions } from "../../support/http/httpService.ts"
import { browserAccept } from "../../support/http/pages.ts"

const browser = { headers: { accept: browserAccept } }
const textOf = (response: Response) => Effect.promise(() => response.text())
const unescaped = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

test("/ has every paid path with its price, and a link to each document of trust", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const html = yield* textOf(yield* get("/", browser))
    for (const { path, price } of Object.values(products)) {
      match(html, new RegExp(`>${path}</a></th><td[^>]*>\\$${usd(price)}</td>`))
    }
    for (const href of ["/track-record", "/terms.txt", "/status", "/docs", "/v1/sample"]) {
      ok(html.includes(`href="${href}"`), href)
    }
    strictEqual(html.match(/<h1\b/g)?.length, 1)
  }))

test("/ says what is simulated, and with a real market nothing of it", () =>
  Effect.gen(function* () {
    const simulated = yield* textOf(yield* (yield* openDocumentService).get("/", browser))
    match(simulated, /Payments are simulated: no money moves/)
    match(simulated, /The market is simulated/)
    const options = { ...serviceOptions, paymentMode: "live", venueMode: "polymarket" } as const
    const real = yield* makeService(yield* makeWorld(3), undefined, options)
    const html = yield* textOf(yield* real.get("/", browser))
    ok(!/simulated/.test(html))
    match(html, /Polymarket/)
  }))

test("the command for Claude has the budget of its quickstart", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const words = (text: string) => text.replaceAll("\\\n", "").split(/\s+/).join(" ")
    const html = unescaped(yield* textOf(yield* get("/", browser)))
    const quickstart = yield* textOf(yield* get("/docs/quickstart/claude.md"))
    const [command = ""] = quickstart.match(/^claude mcp add .*? -- /m) ?? []
    ok(command !== "" && words(html).includes(words(command)), command)
  }))

test("robots.txt names the sitemap, and each address in it is an HTML page", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const robots = yield* textOf(yield* get("/robots.txt"))
    ok(robots.includes(`\nSitemap: ${base}/sitemap.xml\n`))
    const sitemap = yield* get("/sitemap.xml")
    strictEqual(sitemap.headers.get("content-type"), "application/xml")
    const urls = [...(yield* textOf(sitemap)).matchAll(/<loc>([^<]*)<\/loc>/g)]
      .map(([, url = ""]) => url)
    ok(urls.includes(`${base}/`))
    for (const url of urls) {
      const page = yield* get(new URL(url).pathname, browser)
      match(page.headers.get("content-type") ?? "", /^text\/html/, url)
      const html = yield* textOf(page)
      ok(html.includes(`<link rel="canonical" href="${url}"/>`), url)
    }
  }))

test("/favicon.ico is an icon with two images that fill it", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const response = yield* get("/favicon.ico")
    strictEqual(response.headers.get("content-type"), "image/x-icon")
    const bytes = yield* Effect.promise(() => response.bytes())
    const view = new DataView(bytes.buffer)
    equal([0, 2, 4].map((at) => view.getUint16(at, true)), [0, 1, 2])
    let end = 6 + 2 * 16
    for (const [at, size] of [[6, 16], [22, 32]] as const) {
      const [length, offset] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)]
      equal([view.getUint8(at), view.getUint8(at + 1), offset], [size, size, end])
      equal([...bytes.slice(offset + 1, offset + 4)], [...new TextEncoder().encode("PNG")])
      end += length
    }
    strictEqual(end, bytes.length)
  }))
