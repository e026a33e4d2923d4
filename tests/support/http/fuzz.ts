/**
 * Random requests: served and unknown paths, hostile queries and headers, payments that are real,
 * damaged or garbage; and valid calls of /a2a and /mcp with random damage.
 *
 * @module
 */
import { Effect, Random } from "effect"
import { products } from "../../../src/catalog/domain/product.ts"
import { nonce } from "../payments/terms.ts"
import { signedFor } from "./signed.ts"

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
    for (let n = 0; n < 20; n++) {
      ofProduct.push((yield* signedFor(product, { n: n % 3, nonce: nonce(n) })).header)
    }
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

type Json = null | boolean | number | string | ReadonlyArray<Json> | {
  readonly [key: string]: Json
}

const id = "3f2f1c52-7a1c-4b53-9f0e-0d7d2a6f9b11"
const message = (parts: Json, more: { readonly [key: string]: Json } = {}): Json => ({
  message: { kind: "message", role: "user", messageId: id, parts, ...more },
})
const skillCall = (skill: string, params: Json = {}): Json =>
  message([{ kind: "data", data: { skill, params } }])
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
}
const client = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "f", version: "1" },
}

/** Valid calls. */
const calls: ReadonlyArray<readonly [method: string, params: Json]> = [
  ["message/send", skillCall("get_index")],
  ["message/send", skillCall("get_signals", { since: 1, count: 2 })],
  ["message/send", skillCall("get_research", { market: "market-1" })],
  ["message/send", message([{ kind: "text", text: "get_pulse" }])],
  ["message/send", message([{ kind: "text", text: "what do you sell?" }])],
  [
    "message/send",
    message([{ kind: "text", text: "here" }], {
      taskId: id,
      metadata: { "x402.payment.status": "payment-submitted", "x402.payment.payload": {} },
    }),
  ],
  ["message/stream", skillCall("get_index")],
  ["tasks/get", { id, historyLength: 3 }],
  ["tasks/cancel", { id }],
  ["tasks/resubscribe", { id }],
  ["tasks/pushNotificationConfig/set", { taskId: id, pushNotificationConfig: { url: "http://x" } }],
  ["agent/getAuthenticatedExtendedCard", {}],
  ["initialize", client],
  ["notifications/initialized", {}],
  ["ping", {}],
  ["server/discover", { _meta: meta }],
  ["tools/list", { _meta: meta }],
  ["tools/list", { cursor: "x" }],
  ["tools/call", { name: "get_index", arguments: {}, _meta: meta }],
  ["tools/call", { name: "get_signals", arguments: { since: 1 }, _meta: meta }],
  ["tools/call", { name: "get_latest", arguments: {}, _meta: { "x402/payment": {} } }],
  ["resources/list", {}],
  ["logging/setLevel", { level: "debug" }],
]

/** Values that replace a valid one. */
const replacements: ReadonlyArray<Json> = [
  ...[null, true, false, 0, -1, 1.5, 1e308, 9_007_199_254_740_993, "", " ", "0", "__proto__"],
  ...[[], {}, [[]], [null], { "": "" }, { __proto__: 1 }, { constructor: { prototype: 1 } }],
  ...[
    "\u0000",
    "\ud800",
    "\u202e",
    "x".repeat(5_000),
    "';drop table payment;--",
    "%s%n",
    "../../etc",
  ],
  Array.from({ length: 400 }, () => 0),
  nested(200),
]

const ids: ReadonlyArray<Json> = [1, "a", null, 0, -1, 1.5, "x".repeat(600), {}, [], true]

function nested(depth: number): Json {
  let value: Json = {}
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value }
  return value
}

/** The value with one part at a random depth replaced, removed or added. */
const damagedJson = Effect.fnUntraced(function* (value: Json): Effect.fn.Return<Json> {
  if (value === null || typeof value !== "object" || (yield* chance(0.15))) {
    return yield* pick(replacements, null)
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return yield* pick(replacements, null)
  const at = yield* Random.nextIntBetween(0, entries.length)
  const [key, inner] = entries[at] ?? ["x", null]
  const kind = yield* Random.nextIntBetween(0, 6)
  const changed: ReadonlyArray<readonly [string, Json]> = kind === 0
    ? entries.filter((_, n) => n !== at)
    : kind === 1
    ? [...entries, ["extra", yield* pick(replacements, null)]]
    : entries.map((entry, n) => n === at ? [key, null] : entry)
  if (kind > 1) {
    const deeper = yield* damagedJson(inner)
    entries[at] = [key, deeper]
    return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
  }
  return Array.isArray(value) ? changed.map(([, item]) => item) : Object.fromEntries(changed)
})

/** The text with up to three characters removed at one place, and a fragment inserted. */
const damagedText = Effect.fnUntraced(function* (text: string) {
  const at = yield* Random.nextIntBetween(0, text.length + 1)
  const rest = text.slice(at + (yield* Random.nextIntBetween(0, 4)))
  return text.slice(0, at) +
    (yield* pick(["", '"', "{", "[", ",", "\\u", "\u0001", "1e", "é"], "")) + rest
})

export interface RpcCall {
  readonly path: "/a2a" | "/mcp"
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

const utf8 = new TextEncoder()
const types = [
  ...[
    "application/json",
    "application/json",
    "application/json",
    "application/json; charset=utf-8",
  ],
  ...["text/plain", "", "multipart/form-data; boundary=x", "application/json-rpc"],
]
const accepts = ["application/json, text/event-stream", "application/json", "*/*", "text/html", ""]
const versions = ["2026-07-28", "2025-11-25", "2025-03-26", "1900-01-01", "x", ""]

/** A random call; `payments` are payloads that a buyer really signed. */
export const anyRpcCall = Effect.fnUntraced(function* (payments: ReadonlyArray<Json>) {
  const path = yield* pick(["/a2a", "/mcp"] as const, "/a2a")
  const [method, params] = yield* pick(calls, ["ping", {}])
  let call: Json = {
    jsonrpc: "2.0",
    id: yield* pick(ids, 1),
    method,
    params: yield* withPayment(params, payments),
  }
  for (let n = yield* Random.nextIntBetween(0, 3); n > 0; n--) call = yield* damagedJson(call)
  if (yield* chance(0.05)) call = Array.from({ length: 30 }, () => call)
  let text = JSON.stringify(call)
  if (yield* chance(0.15)) text = yield* damagedText(text)
  if (yield* chance(0.02)) text += " ".repeat(70_000)
  const bytes = utf8.encode(text)
  if (yield* chance(0.03)) bytes.fill(0xff, 0, yield* Random.nextIntBetween(0, 20))
  const headers: Record<string, string> = {
    "content-type": yield* pick(types, "application/json"),
    accept: yield* pick(accepts, "*/*"),
  }
  if (yield* chance(0.5)) headers["mcp-protocol-version"] = yield* pick(versions, "")
  if (yield* chance(0.3)) headers["mcp-method"] = yield* pick([method, "x", "tools/call"], method)
  if (yield* chance(0.2)) {
    headers["mcp-name"] = yield* pick(["get_index", "x", "=?base64?eA==?="], "x")
  }
  if (yield* chance(0.2)) headers["a2a-version"] = yield* pick(["0.3", "0.3.0", "1.0", "x", ""], "")
  if (yield* chance(0.2)) {
    headers["origin"] = yield* pick(["null", "http://evil.example", "x", "http://127.0.0.1"], "x")
  }
  if (yield* chance(0.2)) headers["mcp-session-id"] = yield* pick(["x", "a".repeat(400)], "x")
  const drawn: RpcCall = { path, headers, body: bytes }
  return drawn
})

/** In half of the calls, a real payment in place of the empty one. */
const withPayment = Effect.fnUntraced(function* (params: Json, payments: ReadonlyArray<Json>) {
  if (payments.length === 0 || (yield* chance(0.5))) return params
  const payment = yield* pick(payments, null)
  return JSON.parse(
    JSON.stringify(
      params,
      (key, value) => key === "x402.payment.payload" || key === "x402/payment" ? payment : value,
    ),
  ) as Json
})
