/**
 * Content encodings: which one a client gets, that a body is encoded once, and that tags, lengths and
 * paid answers stay right.
 *
 * @module
 */
import { deepStrictEqual as equal, notStrictEqual, ok, strictEqual } from "node:assert/strict"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { Arbitrary, Duration, Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { products } from "../../../src/catalog/domain/product.ts"
import { answer, preferred } from "../../../src/http/server/answer.ts"
import {
  acceptedEncoding,
  encode,
  encodedBytesMin,
  encodings,
  gzipped,
} from "../../../src/http/server/encoding.ts"
import { listen, toWebHandler } from "../../../src/http/server/server.ts"
import { law, liveTest, test } from "../../support/effect.ts"
import { documentPaths, openDocumentService } from "../../support/http/documents.ts"
import { makeService, makeWorld, paymentFor } from "../../support/http/httpService.ts"

const decoders = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
  identity: (bytes: Uint8Array) => bytes,
}

/** The body of a response, decoded as its header says. */
const decoded = (response: Response) =>
  Effect.map(Effect.promise(() => response.arrayBuffer()), (bytes) => {
    const encoding = response.headers.get("content-encoding") ?? "identity"
    ok(encoding === "br" || encoding === "gzip" || encoding === "identity")
    return new TextDecoder().decode(decoders[encoding](new Uint8Array(bytes)))
  })

Deno.test("the encoding is the preferred one that Accept-Encoding allows", () => {
  for (
    const [accepted, expected] of [
      [null, null],
      ["", null],
      ["identity", null],
      ["gzip, deflate, br, zstd", "br"],
      ["GZIP", "gzip"],
      ["br;q=0, gzip;q=0.5", "gzip"],
      ["br; q=0 , *", "gzip"],
      ["*", "br"],
      ["*;q=0", null],
      ["gzip;q=0.000", null],
      ["gzip;q=x", null],
      ["deflate", null],
      [",;,q=1", null],
    ] as const
  ) {
    strictEqual(acceptedEncoding(accepted, encodings), expected, String(accepted))
  }
  strictEqual(acceptedEncoding("br", ["gzip"]), null)
})

law(
  "an encoded body is the body again when it is decoded",
  Arbitrary.schema(Schema.String),
  (text) => {
    const bytes = new TextEncoder().encode(text)
    for (const encoding of encodings) {
      equal(new Uint8Array(decoders[encoding](encode(bytes, encoding))), bytes)
    }
  },
)

Deno.test("an answer is encoded once; one that is short or not cached is never encoded", () => {
  const long = answer({ body: "a".repeat(encodedBytesMin), cache: "document" })
  const first = preferred(long, "gzip")
  notStrictEqual(first, long)
  strictEqual(preferred(long, "gzip;q=0.5"), first)
  strictEqual(preferred(long, null), long)
  const short = answer({ body: "a".repeat(encodedBytesMin - 1), cache: "document" })
  const single = answer({ body: "a".repeat(encodedBytesMin), cache: "none" })
  for (const plain of [short, single]) strictEqual(preferred(plain, "gzip, br"), plain)
})

test("every document has the same content in each encoding, with its length and a tag that matches", () =>
  Effect.gen(function* () {
    const face = yield* openDocumentService
    for (const path of documentPaths) {
      const plain = yield* face.get(path)
      const text = yield* decoded(plain)
      const isLong = new TextEncoder().encode(text).length >= encodedBytesMin
      const page = yield* face.get(path, { headers: { accept: "text/html" } })
      const vary = [
        ...(page.headers.get("etag") === plain.headers.get("etag") ? [] : ["Accept"]),
        ...(isLong ? ["Accept-Encoding"] : []),
      ].join(", ")
      strictEqual(plain.headers.get("vary") ?? "", vary, path)
      // A page may be long where the document is short.
      strictEqual(page.headers.get("vary")?.split(", ")[0] ?? "", vary.split(", ")[0], path)
      for (const encoding of encodings) {
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
  }))

test("a paid answer has the same content in gzip, and errors are not encoded", () =>
  Effect.gen(function* () {
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
  }))

test("the 402 page for browsers is compressed, and keeps its challenge", () =>
  Effect.gen(function* () {
    const { get } = yield* openDocumentService
    const headers = { accept: "text/html" }
    const plain = yield* get(products.latest.path, { headers })
    const encoded = yield* get(products.latest.path, {
      headers: { ...headers, "accept-encoding": "br" },
    })
    equal([plain.status, encoded.status], [402, 402])
    strictEqual(encoded.headers.get("content-encoding"), "br")
    for (const name of ["payment-required", "vary", "cache-control"]) {
      strictEqual(encoded.headers.get(name), plain.headers.get(name), name)
    }
    strictEqual(plain.headers.get("vary"), "Accept, Accept-Encoding")
    strictEqual(yield* decoded(encoded), yield* decoded(plain))
  }))

liveTest(
  "a long answer in gzip is delivered over a socket with its length",
  () =>
    Effect.gen(function* () {
      const text = "a line of text\n".repeat(1_000)
      const completed = Promise.withResolvers<void>()
      const handle = yield* toWebHandler(gzipped(Effect.succeed(HttpServerResponse.text(text))), {
        trustedProxyHops: 0,
        nextId: () => "request-1",
        onUntrustedForward: () => {},
        onAnswer: () => {},
      })
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
    }),
)
