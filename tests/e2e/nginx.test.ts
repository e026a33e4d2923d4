/**
 * The service behind the real nginx with `deploy/nginx.conf`: slow and idle connections are closed,
 * paid calls pass, and limits count the client's address.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Context, Duration, Effect, Layer, Schedule, Schema } from "effect"
import { products } from "../../src/catalog/domain/product.ts"
import { layer, Served } from "../../src/http/layer.ts"
import { ErrorBody } from "../../src/http/server/errors.ts"
import { receiptExtension } from "../../src/payments/domain/x402/offerReceipt.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { liveTest } from "../support/effect.ts"
import { type Change, hasNginx, startNginx } from "../support/nginx.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { makeWorld, paymentFor, serviceOptions, servicesOver } from "../support/http/httpService.ts"

const half = "GET /v1/index HTTP/1.1\r\nHost: x\r\n"
const connectionsMax = 100

/** Shorter than in production, so that the test is short. */
const timeouts: ReadonlyArray<Change> = [
  ["client_header_timeout 5s", "client_header_timeout 1s"],
  ["client_body_timeout 5s", "client_body_timeout 1s"],
  ["keepalive_timeout 15s", "keepalive_timeout 1s"],
]

/** A host name may have 253 characters, and the offer of a 402 has two of it. */
const publicBaseUrl = `https://${"a".repeat(63)}.${"b".repeat(63)}.example`
/** Longer than that of a request with the longest path and query. */
const longestReceipt = receiptExtension("s".repeat(4_500))

/** A service behind nginx: nginx's port, and how many answers were marked as delivered. */
const behindNginx = Effect.fn("behindNginx")(function* (changes: ReadonlyArray<Change> = timeouts) {
  const services = yield* Layer.build(servicesOver(yield* makeWorld(3)))
  const payments = Context.get(services, Payments)
  const state = { delivered: 0 }
  const counted = Context.add(services, Payments, {
    ...payments,
    sell: (purchase, work) =>
      Effect.map(
        payments.sell(purchase, work),
        (sold) =>
          sold.receipt === null
            ? sold
            : { ...sold, receipt: { ...sold.receipt, extensions: longestReceipt } },
      ),
    sent: () => Effect.sync(() => void state.delivered++),
  })
  const terms = { ...serviceOptions.terms, publicBaseUrl }
  const served = yield* Layer.build(
    layer({ ...serviceOptions, terms, hostname: "127.0.0.1", port: 0, drain: Duration.zero }).pipe(
      Layer.provide(Layer.succeedContext(counted)),
    ),
  )
  const { port, origin } = yield* startNginx(
    [Context.get(served, Served).address.port],
    changes,
  )
  const connect = Effect.promise(() => Deno.connect({ hostname: "127.0.0.1", port }))
  return { port, state, connect, origin }
})

const send = (socket: Deno.Conn, text: string) =>
  Effect.promise(() => socket.write(new TextEncoder().encode(text)))

/** Reads until the connection is closed. */
const untilClosed = (socket: Deno.Conn) =>
  Effect.promise(async () => {
    let text = ""
    try {
      for await (const chunk of socket.readable) text += new TextDecoder().decode(chunk)
    } catch {
      // A reset closes it, too.
    }
    return text
  })

const nginxTest = (name: string, body: Parameters<typeof liveTest>[1]) =>
  hasNginx ? liveTest(name, body) : registerSkipped(name, "apt-get install nginx-light")

nginxTest(
  "nginx closes connections without a whole head, without a body, and idle ones",
  function* () {
    const { connect } = yield* behindNginx()
    const closed = (text: string) =>
      Effect.gen(function* () {
        const socket = yield* connect
        if (text !== "") yield* send(socket, text)
        return yield* untilClosed(socket)
      })
    const post = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
      "Content-Length: 10\r\n\r\nabc"
    const answers = yield* Effect.timeout(
      Effect.all([
        closed(""),
        Effect.all(Array.from({ length: 20 }, () => closed(half)), { concurrency: "unbounded" }),
        closed(post),
        closed(`${half}\r\n`),
      ], { concurrency: "unbounded" }),
      "20 seconds",
    )
    const [silent, halves, body, idle] = answers
    equal([silent, ...new Set(halves), body], ["", "", ""])
    match(idle, /^HTTP\/1\.1 200 /)
  },
)

nginxTest("the longest 402 of each product passes through nginx", function* () {
  const { origin } = yield* behindNginx()
  for (const { path } of Object.values(products)) {
    const response = yield* Effect.promise(() => fetch(`${origin}${path}`))
    yield* Effect.promise(() => response.body?.cancel() ?? Promise.resolve())
    strictEqual(response.status, 402, path)
  }
})

nginxTest(
  "a paid call with the longest receipt passes through nginx, and is marked as delivered",
  function* () {
    const { origin, state } = yield* behindNginx()
    const response = yield* Effect.promise(async () =>
      await fetch(`${origin}/v1/latest`, {
        headers: { "payment-signature": await Effect.runPromise(paymentFor(products.latest)) },
      })
    )
    const { success } = yield* Effect.promise(() => response.json())
    equal([response.status, success], [200, true])
    ok(response.headers.has("payment-response"))
    yield* Effect.repeat(Effect.sync(() => state.delivered), {
      until: (delivered) => delivered === 1,
      schedule: Schedule.spaced("20 millis"),
    }).pipe(Effect.timeout("5 seconds"))
  },
)

nginxTest("limits behind nginx count the client's address, not one that it claims", function* () {
  const { origin, port } = yield* behindNginx()
  const status = (base: string, claimed: string) =>
    Effect.promise(async () => {
      const response = await fetch(`${base}/v1/index`, {
        headers: { "x-forwarded-for": claimed },
      })
      await response.body?.cancel()
      return response.status
    })
  for (let n = 0; n < 5; n++) strictEqual(yield* status(origin, `203.0.113.${n}`), 200)
  strictEqual(yield* status(origin, "203.0.113.9"), 429)
  strictEqual(yield* status(`http://[::1]:${port}`, "203.0.113.9"), 200)
})

nginxTest("an address over its connections gets the documented 429", function* () {
  // With the shipped time limits, so that no connection is closed before all of them are counted.
  const { connect, origin } = yield* behindNginx([])
  // A request counts as a connection of its address once its head has been read.
  const body = "POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
    "Content-Length: 10\r\n\r\n"
  const hold = Effect.acquireRelease(connect, (socket) => Effect.sync(() => socket.close())).pipe(
    Effect.tap((socket) => send(socket, body)),
  )
  yield* Effect.forEach(Array.from({ length: connectionsMax }), () => hold, { concurrency: 20 })
  const isOfNginx = ({ response }: { readonly response: Response }) =>
    response.headers.get("ratelimit-policy")?.includes("connections") ?? false
  const refused = yield* Effect.promise(async () => {
    const response = await fetch(`${origin}/v1/index`)
    return { response, json: await response.json() }
  }).pipe(
    // Until nginx has counted them all, the service answers, soon with a 429 of its own. Such an
    // answer may have taken the place of a held connection, which nginx then refused.
    Effect.tap((answer) => isOfNginx(answer) ? Effect.void : hold),
    Effect.repeat({ until: isOfNginx, schedule: Schedule.spaced("20 millis") }),
    Effect.timeout("5 seconds"),
  )
  equal([refused.response.status, refused.response.headers.get("retry-after")], [429, "1"])
  ok(Schema.is(ErrorBody)(refused.json), JSON.stringify(refused.json))
})
