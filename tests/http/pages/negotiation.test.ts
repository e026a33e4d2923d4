/**
 * Which clients get a page: the choice is that of the stock parsers of `Accept`, and each path with a
 * page keeps both of its answers apart for caches.
 *
 * @module
 */
import { deepStrictEqual as equal, match, notStrictEqual, strictEqual } from "node:assert/strict"
import accepts from "accepts"
import { Arbitrary, Effect, Schema } from "effect"
import Negotiator from "negotiator"
import { products } from "../../../src/catalog/domain/product.ts"
import { prefersHtml } from "../../../src/http/server/mediaType.ts"
import { law, test } from "../../support/effect.ts"
import { openDocumentService } from "../../support/http/documents.ts"

const agentTypes = ["text/plain", "text/markdown", "application/json"]

/** The order in which agents' types come first, so that a tie is theirs. */
const offered = [...agentTypes, "text/html"]

const oracles = {
  negotiator: (accept: string) =>
    new Negotiator({ headers: { accept } }).mediaTypes(offered)[0] === "text/html",
  accepts: (accept: string) => accepts({ headers: { accept } }).type(offered) === "text/html",
}

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
    for (const [name, oracle] of Object.entries(oracles)) strictEqual(oracle(accept), page, name)
  })
}

Deno.test("a client without Accept gets what agents get", () => {
  strictEqual(prefersHtml(null), false)
  strictEqual(prefersHtml(""), false)
})

const weights = ["", ";q=0", ";q=0.5", ";q=1", "; q=0.9", ";Q=0.3", ";q=0.001", ";q=1.0"]
const types = [
  ...["text/html", "text/html", "TEXT/HTML", "text/plain", "text/markdown", "application/json"],
  ...["text/*", "application/*", "*/*", "image/png", "application/xhtml+xml"],
]
const range = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.schema(Schema.Literals(types)),
    Arbitrary.schema(Schema.Literals(weights)),
    Arbitrary.schema(Schema.Literals(["", " "])),
  ]),
  ([type, weight, space]) => `${space}${type}${weight}`,
)

law(
  "prefersHtml() is the choice of the stock parsers, over ranges with weights and duplicates",
  Arbitrary.array(range, { minLength: 1, maxLength: 12 }),
  (ranges) => {
    const accept = ranges.join(",")
    for (const [name, oracle] of Object.entries(oracles)) {
      // Who names HTML nowhere is no browser, also where the other types are refused.
      const isNamed = accept.toLowerCase().includes("text/html")
      strictEqual(prefersHtml(accept), isNamed && oracle(accept), `${name}: ${accept}`)
    }
  },
  { runs: 2_000 },
)

// Different from the stock parsers, which then compare with NaN.
Deno.test("a weight that is no number is 0, also next to another of the same type", () => {
  strictEqual(prefersHtml("text/html;q=x"), false)
  strictEqual(prefersHtml("text/html;q=0.3,text/html;q=x"), true)
  strictEqual(prefersHtml("text/html;q=-1"), false)
})

// Different from the stock parsers, which compare the parameters of a range: who asks for
// JSON with a character set does not want a page.
Deno.test("the parameters of a range are not compared", () => {
  strictEqual(prefersHtml("application/json;charset=utf-8, text/html"), false)
  strictEqual(prefersHtml("text/html;charset=utf-8"), true)
  strictEqual(prefersHtml('application/ld+json;profile="a,text/html,b"'), false)
})

Deno.test("a header of 10 kB is answered, and only its first ranges are read", () => {
  strictEqual(prefersHtml(`text/html,${"a/b;q=0.1,".repeat(1_000)}`), true)
  strictEqual(prefersHtml(`${"a/b;q=0.1,".repeat(1_000)}text/html`), false)
  for (const part of ['"', "html;", "text/html;q=", ",", '\\"']) {
    prefersHtml(`html${part.repeat(10_000 / part.length)}`)
  }
})

const browser = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" }

/** Paths with two answers. */
const negotiated = ["/", ...Object.values(products).map(({ path }) => path)]

for (const path of negotiated) {
  test(`GET ${path} answers a page or not, and both vary by Accept`, () =>
    Effect.gen(function* () {
      const { get } = yield* openDocumentService
      const page = yield* get(path, { headers: browser })
      const other = yield* get(path)
      match(page.headers.get("content-type") ?? "", /^text\/html/)
      strictEqual(page.status, other.status)
      notStrictEqual(yield* bodyOf(page), yield* bodyOf(other))
      for (const response of [page, other]) match(response.headers.get("vary") ?? "", /^Accept\b/)
      for (const headers of [browser, {}]) {
        const head = yield* get(path, { method: "HEAD", headers })
        const whole = yield* get(path, { headers })
        strictEqual(head.headers.get("content-type"), whole.headers.get("content-type"))
        strictEqual(head.headers.get("content-length"), `${(yield* bytesOf(whole)).length}`)
      }
    }))
}

test("each answer of / has a tag of its own, and 304 keeps Vary", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    for (const encoding of ["identity", "gzip", "br"]) {
      const base = { "accept-encoding": encoding }
      const tagOf = (response: Response) => response.headers.get("etag") ?? ""
      const page = yield* get("/", { headers: { ...base, ...browser } })
      const text = yield* get("/", { headers: base })
      notStrictEqual(tagOf(page), tagOf(text))
      for (
        const [own, tag, status] of [
          [browser, tagOf(page), 304],
          [{}, tagOf(text), 304],
          [browser, tagOf(text), 200],
          [{}, tagOf(page), 200],
        ] as const
      ) {
        const again = yield* get("/", { headers: { ...base, ...own, "if-none-match": tag } })
        equal([again.status, again.headers.get("vary")], [status, "Accept, Accept-Encoding"])
      }
    }
  }))

test("/llms.txt does not vary by Accept", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const response = yield* get("/llms.txt", { headers: browser })
    match(response.headers.get("content-type") ?? "", /^text\/plain/)
    strictEqual(response.headers.get("vary"), "Accept-Encoding")
  }))

const bytesOf = (response: Response) => Effect.promise(() => response.clone().bytes())
const bodyOf = (response: Response) => Effect.promise(() => response.clone().text())
