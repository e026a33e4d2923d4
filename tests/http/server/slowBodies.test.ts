/**
 * Request bodies that do not arrive: a client that never sends its body takes no capacity from
 * others.
 *
 * @module
 */
import { deepStrictEqual as equal, match, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { products } from "../../../src/catalog/domain/product.ts"
import { second } from "../../../src/core/domain/time.ts"
import {
  bodyTimeout,
  pendingBodiesMax,
  pendingBodiesPerClientMax,
  pendingBodiesPerSiteMax,
} from "../../../src/http/server/middleware.ts"
import { pendingMax } from "../../../src/http/server/middleware.ts"
import { layer, Served } from "../../../src/http/layer.ts"
import { eventLoopTurn, liveTest, test } from "../../support/effect.ts"
import {
  makeService,
  makeWorld,
  paymentFor,
  serviceOptions,
  servicesOver,
} from "../../support/http/httpService.ts"
import { currentRequest } from "../../support/http/mcp.ts"
import { startSeconds } from "../../support/payments/sales.ts"

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

test("a client may have few pending bodies, and its limit does not affect other clients", () =>
  Effect.gen(function* () {
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
  }))

test("a pending body is released when its client disconnects, and at its timeout", () =>
  Effect.gen(function* () {
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
  }))

test("an IPv6 /48 may have few pending bodies, for any number of addresses", () =>
  Effect.gen(function* () {
    const { stall, call } = yield* open
    const address = (n: number) => `2001:db8:1:${n.toString(16)}::1`
    for (let n = 0; n < pendingBodiesPerSiteMax; n++) stall(address(n))
    strictEqual((yield* call(address(999), "/mcp", list)).status, 429)
    strictEqual((yield* call("2001:db8:2::1", "/mcp", list)).status, 200)
  }))

test("pending bodies of all clients are bounded, and GET requests are still answered", () =>
  Effect.gen(function* () {
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
  }))

test("a client over the documents' budget has one body read at a time: it may be a payment", () =>
  Effect.gen(function* () {
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
  }))

liveTest(
  "hundreds of sockets that never send their body do not block the service",
  () =>
    Effect.gen(function* () {
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
    }),
)
