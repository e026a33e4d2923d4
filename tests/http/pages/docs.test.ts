/**
 * The documents as pages: their Markdown is safe, the reference has every operation, and agents keep
 * the documents themselves.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { errorRules } from "../../../src/http/server/errors.ts"
import { exampleErrors } from "../../../src/http/openapi/errors.ts"
import { paths } from "../../../src/http/documents/addresses.ts"
import { markdownHtml } from "../../../src/http/pages/markdown.ts"
import { pagePaths, referencePath } from "../../../src/http/pages/paths.ts"
import { merged } from "../../support/http/contract.ts"
import { law, test } from "../../support/effect.ts"
import { base, openDocumentService } from "../../support/http/documents.ts"
import { hasDocumentTools } from "../../support/http/documentTools.ts"
import { oneOf } from "../../support/http/hostile.ts"
import { operations, referenceFile, referenceText } from "../../support/http/reference.ts"
import { sized } from "../../support/size.ts"

const asBrowser = { headers: { accept: "text/html" } }

Deno.test("markdownHtml() lets no HTML, script address or style through", () => {
  const html = markdownHtml(
    '# <b onclick="x">\n\n<script>alert(1)</script>\n\n[a](javascript:alert(1)) ![b](data:text/html,c)\n\n' +
      "| <i> |\n|---|\n| <img src=x onerror=y> |\n\n[c](javascript&#58;alert(1)) <javascript:alert(1)>\n",
  )
  ok(!/<(?:b|i|img|script)\b|href=/.test(html), html)
})

const pieces = [
  ...["<b onclick=x>", "</div>", "<!--", "-->", "<script>", "<a:b>", '"', "'", "&#58;", "&colon;"],
  ...[
    "[a](",
    "![a](",
    "[a]: ",
    "[a]",
    "](",
    ")",
    "<",
    ">",
    "javascript:",
    "JaVaScRiPt&#58;",
    "data:",
  ],
  ...[
    "java\\script:",
    "vbscript:",
    "https://a.example/{b}",
    "mailto:a@b.example",
    "/c",
    "//d",
    "#e",
  ],
  ...[
    "# ",
    "- ",
    "1. ",
    "```",
    "`",
    "    ",
    "| ",
    "|---|",
    "**",
    "_",
    "~~",
    "\\",
    "\n",
    "\n\n",
    " ",
    "f",
  ],
]
const writtenTags = new Set(
  [
    "p h1 h2 h3 h4 h5 h6 ul ol li table thead tbody tr th td pre code strong em del blockquote br hr",
    "a div input",
  ].join(" ").split(" "),
)
const writtenAttribute =
  /^(?:href="(?:https?:|mailto:|[/#])[^"<>]*"|(?:id|class|role|aria-label|tabindex|scope|align|type|start)="[^"<>]*"|checked=""|disabled="")$/i

law(
  "markdownHtml() writes no other elements and attributes than its own, for any text",
  Arbitrary.map(
    Arbitrary.array(oneOf(pieces), { maxLength: 24 }),
    (written) => written.join(""),
  ),
  (text) => {
    const html = markdownHtml(text)
    const rest = html.replace(
      /<(\/?)(\w+)((?: [\w-]+="[^"<>]*")*)>/g,
      (_, _end, name, attributes) => {
        ok(writtenTags.has(name), html)
        for (const [attribute] of attributes.matchAll(/[\w-]+="[^"]*"/g)) {
          match(attribute, writtenAttribute, html)
          // A character reference would be read by the browser before the scheme is.
          ok(!/href="[^"]*&(?!amp;|#\d\d;)/.test(attribute), html)
        }
        return ""
      },
    )
    ok(!/[<>]/.test(rest), html)
  },
  { runs: sized({ short: 2_000, full: 50_000 }) },
)

Deno.test("markdownHtml() gives each heading an anchor of its own, and no link to a file", () => {
  const html = markdownHtml("## A b\n\n## A b\n\n[c](docs/c.md) [d](https://d.example)")
  match(html, /<h2 id="a-b">[^]*<h2 id="a-b-1">/)
  equal([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href), ["https://d.example"])
})

/** The most bytes of a page before compression. */
const pageBytesMax = 150_000

test("the reference lists every operation of the contract, at the service's own address", () =>
  Effect.gen(function* () {
    const service = yield* openDocumentService
    const read = (path: `/${string}`) =>
      Effect.flatMap(
        service.get(path, asBrowser),
        (response) => Effect.promise(() => response.text()),
      )
    const documents = yield* Effect.forEach([paths.openApi, paths.openApiService], read)
    const served = operations(merged(documents.map((text) => JSON.parse(text))))
    equal(served.map(({ id }) => id), operations().map(({ id }) => id))
    const index = yield* read(pagePaths.reference)
    const anchors = new Map<string, ReadonlySet<string>>()
    const links = new Set<string>()
    for (const tag of new Set(served.map(({ tag }) => tag))) {
      const html = yield* read(referencePath(tag))
      for (const { id, path, method } of served.filter((one) => one.tag === tag)) {
        ok(html.includes(`<h2 id="${id}">`) && html.includes(`<code>${method} ${path}</code>`), id)
        ok(index.includes(`href="${referencePath(tag)}#${id}"`), id)
      }
      ok(!html.includes("127.0.0.1:8402"))
      ok(new TextEncoder().encode(html).length < pageBytesMax, tag)
      anchors.set(
        referencePath(tag),
        new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id)),
      )
      for (const [, link = ""] of html.matchAll(/href="(\/docs\/reference\/[^"]+)"/g)) {
        links.add(link)
      }
    }
    ok(index.includes(base) && links.size > 20)
    equal(
      [...links].filter((link) => {
        const [page = "", anchor = ""] = link.split("#")
        return anchors.get(page)?.has(anchor) !== true
      }),
      [],
    )
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
