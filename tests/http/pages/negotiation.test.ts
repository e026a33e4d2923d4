/**
 * Which clients get a page, and that each path with a page keeps both of its answers apart for caches.
 *
 * @module
 */
import { deepStrictEqual as equal, match, notStrictEqual, strictEqual } from "node:assert/strict"
import { Effect } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { acceptsGzip, prefersHtml } from "../../../src/http/server/answer.ts"
import { test } from "../../support/effect.ts"
import { openDocumentService } from "../../support/http/documents.ts"

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
    for (const encoding of ["identity", "gzip"]) {
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
