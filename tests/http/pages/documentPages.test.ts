/**
 * The documents as pages, and the page at /: their prices, links and Markdown; robots.txt, the
 * sitemap and the icons. Agents keep the documents themselves.
 *
 * @module
 */
import { Arbitrary, Effect } from "effect"
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { products } from "../../../src/catalog/domain/product.ts"
import { usd } from "../../../src/core/domain/money.ts"
import { markdownHtml } from "../../../src/http/pages/markdown.ts"
import { law, test } from "../../support/effect.ts"
import { base, openDocumentService } from "../../support/http/documents.ts"
import { oneOf } from "../../support/http/hostile.ts"
import { makeService, makeWorld, serviceOptions } from "../../support/http/httpService.ts"
import { browserAccept } from "../../support/http/pages.ts"
import { sized } from "../../support/size.ts"

const browser = { headers: { accept: browserAccept } }
const textOf = (response: Response) => Effect.promise(() => response.text())
const unescaped = (html: string) => html.replaceAll("&quot;", '"').replaceAll("&amp;", "&")

test("/ has every paid path with its price, and a link to each document of trust", function* () {
  const { get } = yield* openDocumentService
  const html = yield* textOf(yield* get("/", browser))
  for (const { path, price } of Object.values(products)) {
    match(html, new RegExp(`>${path}</a></th><td[^>]*>\\$${usd(price)}</td>`))
  }
  for (const href of ["/track-record", "/terms.txt", "/status", "/docs", "/v1/sample"]) {
    ok(html.includes(`href="${href}"`), href)
  }
  strictEqual(html.match(/<h1\b/g)?.length, 1)
})

test("/ says what is simulated, and with a real market nothing of it", function* () {
  const simulated = yield* textOf(yield* (yield* openDocumentService).get("/", browser))
  match(simulated, /Payments are simulated: no money moves/)
  match(simulated, /The market is simulated/)
  const options = { ...serviceOptions, paymentMode: "live", venueMode: "polymarket" } as const
  const real = yield* makeService(yield* makeWorld(3), undefined, options)
  const html = yield* textOf(yield* real.get("/", browser))
  ok(!/simulated/.test(html))
  match(html, /Polymarket/)
})

test("the command for Claude has the budget of its quickstart", function* () {
  const { get } = yield* openDocumentService
  const words = (text: string) => text.replaceAll("\\\n", "").split(/\s+/).join(" ")
  const html = unescaped(yield* textOf(yield* get("/", browser)))
  const quickstart = yield* textOf(yield* get("/docs/quickstart/claude.md"))
  const [command = ""] = quickstart.match(/^claude mcp add .*? -- /m) ?? []
  ok(command !== "" && words(html).includes(words(command)), command)
})

test("only where payments are real does Claude need a key to buy", function* () {
  for (const paymentMode of ["simulated", "live"] as const) {
    const options = { ...serviceOptions, paymentMode }
    const { get } = yield* makeService(yield* makeWorld(1), undefined, options)
    const html = yield* textOf(yield* get("/", browser))
    equal([/Claude needs no key/, /Claude needs the key/].map((words) => words.test(html)), [
      paymentMode === "simulated",
      paymentMode === "live",
    ])
  }
})

test("a visitor with only the address can copy a command that buys, first of all", function* () {
  const { get } = yield* openDocumentService
  for (const [path, call] of [["/", "get_latest"], ["/v1/signal", "get_signal index="]] as const) {
    const html = unescaped(yield* textOf(yield* get(path, browser)))
    const [, first = ""] = /<pre><code>([^<]*)/.exec(html.slice(html.indexOf("Buy one answer"))) ??
      []
    const npx = `BASE_URL=${base} npx -y ${base}/packages/bellwether-mcp-1.0.0.tgz ${call}`
    ok(first.startsWith(npx), first)
    ok(html.indexOf("Buy one answer") < html.indexOf("claude mcp add"))
    ok(!html.includes("task buy"), "that needs a checkout")
  }
})

test("robots.txt names the sitemap, and each address in it is an HTML page", function* () {
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
})

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

test("agents keep the documents of /docs, /contact and the quickstarts", function* () {
  const service = yield* openDocumentService
  for (const path of ["/docs", "/docs/skill", "/contact", "/docs/quickstart/curl.sh"] as const) {
    const page = yield* service.get(path, browser)
    match(page.headers.get("content-type") ?? "", /^text\/html/, path)
    for (const accept of ["*/*", "text/markdown", "text/plain, text/html"]) {
      const response = yield* service.get(path, { headers: { accept } })
      match(response.headers.get("content-type") ?? "", /^text\/(plain|markdown)/, path)
      match(response.headers.get("vary") ?? "", /Accept(,|$)/, path)
    }
  }
})

test("/pricing has the price of every product", function* () {
  const response = yield* (yield* openDocumentService).get("/pricing", browser)
  const html = yield* Effect.promise(() => response.text())
  for (const { path, price } of Object.values(products)) {
    match(html, new RegExp(`>${path}</a></th><td[^>]*>\\$${usd(price)}</td>`))
  }
})

/** The targets of a page's links to this service. */
const linksOf = (html: string, path: string): ReadonlyArray<URL> =>
  [...html.matchAll(/<(?:a|link)\b[^>]*\shref="([^"]*)"/g)]
    .map(([, href = ""]) => new URL(href.replaceAll("&amp;", "&"), base + path))
    .filter(({ origin }) => origin === base)

test("every link of every page leads to an answer and to an element of it", function* () {
  const service = yield* openDocumentService
  const read = Effect.fnUntraced(function* (path: string) {
    const response = yield* service.get(path as `/${string}`, browser)
    return { status: response.status, text: yield* Effect.promise(() => response.text()) }
  })
  const sitemap = yield* read("/sitemap.xml")
  const pages = [...sitemap.text.matchAll(/<loc>([^<]*)<\/loc>/g)]
    .map(([, url = ""]) => url.slice(base.length))
  ok(pages.length >= 15, `${pages.length} pages`)
  const answers = new Map<string, { readonly status: number; readonly text: string }>()
  const dead = new Set<string>()
  for (const page of pages) {
    const { text } = yield* read(page)
    for (const { pathname, search, hash } of linksOf(text, page)) {
      const target = answers.get(pathname + search) ?? (yield* read(pathname + search))
      answers.set(pathname + search, target)
      if (![200, 402].includes(target.status)) dead.add(`${page}: ${pathname} ${target.status}`)
      const id = decodeURIComponent(hash.slice(1))
      if (id !== "" && !target.text.includes(` id="${id}"`)) {
        dead.add(`${page}: ${pathname}${hash}`)
      }
    }
  }
  equal([...dead], [])
})
