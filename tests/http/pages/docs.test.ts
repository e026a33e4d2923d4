/**
 * The documents as pages: their Markdown is safe, the reference has every operation, and agents keep
 * the documents themselves.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { errorRules } from "../../../src/http/server/errors.ts"
import { exampleErrors } from "../../../src/http/openapi/errors.ts"
import { markdownHtml } from "../../../src/http/pages/markdown.ts"
import { test } from "../../support/effect.ts"
import { base, openDocumentService } from "../../support/http/documents.ts"
import { hasDocumentTools } from "../../support/http/documentTools.ts"
import { operations, referenceFile, referenceText } from "../../support/http/reference.ts"

const asBrowser = { headers: { accept: "text/html" } }

Deno.test("markdownHtml() lets no HTML, script address or style through", () => {
  const html = markdownHtml(
    '# <b onclick="x">\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![b](data:text/html,c)\n\n' +
      "| <i> |\n|---|\n| <img src=x onerror=y> |\n",
  )
  ok(!/<(?:b|i|script)\b|<img src="?x|javascript:|data:/.test(html), html)
})

Deno.test("markdownHtml() gives each heading an anchor of its own, and no link to a file", () => {
  const html = markdownHtml("## A b\n\n## A b\n\n[c](docs/c.md) [d](https://d.example)")
  match(html, /<h2 id="a-b">[^]*<h2 id="a-b-1">/)
  equal([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href), ["https://d.example"])
})

test("the reference lists every operation of /openapi.json, at the service's own address", () =>
  Effect.gen(function* () {
    const service = yield* openDocumentService
    const contract = yield* Effect.flatMap(
      service.get("/openapi.json"),
      (response) => Effect.promise(() => response.json()),
    )
    const response = yield* service.get("/docs/reference", asBrowser)
    const html = yield* Effect.promise(() => response.text())
    for (const { id, path, method } of operations(contract)) {
      ok(html.includes(`<h2 id="${id}">`) && html.includes(`<code>${method} ${path}</code>`), id)
    }
    ok(html.includes(base) && !html.includes("127.0.0.1:8402"))
  }))

Deno.test({
  name: hasDocumentTools
    ? "the reference is rendered from today's contract (deno task generate writes it)"
    : "the reference is not compared: npm ci --prefix tests/documents",
  ignore: !hasDocumentTools,
  fn: async () => strictEqual(await Deno.readTextFile(referenceFile), await referenceText()),
})

test("agents keep the documents of /docs, /contact and the quickstarts", () =>
  Effect.gen(function* () {
    const service = yield* openDocumentService
    for (const path of ["/docs", "/docs/skill", "/contact", "/docs/quickstart/curl.sh"] as const) {
      const page = yield* service.get(path, asBrowser)
      match(page.headers.get("content-type") ?? "", /^text\/html/, path)
      for (const accept of ["*/*", "text/markdown", "text/plain, text/html"]) {
        const response = yield* service.get(path, { headers: { accept } })
        match(response.headers.get("content-type") ?? "", /^text\/(plain|markdown)/, path)
        match(response.headers.get("vary") ?? "", /Accept(,|$)/, path)
      }
    }
  }))

test("/pricing has the price of every product", () =>
  Effect.gen(function* () {
    const response = yield* (yield* openDocumentService).get("/pricing", asBrowser)
    const html = yield* Effect.promise(() => response.text())
    for (const { path, price } of Object.values(products)) {
      match(html, new RegExp(`>${path}</a></th><td class="number">\\$${usd(price)}</td>`))
    }
  }))

Deno.test("the table of errors allows what each error says about its charge", () => {
  for (const [status, byCause] of Object.entries(exampleErrors)) {
    for (const [cause, body] of Object.entries(byCause)) {
      const { code, charged } = Object(body).error as {
        readonly code: keyof typeof errorRules
        readonly charged: boolean | null
      }
      ok(errorRules[code].charged.includes(charged), `${status} ${cause}: ${charged}`)
    }
  }
})
