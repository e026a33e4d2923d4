/**
 * The documents as pages: their Markdown is safe, and agents keep the documents themselves.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok } from "node:assert/strict"
import { Arbitrary, Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { markdownHtml } from "../../../src/http/pages/markdown.ts"
import { law, test } from "../../support/effect.ts"
import { openDocumentService } from "../../support/http/documents.ts"
import { oneOf } from "../../support/http/hostile.ts"
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

Deno.test("markdownHtml() writes no link to a file", () => {
  const html = markdownHtml("[c](docs/c.md) [d](https://d.example)")
  equal([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href), ["https://d.example"])
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
      match(html, new RegExp(`>${path}</a></th><td[^>]*>\\$${usd(price)}</td>`))
    }
  }))
