/**
 * Random requests: served and unknown paths, hostile queries and headers, and payments that are
 * real, damaged or garbage.
 *
 * @module
 */
import { Clock, Effect, Random } from "effect"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import { second } from "../../../src/core/domain/time.ts"
import { buyer, sign } from "../payments/buyers.ts"
import { authorizationFor, headerOf, nonce, wirePayment } from "../payments/terms.ts"

const sold = Object.values(products).map((product) => product.path)
const namesOf: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.values(products).map(({ path, parameters }) => [path, parameters.map(({ name }) => name)]),
)
const paths = [
  ...sold,
  ...sold,
  "/v1/index",
  "/v1/pulse",
  "/v1/digest/brief",
  "/v1/sample",
  "/health",
  "/terms.txt",
  "/terms.json",
  ...["/openapi.json", "/llms.txt", "/llms-full.txt", "/discovery", "/discovery/resources"],
  ...["/.well-known/x402", "/.well-known/agent-card.json", "/.well-known/agent.json"],
  ...["/.well-known/family", "/.well-known/security.txt", "/.well-known/api-catalog"],
  ...["/robots.txt", "/favicon.svg", "/a2a", "/mcp", "/api", "/api/", "/api/signals"],
  ...["/api//evil.example", "/api/%0d%0aLocation:x", "/api/../v1/latest"],
  "/v1/payments/",
  `/v1/payments/0x${"5a".repeat(32)}`,
  `/v1/payments/0X${"5A".repeat(32)}`,
  "/v1/payments/%00",
  ...sold,
  "/",
  "//",
  "/v1/index/",
  "/v1/%69ndex",
  "/v1/../v1/index",
  "/v1/latest;x=1",
  "/%00",
  "/%zz",
  "/v1/signals%3Fsince=1",
  "/.env",
  `/${"a".repeat(2_100)}`,
  "/\u00e9\u4e2d\ud83d\ude00",
]
const methods = ["GET", "GET", "GET", "GET", "HEAD", "OPTIONS", "POST", "PUT", "DELETE", "PATCH"]
const names = [
  ...["since", "count", "type", "index", "x", "", "__proto__", "%", "since[]", "x402Version"],
  ...["withinHours", "minLiquidity", "includeNoise", "market", "hours", "limit"],
]
const values = [
  "",
  "0",
  "1",
  "20",
  "21",
  "-1",
  "1e9",
  "999999999999999",
  "9999999999999999",
  "mover",
  "market-1",
  "1000.5",
  "all",
  "null",
  "'; drop table feed_item; --",
  "<script>",
  "%",
  "%ff",
  "\u0661",
  "x".repeat(500),
]
const garbage = [
  "",
  "x",
  "e30=",
  "bnVsbA==",
  "W10=",
  "{}",
  "%%%",
  "A".repeat(9_000),
  btoa('{"x402Version":2,"payload":null}'),
  btoa('{"x402Version":1,"scheme":"exact","network":"base","payload":{}}'),
  btoa(`${"[".repeat(2_000)}`),
  btoa('{"x402Version":2,"payload":{"authorization":{"value":"1e400"},"signature":"0x"}}'),
]
const headerNames = [
  "if-none-match",
  "x-request-id",
  "accept",
  "idempotency-key",
  "range",
  "origin",
  "x-forwarded-host",
  "x-402-version",
]
const headerValues = [
  "*",
  '"',
  'W/"x", "y"',
  "abc",
  "x".repeat(300),
  "bytes=0-1",
  "\t",
  "1,2,3",
  "1",
]

const pick = <A>(from: ReadonlyArray<A>, otherwise: A) =>
  Effect.map(Random.nextIntBetween(0, from.length), (at) => from[at] ?? otherwise)
const chance = (probability: number) => Effect.map(Random.next, (drawn) => drawn < probability)

/** A payment that a real buyer signed now; each `n` gives another payment. */
const signedFor = Effect.fnUntraced(function* (product: Product, n: number) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / second)
  const account = buyer(n % 3)
  const authorization = authorizationFor(account, product, now, { nonce: nonce(n) })
  return headerOf(wirePayment(product, authorization, yield* sign(account, authorization)))
})

/** Parameters that this path knows, in half of the queries; a name it does not know is refused first. */
const anyQuery = Effect.fnUntraced(function* (own: ReadonlyArray<string>) {
  const drawnNames = (yield* chance(0.5)) && own.length > 0 ? own : names
  const count = yield* Random.nextIntBetween(0, 5)
  const parts: Array<string> = []
  for (let n = 0; n < count; n++) {
    parts.push(`${yield* pick(drawnNames, "x")}=${yield* pick(values, "")}`)
  }
  return parts.length === 0 ? "" : `?${parts.join("&")}`
})

/**
 * Headers that may present one of `payments`; in half of these, one of the requested product.
 */
const anyHeaders = Effect.fnUntraced(function* (
  payments: ReadonlyArray<string>,
  ofProduct: ReadonlyArray<string>,
) {
  const octet = () => Random.nextIntBetween(0, 256)
  const v4 = `10.${yield* octet()}.${yield* octet()}.${yield* octet()}`
  const v6 = `2001:db8:${(yield* octet()).toString(16)}:${(yield* octet()).toString(16)}::1`
  const headers = new Headers({
    "x-forwarded-for": yield* pick([v4, v4, v6, `${v4}, ${v6}`, "unknown", `[${v6}]:1`], v4),
  })
  if (yield* chance(0.5)) {
    headers.set(yield* pick(headerNames, "accept"), yield* pick(headerValues, "abc"))
  }
  if (yield* chance(0.5)) {
    const real = (yield* chance(0.5)) ? ofProduct : payments
    const drawn = yield* pick((yield* chance(0.3)) ? garbage : real, "")
    const payment = (yield* chance(0.5)) ? drawn : yield* damaged(drawn)
    headers.set((yield* chance(0.5)) ? "payment-signature" : "x-payment", payment)
  }
  return headers
})

/** Changes one character. */
const damaged = Effect.fnUntraced(function* (payment: string) {
  if (payment === "") return payment
  const at = yield* Random.nextIntBetween(0, payment.length)
  return payment.slice(0, at) + (yield* pick(["A", "=", "-", "z"], "A")) + payment.slice(at + 1)
})

export interface AnyRequest {
  readonly path: string
  readonly target: string
  readonly method: string
  readonly headers: Headers
}

/** Returns a drawer of requests, and the payments they present, which are signed first. */
export const requestDrawer = Effect.gen(function* () {
  const payments: Array<string> = []
  const ofPath = new Map<string, Array<string>>()
  for (const product of Object.values(products)) {
    const ofProduct: Array<string> = []
    for (let n = 0; n < 20; n++) ofProduct.push(yield* signedFor(product, n))
    ofPath.set(product.path, ofProduct)
    payments.push(...ofProduct)
  }
  const draw = Effect.gen(function* () {
    const path = yield* pick(paths, "/")
    const drawn: AnyRequest = {
      path,
      target: path + (yield* anyQuery(namesOf.get(path) ?? [])),
      method: yield* pick(methods, "GET"),
      headers: yield* anyHeaders(payments, ofPath.get(path) ?? payments),
    }
    return drawn
  })
  return { draw, payments }
})
