/**
 * The service on a real socket: bytes on the wire, clients that disconnect, and a shutdown that
 * waits.
 *
 * @module
 */
import { match, ok, strictEqual } from "node:assert/strict"
import { Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpServerResponse } from "effect/http"
import { layer, Served } from "../../../src/http/layer.ts"
import { listen, toWebHandler } from "../../../src/http/server/server.ts"
import { liveTest } from "../../support/effect.ts"
import { makeWorld, serviceOptions, servicesOver } from "../../support/http/httpService.ts"

const serving = Effect.gen(function* () {
  const world = yield* makeWorld(3)
  const served = yield* Layer.build(
    layer({ ...serviceOptions, hostname: "127.0.0.1", port: 0, drain: Duration.seconds(5) }).pipe(
      Layer.provide(servicesOver(world)),
    ),
  )
  return Context.get(served, Served).address.port
})

/** Sends text without changes and reads until the server closes the connection. */
const sendRaw = (port: number, text: string) =>
  Effect.promise(async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port })
    await connection.write(new TextEncoder().encode(text))
    let answer = ""
    const decoder = new TextDecoder()
    for await (const chunk of connection.readable) answer += decoder.decode(chunk)
    return answer
  })
const close = "Host: other.example\r\nConnection: close\r\n"

liveTest("HEAD returns the content-length of GET, and no body", function* () {
  const port = yield* serving
  const length = /content-length: (\d+)/
  for (const path of ["/terms.txt", "/v1/latest", "/nowhere", `/${"x".repeat(3_000)}`]) {
    const head = yield* sendRaw(port, `HEAD ${path} HTTP/1.1\r\n${close}\r\n`)
    const get = yield* sendRaw(port, `GET ${path} HTTP/1.1\r\n${close}\r\n`)
    strictEqual(length.exec(head)?.[1], length.exec(get)?.[1], path.slice(0, 20))
    ok(head.endsWith("\r\n\r\n"))
  }
})

liveTest(
  "an answer contains no host from the Host header or an absolute request target",
  function* () {
    const port = yield* serving
    for (const target of ["/v1/latest", "http://evil.example/v1/latest"]) {
      const answer = yield* sendRaw(port, `GET ${target} HTTP/1.1\r\n${close}\r\n`)
      match(answer, /^HTTP\/1\.1 402 /)
      ok(!answer.includes("evil.example") && !answer.includes("other.example"))
      ok(!atob(/payment-required: (\S+)/.exec(answer)?.[1] ?? "").includes("evil.example"))
    }
  },
)

liveTest("an invalid Host header is a 400, and never selects the route", function* () {
  const port = yield* serving
  const get = (target: string, host: string) =>
    sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  const hosts = ["x/v1/index?", "x/v1", "x?", "x#", "a@b", "x\\y", "x/v1/latest#", "/"]
  for (const host of hosts) {
    for (const target of ["/nope", "/index", "/v1/index"]) {
      const answer = yield* get(target, host)
      match(answer, /^HTTP\/1\.1 400 /, `${target} at ${host}`)
      match(answer, /"code":"invalid_parameter".*"param":"Host"/)
    }
  }
  for (
    const host of ["feed.example", "feed.example:8402", "[2001:db8::1]:80", "192.0.2.1", ""]
  ) {
    match(yield* get("/v1/sample", host), /^HTTP\/1\.1 (200|429) /, host)
    match(yield* get("/nope", host), /^HTTP\/1\.1 404 /, host)
  }
})

liveTest("unusual request lines get an answer, never a 5xx", function* () {
  const port = yield* serving
  const lines = [
    "GET //v1//index HTTP/1.1",
    "GET /../../etc/passwd HTTP/1.1",
    "GET /v1/index?a=%zz&&&=;# HTTP/1.1",
    "GET * HTTP/1.1",
    "OPTIONS * HTTP/1.1",
    "TRACE /v1/index HTTP/1.1",
    "BREW /v1/index HTTP/1.1",
    "CONNECT other.example:80 HTTP/1.1",
    `GET /${"x".repeat(5_000)} HTTP/1.1`,
  ]
  for (const line of lines) {
    match(yield* sendRaw(port, `${line}\r\n${close}\r\n`), /^HTTP\/1\.1 [234]\d\d /, line)
  }
})

liveTest("a shutdown waits for the request in flight, and accepts no other", function* () {
  const scope = yield* Scope.make()
  const entered = yield* Deferred.make<void>()
  const release = yield* Deferred.make<void>()
  const handle = yield* toWebHandler(
    Deferred.succeed(entered, undefined).pipe(
      Effect.andThen(Deferred.await(release)),
      Effect.as(HttpServerResponse.text("done")),
    ),
    0,
  )
  const { port } = yield* listen(
    { hostname: "127.0.0.1", port: 0, drain: Duration.seconds(10) },
    handle,
  ).pipe(Scope.provide(scope))
  const request = Effect.promise(() => fetch(`http://127.0.0.1:${port}/`).then((r) => r.text()))
  const inFlight = yield* Effect.forkScoped(request)
  yield* Deferred.await(entered)
  const closing = yield* Effect.forkScoped(Scope.close(scope, Exit.void))
  yield* Effect.yieldNow
  yield* Deferred.succeed(release, undefined)
  strictEqual(yield* Fiber.join(inFlight), "done")
  yield* Fiber.join(closing)
  strictEqual(
    (yield* Effect.exit(Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/`))))._tag,
    "Failure",
  )
})

liveTest("a client that disconnects interrupts its handler", function* () {
  const entered = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const handle = yield* toWebHandler(
    Deferred.succeed(entered, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
    ),
    0,
  )
  const { port } = yield* listen(
    { hostname: "127.0.0.1", port: 0, drain: Duration.seconds(1) },
    handle,
  )
  const connection = yield* Effect.promise(() => Deno.connect({ hostname: "127.0.0.1", port }))
  yield* Effect.promise(() =>
    connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
  )
  yield* Deferred.await(entered)
  connection.close()
  yield* Effect.timeout(Deferred.await(interrupted), "5 seconds")
})

liveTest("listen() fails with CannotListen when the port is in use", function* () {
  const port = yield* serving
  const failure = yield* Effect.flip(
    listen({ hostname: "127.0.0.1", port, drain: Duration.zero }, () => new Response()),
  )
  strictEqual(failure._tag, "CannotListen")
})
