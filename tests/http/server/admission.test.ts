/**
 * Requests of many clients at once, over the whole app: the places, bodies that do not arrive, file
 * descriptors, and when an answer is delivered.
 *
 * @module
 */
import {
  Arbitrary,
  Cause,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  type Fiber,
  Layer,
  Option,
  Schema,
} from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { products } from "../../../src/catalog/domain/product.ts"
import { second } from "../../../src/core/domain/time.ts"
import { makePartedPlaces } from "../../../src/core/places.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import { layer, Served } from "../../../src/http/layer.ts"
import { clientOf } from "../../../src/http/server/server.ts"
import {
  bodyTimeout,
  pendingBodiesMax,
  pendingBodiesPerClientMax,
  pendingBodiesPerSiteMax,
  pendingMax,
  pendingPerClientMax,
} from "../../../src/http/server/route.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { eventLoopTurn, law, liveTest, test } from "../../support/effect.ts"
import {
  acceptingPayments,
  makeService,
  makeWorld,
  paymentFor,
  serviceOptions,
  servicesOver,
} from "../../support/http/httpService.ts"
import { currentRequest } from "../../support/http/mcp.ts"
import { faultOf } from "../../support/http/shape.ts"
import { startSeconds } from "../../support/payments/sales.ts"

const peer = (hostname: string) => ({
  remoteAddr: { transport: "tcp", hostname, port: 1 } satisfies Deno.NetAddr,
})
/** The n-th of many clients. */
const client = (n: number) => peer(`10.0.${n >> 8}.${n & 255}`)
const url = `http://any.host${products.latest.path}`

/** The service over payments of which some functions are replaced. */
const serviceWith = Effect.fnUntraced(function* (replaced: Partial<Payments["Service"]>) {
  yield* TestClock.setTime(startSeconds * second)
  const payments = Context.get(yield* Layer.build(acceptingPayments), Payments)
  return yield* makeService(
    yield* makeWorld(3),
    Layer.succeed(Payments, { ...payments, ...replaced }),
  )
})

test("a payment or a post above the pending limit gets charged null, and is not handled", function* () {
  let handled = 0
  const { handle } = yield* serviceWith({
    sell: () => Effect.andThen(Effect.sync(() => handled++), Effect.never),
  })
  const headers = { "payment-signature": yield* paymentFor(products.latest) }
  for (let n = 0; n < pendingMax; n++) void handle(new Request(url, { headers }), client(n))
  yield* eventLoopTurn
  equal(handled, pendingMax)
  const get = new Request(url, { headers })
  const post = new Request("http://any.host/mcp", { method: "POST", body: "{}" })
  for (const request of [get, post]) {
    const response = yield* Effect.promise(async () => await handle(request, peer("127.0.0.1")))
    const { error } = yield* Effect.promise(() => response.json())
    const { code, charged } = error.data ?? error
    equal([response.status, code, charged], [503, "overloaded", null])
  }
  equal(handled, pendingMax)
})

for (const isGone of [false, true]) {
  test(
    isGone
      ? "an answer does not count as delivered when its client has disconnected"
      : "an answer counts as delivered when it has been sent, not before",
    () =>
      Effect.gen(function* () {
        const events: Array<string> = []
        const delivered = yield* Deferred.make<void>()
        const { handle } = yield* serviceWith({
          sent: () =>
            Effect.andThen(
              Effect.sync(() => events.push("delivered")),
              Deferred.succeed(delivered, undefined),
            ),
        })
        const headers = { "payment-signature": yield* paymentFor(products.latest) }
        const client = new AbortController()
        const sent = Promise.withResolvers<void>()
        const request = new Request(url, { headers, signal: client.signal })
        const response = yield* Effect.promise(async () =>
          await handle(request, { ...peer("127.0.0.1"), completed: sent.promise })
        )
        strictEqual(response.status, 200)
        yield* eventLoopTurn
        events.push("answered")
        if (isGone) client.abort()
        sent.resolve()
        if (!isGone) yield* Deferred.await(delivered)
        yield* eventLoopTurn
        equal(events, isGone ? ["answered"] : ["answered", "delivered"])
      }),
  )
}

const max = { total: 12, perClient: 3, perSite: 5 }

/** Requests that arrive, from one of 12 clients of 3 sites, and whether an earlier one ends first. */
const arrivals = Arbitrary.schema(
  Schema.Array(
    Schema.Struct({
      site: Schema.Literals([1, 2, 3]),
      client: Schema.Literals([1, 2, 3, 4]),
      ends: Schema.Boolean,
    }),
  ),
)

law(
  "a client, a /48 and all clients together have at most their number waiting",
  arrivals,
  (requests) => {
    const places = makePartedPlaces(max)
    type Request = { client: string; site: string | null; fiber: Fiber.Fiber<never, string> }
    const waiting: Array<Request> = []
    return requests.every(({ site, client, ends }) => {
      if (ends) waiting.shift()?.fiber.interruptUnsafe()
      const address = `2001:db8:${site}:${client}::1`
      const keys = clientOf(address)
      const of = (key: "client" | "site") => waiting.filter((one) => one[key] === keys[key]).length
      const expected = of("client") >= max.perClient || of("site") >= max.perSite
        ? "client"
        : waiting.length >= max.total
        ? "total"
        : null
      const fiber = Effect.runFork(places.run(keys, "client", "total")(Effect.never))
      const ended = fiber.pollUnsafe()
      const refused = ended === undefined || Exit.isSuccess(ended)
        ? null
        : Option.getOrNull(Cause.findErrorOption(ended.cause))
      if (expected === null) waiting.push({ ...keys, fiber })
      return refused === expected && places.running() === waiting.length
    })
  },
)

liveTest(
  "a client with thousands of waiting paid calls does not affect other clients",
  function* () {
    const services = yield* Layer.build(servicesOver(yield* makeWorld(3)))
    const sent = pendingMax + 500
    const arrived = Promise.withResolvers<void>()
    let waiting = 0
    const answers: Array<string> = []
    const count = () => waiting + answers.length === sent && arrived.resolve()
    // A call of /v1/latest waits for ever; one of /v1/signals is answered.
    const blocked = Context.add(services, Feed, {
      ...Context.get(services, Feed),
      latest: Effect.andThen(Effect.sync(() => (waiting++, count())), Effect.never),
    })
    const served = yield* Layer.build(
      layer({ ...serviceOptions, hostname: "127.0.0.1", port: 0, drain: Duration.zero }).pipe(
        Layer.provide(Layer.succeedContext(blocked)),
      ),
    )
    const base = `http://127.0.0.1:${Context.get(served, Served).address.port}`
    const payment = yield* paymentFor(products.latest)
    const client = yield* Effect.acquireRelease(
      Effect.sync(() => Deno.createHttpClient({ poolMaxIdlePerHost: 0 })),
      (client) => Effect.sync(() => client.close()),
    )
    const abort = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (abort) => Effect.sync(() => abort.abort()),
    )
    for (let n = 0; n < sent; n++) {
      fetch(`${base}/v1/latest`, {
        headers: { "payment-signature": payment, "x-forwarded-for": "192.0.2.66" },
        signal: abort.signal,
        client,
      }).then(async (response) => {
        const { error } = await response.clone().json()
        const fault = await Effect.runPromise(faultOf("/v1/latest", "GET", response))
        await response.body?.cancel()
        const retryAfter = response.headers.get("retry-after")
        answers.push(`${response.status} ${error.code} ${error.charged} ${retryAfter} ${fault}`)
        count()
      }, () => {})
    }
    yield* Effect.promise(() => arrived.promise)
    strictEqual(waiting, pendingPerClientMax)
    equal([...new Set(answers)], ["429 rate_limited null 1 null"])
    const call = (address: string, path: string, headers: Record<string, string> = {}) =>
      Effect.promise(async () => {
        const response = await fetch(base + path, {
          headers: { ...headers, "x-forwarded-for": address },
        })
        await response.body?.cancel()
        return response.status
      })
    const signals = { "payment-signature": yield* paymentFor(products.signals, 1) }
    strictEqual(yield* call("192.0.2.77", "/v1/signals", signals), 200)
    strictEqual(yield* call("192.0.2.77", "/v1/index"), 200)
    strictEqual(yield* call("192.0.2.66", "/v1/signals", signals), 429)
  },
)

const attacker = "192.0.2.66"
const posted = { method: "POST", headers: { "content-type": "application/json" } } as const

/** A service, a way to send posts whose body never arrives, and the statuses of their answers. */
const open = Effect.gen(function* () {
  yield* TestClock.setTime(startSeconds * second)
  const service = yield* makeService(yield* makeWorld(3))
  const from = (hostname: string) => ({
    remoteAddr: { transport: "tcp", hostname, port: 1 } satisfies Deno.NetAddr,
  })
  const statuses: Array<number> = []
  const stall = (address: string, path = "/mcp") => {
    const disconnect = new AbortController()
    const init = { ...posted, body: new ReadableStream(), signal: disconnect.signal }
    const request = new Request(`http://any.host${path}`, init)
    Promise.resolve(service.handle(request, from(address))).then(({ status }) =>
      statuses.push(status)
    )
    return disconnect
  }
  const call = (address: string, path: string, init: RequestInit = {}) =>
    Effect.promise(async () => {
      const response = await service.handle(
        new Request(`http://any.host${path}`, init),
        from(address),
      )
      const { status, headers } = response
      return { status, headers, body: await response.json() }
    })
  return { stall, call, statuses }
})

const list = currentRequest("tools/list")

test("a client may have few pending bodies, and its limit does not affect other clients", function* () {
  const { stall, call, statuses } = yield* open
  for (let n = 0; n < pendingBodiesPerClientMax; n++) {
    stall(attacker, n % 2 === 0 ? "/mcp" : "/a2a")
  }
  for (const path of ["/mcp", "/a2a"]) {
    const { status, headers, body } = yield* call(attacker, path, list)
    const { code, charged, retryAfterSeconds } = body.error.data
    equal([status, body.id, body.error.code, code], [429, null, -32000, "rate_limited"])
    equal([charged, retryAfterSeconds], [null, 3], "it may be a repeated payment")
    equal(headers.get("retry-after"), "3")
  }
  equal([(yield* call("192.0.2.77", "/mcp", list)).status, statuses], [200, []])
})

test("a pending body is released when its client disconnects, and at its timeout", function* () {
  const { stall, call, statuses } = yield* open
  const calls = Array.from({ length: pendingBodiesPerClientMax }, () => stall(attacker))
  strictEqual((yield* call(attacker, "/mcp", list)).status, 429)
  calls[0]?.abort()
  yield* eventLoopTurn
  strictEqual((yield* call(attacker, "/mcp", list)).status, 200)
  stall(attacker)
  strictEqual((yield* call(attacker, "/mcp", list)).status, 429)
  yield* TestClock.adjust(Duration.subtract(bodyTimeout, Duration.millis(1)))
  yield* eventLoopTurn
  strictEqual(statuses.filter((status) => status === 408).length, 0)
  yield* TestClock.adjust("1 milli")
  yield* eventLoopTurn
  strictEqual(statuses.filter((status) => status === 408).length, pendingBodiesPerClientMax)
  for (let n = 0; n < pendingBodiesPerClientMax; n++) stall(attacker)
  yield* eventLoopTurn
  strictEqual((yield* call(attacker, "/mcp", list)).status, 429)
})

test("an IPv6 /48 may have few pending bodies, for any number of addresses", function* () {
  const { stall, call } = yield* open
  const address = (n: number) => `2001:db8:1:${n.toString(16)}::1`
  for (let n = 0; n < pendingBodiesPerSiteMax; n++) stall(address(n))
  strictEqual((yield* call(address(999), "/mcp", list)).status, 429)
  strictEqual((yield* call("2001:db8:2::1", "/mcp", list)).status, 200)
})

test("pending bodies of all clients are bounded, and GET requests are still answered", function* () {
  const { stall, call, statuses } = yield* open
  const address = (n: number) => `10.1.${n >> 8}.${n & 255}`
  for (let n = 0; n < pendingMax + 50; n++) stall(address(n))
  yield* eventLoopTurn
  equal([statuses.length, new Set(statuses)], [
    pendingMax + 50 - pendingBodiesMax,
    new Set([503]),
  ])
  const { status, body } = yield* call("192.0.2.77", "/mcp", list)
  equal([status, body.error.code, body.error.data.charged], [503, -32000, null])
  strictEqual((yield* call("192.0.2.77", "/v1/index")).status, 200)
  const headers = { "payment-signature": yield* paymentFor(products.latest) }
  strictEqual((yield* call("192.0.2.77", "/v1/latest", { headers })).status, 200)
})

test("a client over the documents' budget has one body read at a time: it may be a payment", function* () {
  const { stall, call } = yield* open
  const unknown = currentRequest("prompts/frobnicate")
  for (let n = 0; n < 120; n++) strictEqual((yield* call(attacker, "/mcp", unknown)).status, 404)
  strictEqual((yield* call(attacker, "/mcp", unknown)).status, 429)
  const free = currentRequest("tools/call", { name: "get_index" })
  strictEqual((yield* call(attacker, "/mcp", free)).status, 200)
  const stalled = stall(attacker)
  const { status, headers, body } = yield* call(attacker, "/mcp", free)
  equal([status, body.error.code, body.error.data.charged], [429, -32000, null])
  match(headers.get("ratelimit") ?? "", /^"documents";r=0;t=60$/)
  stalled.abort()
  yield* eventLoopTurn
  strictEqual((yield* call(attacker, "/mcp", free)).status, 200)
})

liveTest("hundreds of sockets that never send their body do not block the service", function* () {
  const sockets = 300
  const served = yield* Layer.build(
    layer({ ...serviceOptions, hostname: "127.0.0.1", port: 0, drain: Duration.zero }).pipe(
      Layer.provide(servicesOver(yield* makeWorld(3))),
    ),
  )
  const { port } = Context.get(served, Served).address
  const head = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
    "Content-Length: 10\r\n\r\n"
  const refused = Promise.withResolvers<void>()
  let left = sockets - pendingBodiesPerClientMax
  const stall = async () => {
    const socket = await Deno.connect({ hostname: "127.0.0.1", port })
    await socket.write(new TextEncoder().encode(head))
    const answer = new Uint8Array(12)
    socket.read(answer).then((read) => {
      const status = new TextDecoder().decode(answer).slice(-3)
      if (read !== null && status !== "429") refused.reject(new Error(`answered ${status}`))
      if (read !== null && --left === 0) refused.resolve()
    }, () => {})
    return socket
  }
  yield* Effect.forEach(
    Array.from({ length: sockets }),
    () =>
      Effect.acquireRelease(
        Effect.promise(stall),
        (socket) => Effect.sync(() => socket.close()),
      ),
    { discard: true },
  )
  yield* Effect.promise(() => refused.promise)
  const statusOf = (path: string, headers: Record<string, string> = {}) =>
    Effect.promise(async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
      await response.body?.cancel()
      return response.status
    })
  strictEqual(yield* statusOf("/v1/index"), 200)
  const payment = yield* paymentFor(products.latest)
  strictEqual(yield* statusOf("/v1/latest", { "payment-signature": payment }), 200)
})
