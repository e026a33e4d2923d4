/**
 * Other spellings of paid paths, as raw targets on a socket: encoded characters, double slashes,
 * case, dots, semicolons (as in GHSA-3j63-5h8p-gf7c). None returns a paid body without a payment.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, References } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { liveTest } from "../../support/effect.ts"
import { servedService } from "../../support/http/servedService.ts"

const paidPaths = Object.values(products).map(({ path }) => path)
const concurrency = 16

const hexOf = (char: string) => char.charCodeAt(0).toString(16).padStart(2, "0")

/** The path with one character replaced, at each place where `replace` gives a text. */
function* replacing(path: string, replace: (char: string) => string | null) {
  for (let at = 0; at < path.length; at++) {
    const text = replace(path.charAt(at))
    if (text !== null) yield path.slice(0, at) + text + path.slice(at + 1)
  }
}

const slash = (text: string) => (char: string) => char === "/" ? text : null

/** Every spelling of a path that some server or proxy reads as the path itself. */
function* spellingsOf(path: string): Generator<string> {
  const free = ["/v1/index", "/v1/payments", "/markets", "/api", "/docs/quickstart", "/docs"]
  yield* replacing(path, (char) => `%${hexOf(char)}`)
  yield* replacing(path, (char) => `%${hexOf(char).toUpperCase()}`)
  yield* replacing(path, (char) => `%25${hexOf(char)}`)
  yield* replacing(path, (char) => `%u00${hexOf(char)}`)
  yield* replacing(path, (char) => char === char.toUpperCase() ? null : char.toUpperCase())
  for (const text of ["//", "///", "/./", "/%2e/", "/;/", "/;x=1/", "\\", "/\\", "%5c", "%5C"]) {
    yield* replacing(path, slash(text))
  }
  for (const text of ["%c0%af", "%e0%80%af", "%ef%bc%8f", "%252f", "/x/../", "/x/%2e%2e/"]) {
    yield* replacing(path, slash(text))
  }
  for (const end of ["/", "//", ".", "/.", "/..", "..", ";", ";x=1", ";/", "%00", "%20", "%09"]) {
    yield path + end
  }
  for (const end of ["%0a", "%0d%0a", "%23", "#", "#x", "%3f", "?", "?/", ".json", "~", "*", "+"]) {
    yield path + end
  }
  for (const start of free) {
    for (const up of ["/..", "/%2e%2e", "/.%2E", "/..;", "/..%2f..", "/%2e%2e%2f"]) {
      yield start + up.repeat(start.split("/").length - 1) + path
    }
    yield start + path
  }
  yield `http://127.0.0.1${path}`
  yield `https://example.org${path}`
  yield `//example.org${path}`
  yield path.toUpperCase()
  yield encodeURIComponent(path)
  yield `/${encodeURIComponent(path)}`
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends one GET with this exact target. A connection that is closed at once counts as 400. */
async function get(port: number, target: string, headers: string): Promise<Answer> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port })
  try {
    const head = `GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n${headers}\r\n`
    await connection.write(new TextEncoder().encode(head))
    const text = await new Response(connection.readable).text()
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 400)
    return { status, body: text.slice(text.indexOf("\r\n\r\n") + 4) }
  } catch (error) {
    return { status: 400, body: String(error) }
  }
}

/** No payment at all, and headers that only look like one. */
const unpaidHeaders = ["", "payment-signature:\r\n", "x-payment:  \r\npayment-signature: \r\n"]
const unpaid = new Set([301, 308, 400, 402, 404, 414])

liveTest(
  "no spelling of a paid path returns its body without a payment",
  () =>
    Effect.gen(function* () {
      const port = Number(new URL(yield* servedService).port)
      const targets = paidPaths.flatMap((path) => [path, ...spellingsOf(path)])
      ok(targets.length > 1_000)
      let challenges = 0
      const check = Effect.fnUntraced(function* (target: string, at: number) {
        const headers = unpaidHeaders[at % unpaidHeaders.length] ?? ""
        const { status, body } = yield* Effect.promise(() => get(port, target, headers))
        if (status === 402) challenges += 1
        ok(unpaid.has(status), `${target} is ${status}: ${body.slice(0, 200)}`)
        equal(body.includes('"success":true'), false, target)
      })
      const numbered = targets.map((target, at) => [target, at] as const)
      yield* Effect.forEach(numbered, (each) => check(...each), { concurrency, discard: true })
      ok(challenges > paidPaths.length, "some spellings are the path itself, and get its 402")
    }).pipe(
      // 404 is the expected answer, so it is not printed.
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.scoped,
    ),
)
