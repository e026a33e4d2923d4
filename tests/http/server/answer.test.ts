/**
 * Answers: their tags, the comparison of If-None-Match, and gzip: who gets it, and that a body is
 * encoded once.
 *
 * @module
 */
import { Arbitrary, Duration, Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import {
  deepStrictEqual as equal,
  match,
  notStrictEqual,
  ok,
  strictEqual,
} from "node:assert/strict"
import { gunzipSync } from "node:zlib"
import { products } from "../../../src/catalog/domain/product.ts"
import {
  acceptsGzip,
  answer,
  gzipBytesMin,
  matchesTag,
  responseTo,
} from "../../../src/http/server/answer.ts"
import { webOf } from "../../../src/http/server/route.ts"
import { listen, toWebHandler } from "../../../src/http/server/server.ts"
import { law, liveTest, test } from "../../support/effect.ts"
import { documentPaths, openDocumentService } from "../../support/http/documents.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"

const tag = Arbitrary.map(
  Arbitrary.schema(Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_,-]{1,8}$/))),
  (text) => `"${text}"`,
)
const tags = Arbitrary.array(tag, { maxLength: 5 })
const weak = (etag: string) => `W/${etag}`

law("answer() gives equal tags to equal bodies only", tags, (bodies) => {
  for (const a of bodies) {
    for (const b of bodies) {
      const same = answer({ body: a, cache: "polled" }).etag ===
        answer({ body: b, cache: "polled" }).etag
      strictEqual(same, a === b)
    }
  }
})

law("matchesTag() finds a tag in a list, weak or strong", Arbitrary.all([tags, tag, tags]), (
  [before, wanted, after],
) => {
  const list = [...before, wanted, ...after]
  strictEqual(matchesTag(list.join(", "), wanted), true)
  strictEqual(matchesTag(list.map(weak).join(","), wanted), true)
  strictEqual(matchesTag(list.join(", "), weak(wanted)), true)
})

law("matchesTag() does not match other tags", Arbitrary.all([tags, tag]), ([others, wanted]) => {
  const list = others.filter((other) => other !== wanted)
  strictEqual(matchesTag(list.join(", "), wanted), false)
})

law("matchesTag() matches any tag with *", tag, (etag) => matchesTag(" * ", etag))

Deno.test("answer() gives no tag to a body that must not be cached", () => {
  strictEqual(answer({ body: "{}", cache: "none" }).etag, null)
  notStrictEqual(answer({ body: "{}", cache: "document" }).etag, null)
})

/** The body of a response, decoded as its header says. */
const decoded = (response: Response) =>
  Effect.map(Effect.promise(() => response.arrayBuffer()), (buffer) => {
    const encoding = response.headers.get("content-encoding")
    ok(encoding === "gzip" || encoding === null)
    const bytes = new Uint8Array(buffer)
    return new TextDecoder().decode(encoding === null ? bytes : gunzipSync(bytes))
  })

Deno.test("gzip is sent where Accept-Encoding allows it", () => {
  for (
    const [accepted, expected] of [
      [null, false],
      ["", false],
      ["identity", false],
      ["gzip, deflate, br, zstd", true],
      ["GZIP", true],
      ["br;q=0, gzip;q=0.5", true],
      ["br; q=0 , *", true],
      ["*;q=0", false],
      ["gzip;q=0.000", false],
      ["gzip;q=x", false],
      ["deflate", false],
      [",;,q=1", false],
    ] as const
  ) {
    strictEqual(acceptsGzip(accepted), expected, String(accepted))
  }
})

Deno.test("an answer is encoded once; one that is short or not cached is never encoded", () => {
  const long = "a".repeat(gzipBytesMin)
  const sent = (body: string, cache: "document" | "none") => {
    const encoded = answer({ body, cache })
    const headers = { "accept-encoding": "gzip" }
    const response = () => responseTo(new Request("http://any.host/", { headers }), encoded)
    strictEqual(response(), response())
    return response().headers["content-encoding"]
  }
  strictEqual(sent(long, "document"), "gzip")
  strictEqual(sent(long, "none"), undefined)
  strictEqual(sent(long.slice(1), "document"), undefined)
})

test("every document has the same content in each encoding, with its length and a tag that matches", function* () {
  const face = yield* openDocumentService
  for (const path of documentPaths) {
    const plain = yield* face.get(path)
    const text = yield* decoded(plain)
    const isLong = new TextEncoder().encode(text).length >= gzipBytesMin
    const page = yield* face.get(path, { headers: { accept: "text/html" } })
    const vary = [
      ...(page.headers.get("etag") === plain.headers.get("etag") ? [] : ["Accept"]),
      ...(isLong ? ["Accept-Encoding"] : []),
    ].join(", ")
    strictEqual(plain.headers.get("vary") ?? "", vary, path)
    match(plain.headers.get("cache-control") ?? "", /^private, max-age=(?:15|300)$/, path)
    // A page may be long where the document is short.
    strictEqual(page.headers.get("vary")?.split(", ")[0] ?? "", vary.split(", ")[0], path)
    for (const encoding of ["gzip"]) {
      const headers = { "accept-encoding": encoding }
      const response = yield* face.get(path, { headers })
      strictEqual(response.headers.get("content-encoding"), isLong ? encoding : null, path)
      strictEqual(response.headers.get("vary"), plain.headers.get("vary"), path)
      strictEqual(yield* decoded(response.clone()), text, path)
      const head = yield* face.get(path, { method: "HEAD", headers })
      const { byteLength } = yield* Effect.promise(() => response.arrayBuffer())
      strictEqual(head.headers.get("content-length"), `${byteLength}`, path)
      const [strong, own] = [plain.headers.get("etag"), response.headers.get("etag")]
      strictEqual(own, isLong ? `W/${strong}` : strong, path)
      for (const tag of [strong ?? "", own ?? ""]) {
        for (const accepted of [encoding, "identity"]) {
          const again = yield* face.get(path, {
            headers: { "if-none-match": tag, "accept-encoding": accepted },
          })
          equal([again.status, again.headers.get("content-encoding")], [304, null], path)
          strictEqual(again.headers.get("vary"), plain.headers.get("vary"), path)
        }
      }
    }
  }
})

test("a paid answer has the same content in gzip, and errors are not encoded", function* () {
  yield* TestClock.setTime(Date.parse("2026-11-21T12:00:00.000Z"))
  const service = yield* makeService(yield* makeWorld(20))
  const target = `${products.signals.path}?since=1&count=20` as const
  const headers = { "payment-signature": yield* paymentFor(products.signals, 1) }
  const plain = yield* service.get(target, { headers })
  const encoded = yield* service.get(target, {
    headers: { ...headers, "accept-encoding": "gzip, br" },
  })
  equal([plain.status, encoded.status], [200, 200])
  equal(
    [plain, encoded].map(({ headers }) => [headers.get("content-encoding"), headers.get("vary")]),
    [[null, "Accept-Encoding"], ["gzip", "Accept-Encoding"]],
  )
  strictEqual(encoded.headers.get("payment-response"), plain.headers.get("payment-response"))
  strictEqual(yield* decoded(encoded), yield* decoded(plain))
  const unpaid = yield* service.get(products.signals.path, {
    headers: { "accept-encoding": "gzip" },
  })
  equal([unpaid.status, unpaid.headers.get("content-encoding")], [402, null])
})

test("the 402 page for browsers is compressed, and keeps its challenge", function* () {
  const { get } = yield* openDocumentService
  const headers = { accept: "text/html" }
  const plain = yield* get(products.latest.path, { headers })
  const encoded = yield* get(products.latest.path, {
    headers: { ...headers, "accept-encoding": "gzip" },
  })
  equal([plain.status, encoded.status], [402, 402])
  strictEqual(encoded.headers.get("content-encoding"), "gzip")
  for (const name of ["payment-required", "vary", "cache-control"]) {
    strictEqual(encoded.headers.get(name), plain.headers.get(name), name)
  }
  strictEqual(plain.headers.get("vary"), "Accept, Accept-Encoding")
  strictEqual(yield* decoded(encoded), yield* decoded(plain))
})

liveTest("a long answer in gzip is delivered over a socket with its length", function* () {
  const text = "a line of text\n".repeat(1_000)
  const completed = Promise.withResolvers<void>()
  const long = answer({ body: text, cache: "document" })
  const app = Effect.map(
    HttpServerRequest.HttpServerRequest,
    (request) => responseTo(webOf(request), long),
  )
  const handle = yield* toWebHandler(app, 0)
  const { port } = yield* listen(
    { hostname: "127.0.0.1", port: 0, drain: Duration.seconds(1) },
    (request, peer) => {
      peer.completed?.then(completed.resolve, completed.reject)
      return handle(request, peer)
    },
  )
  const client = Deno.createHttpClient({})
  yield* Effect.promise(async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`, { client })
    strictEqual(await response.text(), text)
    await completed.promise
  })
  client.close()
})
