/**
 * The status of every path and method in every state of the feed, always in the documented shape.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Ref, References } from "effect"
import { TestClock } from "effect/testing"
import { digestAgeMax } from "../../src/digest/domain/digest.ts"
import { freeRows } from "../../src/catalog/domain/freeRow.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { storedDigest } from "../support/digest/storedDigests.ts"
import { test } from "../support/effect.ts"
import { sized } from "../support/size.ts"
import {
  makeService,
  makeWorld,
  paymentFor,
  tickIntervalMs,
  type World,
} from "../support/http/httpService.ts"
import { faultOf } from "../support/http/shape.ts"

const free: ReadonlyArray<string> = Object.values(freeRows).map(({ path }) => path)
const documents = [
  ...["/", "/openapi.json", "/llms.txt", "/llms-full.txt", "/robots.txt", "/favicon.svg"],
  ...["/discovery", "/discovery/resources", "/.well-known/x402"],
  ...["/.well-known/api-catalog", "/.well-known/security.txt"],
]
const payment = `/v1/payments/0x${"5a".repeat(32)}`
const paid = Object.values(products).map((product) => product.path)
const allMethods = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]
const methods = sized({ short: ["GET", "OPTIONS", "POST"], full: allMethods })

const noon = Date.parse("2026-11-21T12:00:00.000Z")

/** Sets the last tick to `agoMs` before now. */
const lastTicked = (agoMs: number) => (world: World) =>
  Effect.andThen(Ref.set(world.lastTickAt, noon - agoMs), TestClock.adjust("1 second"))

/** The states of the feed. */
const states: Readonly<Record<string, (world: World) => Effect.Effect<void>>> = {
  live: () => Effect.void,
  empty: (world) => Ref.set(world.items, []),
  "never ticked": (world) =>
    Effect.andThen(Ref.set(world.items, []), Ref.set(world.lastTickAt, null)),
  stale: lastTicked(3 * tickIntervalMs),
  "too old to sell": lastTicked(7 * tickIntervalMs),
  "without a digest": (world) =>
    Effect.andThen(world.digests.prune(Infinity), TestClock.adjust("1 second")),
  "without a young digest": (world) =>
    Effect.andThen(
      world.digests.prune(Infinity),
      Effect.andThen(
        world.digests.add(storedDigest(noon - digestAgeMax - 1)),
        TestClock.adjust("1 second"),
      ),
    ),
  "without its store": (world) =>
    Effect.andThen(Ref.set(world.storeUp, false), TestClock.adjust("5 seconds")),
}

/** The status of a request without a payment, in a state. */
function expected(state: string, path: string, method: string): number {
  if (method === "OPTIONS") return 204
  const known = [...free, ...documents, ...paid, payment].includes(path)
  if (!known) return 404
  if (method !== "GET" && method !== "HEAD") return 405
  if (state === "without its store") return 503
  if (path === payment) return 404
  if (path === "/v1/digest/brief" && state === "without a digest") return 404
  if (path === freeRows.feed_proof.path && ["empty", "never ticked"].includes(state)) return 404
  return paid.some((of) => of === path) ? 402 : 200
}

for (const [state, enter] of Object.entries(states)) {
  test(`every path answers every method while the feed is ${state}`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const world = yield* makeWorld(30)
      const service = yield* makeService(world)
      yield* enter(world)
      let client = 0
      const none = ["//", "/v1", "/v1/index/", "/V1/INDEX", "/v1/payments"]
      for (const path of [...free, ...documents, ...paid, payment, ...none]) {
        for (const method of methods) {
          const headers = { "x-forwarded-for": `203.0.113.${client++ % 256}` }
          const response = yield* service.get(path, { method, headers })
          const row = `${method} ${path}`
          strictEqual(response.status, expected(state, path, method), row)
          strictEqual(yield* faultOf(path, method, response), null, row)
        }
      }
    }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
}

test("a misspelt path is 404 with the path that was meant", function* () {
  const { get } = yield* makeService(yield* makeWorld(3))
  const hintAt = Effect.fnUntraced(function* (path: string) {
    const response = yield* get(path as `/${string}`)
    strictEqual(response.status, 404, path)
    return (yield* Effect.promise(() => response.json())).error.hint
  })
  for (const path of [...free, ...paid]) {
    for (
      const wrong of [
        `${path}x?since=1`,
        `${path}/`,
        `${path.slice(0, 3)}${path.slice(4)}`,
        path.toUpperCase(),
      ]
    ) {
      match(yield* hintAt(wrong), new RegExp(`^Did you mean ${path}\\? /openapi.json`), wrong)
    }
  }
  match(
    yield* hintAt("/docs/quickstart/claude"),
    /^Did you mean \/docs\/quickstart\/claude\.md\?/,
  )
  for (
    const [wrong, meant] of [
      ["/latest", "/v1/latest"],
      ["/research?market=x", "/v1/research"],
      ["/reserch", "/v1/research"],
      ["/brief", "/v1/digest/brief"],
      ["/agent-card.json", "/.well-known/agent-card.json"],
      ["/v1/signal/5", "/v1/signal"],
      ["/v1/digest/history/24", "/v1/digest/history"],
      ["/v1/latest.json", "/v1/latest"],
      ["/docs/api", "/docs"],
    ] as const
  ) {
    ok((yield* hintAt(wrong)).startsWith(`Did you mean ${meant}? `), wrong)
  }
  for (const path of ["/x", "/v1/nothing", "/.env", `/${"v".repeat(2_000)}`]) {
    strictEqual(yield* hintAt(path), "/openapi.json lists every path of the API.", path)
  }
})

test("a path with a semicolon or an escaped letter is 404 at every door, and not charged", function* () {
  yield* TestClock.setTime(noon)
  const { get } = yield* makeService(yield* makeWorld(30))
  const others = ["/docs", "/markets", "/packages/none", "/a2a", "/mcp", "/api", payment]
  for (const path of [...free, ...documents, ...others, ...paid]) {
    const escaped = path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
    const isPrefixed = path === payment || path.startsWith("/packages/")
    for (
      const spelled of [
        ...isPrefixed ? [] : [`${path};`, `${path};count=2`, `${path};a=1?count=2`],
        ...escaped === path ? [] : [escaped, `${escaped}?count=2`],
      ]
    ) {
      const product = Object.values(products).find((one) => one.path === path) ?? products.signals
      const payments = { "payment-signature": yield* paymentFor(product) }
      for (const method of path === "/mcp" || path === "/a2a" ? ["POST"] : ["GET", "HEAD"]) {
        for (const headers of [{}, payments]) {
          const response = yield* get(spelled, { method, headers })
          strictEqual(response.status, 404, `${method} ${spelled}`)
          ok(!response.headers.has("payment-response"), spelled)
          if (method === "HEAD") continue
          const { error } = yield* Effect.promise(() => response.json())
          equal([error.code, error.charged], ["not_found", false], spelled)
        }
      }
    }
  }
})

test("a refused method is answered with the request to send instead", function* () {
  const { get } = yield* makeService(yield* makeWorld(3))
  for (
    const [method, path, instead] of [
      ["POST", "/v1/latest", "GET /v1/latest"],
      ["POST", "/v1/signals", "GET /v1/signals?since=1&count=10"],
      ["POST", "/v1/research", "GET /v1/research?market="],
      ["PUT", "/v1/outcomes", "GET /v1/outcomes"],
      ["POST", payment, "GET /v1/payments/{paymentId}"],
      ["POST", "/llms.txt", "GET /llms.txt"],
      ["DELETE", "/a2a", "POST /a2a"],
      ["GET", "/mcp", "POST /mcp"],
    ] as const
  ) {
    const response = yield* get(path as `/${string}`, { method })
    const { error } = yield* Effect.promise(() => response.json())
    equal(error.status, 405)
    ok(error.hint.startsWith(`Send ${instead}`), error.hint)
  }
})

const reads = "GET, HEAD, OPTIONS"
/** Path, and its methods. */
const allowed: ReadonlyArray<readonly [path: string, allow: string]> = [
  ["/v1/index", reads],
  ["/v1/research", reads],
  ["/openapi.json", reads],
  [payment, reads],
  ["/api/signals", reads],
  ["/a2a", `${reads}, POST`],
  ["/mcp", "OPTIONS, POST"],
]

for (const [path, allow] of allowed) {
  test(`${path} answers ${allow}, and lists them in Allow`, function* () {
    const { get } = yield* makeService(yield* makeWorld(3))
    for (const method of ["OPTIONS", "PATCH", "PROPFIND", "QUERY", "BREW"]) {
      const response = yield* get(path as `/${string}`, { method })
      strictEqual(response.status, method === "OPTIONS" ? 204 : 405)
      strictEqual(response.headers.get("allow"), allow, method)
    }
    for (const method of ["GET", "HEAD", "POST"]) {
      const { status } = yield* get(path as `/${string}`, { method })
      strictEqual(status !== 405, allow.includes(method), method)
    }
  })
}

test("/health returns down while the store, and with it the rate limit, is down", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const world = yield* makeWorld(3)
    const service = yield* makeService(world)
    const health = Effect.gen(function* () {
      const response = yield* service.get("/health")
      const body = yield* Effect.promise(() => response.json())
      return [response.status, body.success, body.status, body.checks?.store]
    })
    equal(yield* health, [200, true, "live", "ok"])
    yield* Ref.set(world.storeUp, false)
    equal(yield* health, [503, false, "down", "failing"])
    yield* Ref.set(world.storeUp, true)
    equal(yield* health, [200, true, "live", "ok"])
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))

test("/health, /v1/index and /v1/pulse return starting until the first tick", function* () {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(0)
  yield* Ref.set(world.lastTickAt, null)
  const service = yield* makeService(world)
  const body = (path: string) =>
    Effect.flatMap(service.get(path), (response) => Effect.promise(() => response.json()))
  for (const path of ["/v1/index", "/v1/pulse", "/health"]) {
    strictEqual((yield* body(path)).status, "starting", path)
  }
  const starting = yield* body("/health")
  equal([starting.checks.venue, starting.feed.stale], ["starting", false])
  yield* Ref.set(world.lastTickAt, noon)
  yield* service.refresh
  const { status, checks } = yield* body("/health")
  equal([status, checks.venue], ["live", "ok"])
})

test("a 400 quotes an invalid value only in its message, and details state the rule", function* () {
  yield* TestClock.setTime(noon)
  const service = yield* makeService(yield* makeWorld(1))
  const headers = { "x-payment": yield* paymentFor(products.signals) }
  const response = yield* service.get("/v1/signals?count=abc&since=1&since=2", { headers })
  const { error } = yield* Effect.promise(() => response.json())
  strictEqual(
    error.message,
    'since must be given at most once; count must be an integer from 1 to 20: got "abc"',
  )
  equal(error.details, [
    { param: "since", in: "query", message: "must be given at most once" },
    { param: "count", in: "query", message: "must be an integer from 1 to 20" },
  ])
})

/** Query of /v1/signals over items 1 to 30; charged, filters and indices of its answer. */
const pages: ReadonlyArray<readonly [string, boolean, unknown, ReadonlyArray<number>]> = [
  ["?count=3", true, { since: null, count: 3, type: "all" }, [28, 29, 30]],
  ["?since=5&count=2", true, { since: 5, count: 2, type: "all" }, [6, 7]],
  ["?since=29&type=mover", true, { since: 29, count: 10, type: "mover" }, [30]],
  ["?since=30", false, { since: 30, count: 10, type: "all" }, []],
  ["?since=999999999999999", false, { since: 999_999_999_999_999, count: 10, type: "all" }, []],
  ["?type=whale_entry", false, { since: null, count: 10, type: "whale_entry" }, []],
]

for (const [query, charged, filters, indices] of pages) {
  test(`/v1/signals${query} returns ${indices.length} items, ${charged ? "" : "not "}charged`, function* () {
    yield* TestClock.setTime(noon)
    const service = yield* makeService(yield* makeWorld(30))
    const headers = { "payment-signature": yield* paymentFor(products.signals) }
    const response = yield* service.get(`/v1/signals${query}`, { headers })
    const body = yield* Effect.promise(() => response.json())
    equal([body.charged, body.count, body.filters], [charged, indices.length, filters])
    equal(body.data.map((item: { feedIndex: number }) => item.feedIndex), indices)
    strictEqual(response.headers.has("payment-response"), charged)
    strictEqual(response.headers.get("cache-control"), "private, no-store")
  })
}

test("150 purchases from one address are 150 times 402 and 200", function* () {
  yield* TestClock.setTime(noon)
  const service = yield* makeService(yield* makeWorld(1))
  for (let n = 0; n < 150; n++) {
    strictEqual((yield* service.get("/v1/latest")).status, 402)
    const headers = { "payment-signature": yield* paymentFor(products.latest, n) }
    strictEqual((yield* service.get("/v1/latest", { headers })).status, 200)
  }
  const policy = (yield* service.get("/v1/latest")).headers.get("ratelimit-policy")
  strictEqual(policy, '"unpaid";q=3000;w=60')
})

test("an empty payment header is no payment: its 402 spends the budget of unpaid calls", function* () {
  yield* TestClock.setTime(noon)
  const service = yield* makeService(yield* makeWorld(1))
  for (const headers of [{ "payment-signature": "" }, { "x-payment": "" }]) {
    const response = yield* service.get("/v1/latest", { headers })
    strictEqual(response.status, 402)
    match(response.headers.get("ratelimit") ?? "", /^"unpaid";r=/)
  }
  const headers = { "payment-signature": "", "x-payment": yield* paymentFor(products.latest) }
  strictEqual((yield* service.get("/v1/latest", { headers })).status, 200)
})

test("X-Request-Id is the caller's when it is well formed, and a new one otherwise", function* () {
  const service = yield* makeService(yield* makeWorld(1))
  const idFor = (sent: string) =>
    Effect.map(
      service.get("/nowhere", { headers: { "x-request-id": sent } }),
      (response) => response.headers.get("x-request-id") ?? "",
    )
  for (const sent of ["abcDEF_-09", "x".repeat(64)]) strictEqual(yield* idFor(sent), sent)
  const generated = new Set<string>()
  for (const sent of ["", "short", "x".repeat(65), "has space", "semi;colon", "<script>"]) {
    const id = yield* idFor(sent)
    match(id, /^[A-Za-z0-9_-]{8,64}$/)
    ok(!generated.has(id) && id !== sent)
    generated.add(id)
  }
})

test("If-None-Match with the tag of an unchanged body is a 304, which spends budget too", function* () {
  const world = yield* makeWorld(3)
  const service = yield* makeService(world)
  const first = yield* service.get("/v1/index")
  const etag = first.headers.get("etag") ?? ""
  const second = yield* service.get("/v1/index", {
    headers: { "if-none-match": `"x", W/${etag}` },
  })
  strictEqual(second.status, 304)
  strictEqual(second.headers.get("etag"), etag)
  strictEqual(second.headers.get("ratelimit"), '"free";r=3;t=60')
  yield* Ref.set(world.items, [])
  yield* service.refresh
  const third = yield* service.get("/v1/index", { headers: { "if-none-match": etag } })
  strictEqual(third.status, 200)
})
