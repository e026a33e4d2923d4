/**
 * The app on Deno's own HTTP server.
 *
 * Unlike Effect's generic web handler the adapter keeps the peer's address, copies no headers, answers
 * in the same turn of the event loop where nothing waits, and reads `request.signal` only while a
 * handler is pending, because reading it slows every answer.
 *
 * @module
 */
import {
  Context,
  Duration,
  Effect,
  Exit,
  type Fiber,
  Metric,
  Option,
  Schedule,
  type Scope,
} from "effect"
import { HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import { type CannotListen, serveAt } from "../../core/listening.ts"
import type { HeaderPair } from "./answer.ts"
import { CurrentInbound, type Inbound, makeInbound, type Peer } from "./inbound.ts"
import { clientAddress } from "./limits.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A function of web requests. It never throws and never rejects. */
export type WebHandler = (
  request: Request,
  peer: Peer,
) => globalThis.Response | Promise<globalThis.Response>

interface WebOptions {
  /** How many proxies in front append to X-Forwarded-For. */
  readonly trustedProxyHops: number
  /** A fresh request id. */
  readonly nextId: () => string
  /** Called for a request with X-Forwarded-For while no proxy is trusted. */
  readonly onUntrustedForward: () => void
  /** Called for every answer. */
  readonly onAnswer: (status: number, inbound: Inbound) => void
}

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** Runs `app` once per web request, in its own fiber. */
export const toWebHandler = (
  app: Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope>,
  options: WebOptions,
): Effect.Effect<WebHandler> =>
  Effect.contextWith((services: Context.Context<never>) => {
    const scoped = Effect.scoped(app)
    const base = Context.makeUnsafe<never>(new Map(services.mapUnsafe))
    const handle: WebHandler = (request, peer) => {
      const sentId = request.headers.get("x-request-id")
      const requestId = sentId !== null && requestIdPattern.test(sentId) ? sentId : options.nextId()
      const incoming = HttpServerRequest.fromWeb(request).modify({
        remoteAddress: Option.some(addressIn(request, peer, options)),
      })
      const inbound = makeInbound(requestId, peer.completed)
      const fiber = Effect.runForkWith(
        base.pipe(
          Context.add(HttpServerRequest.HttpServerRequest, incoming),
          Context.add(CurrentInbound, inbound),
        ),
      )(scoped)
      const answer = (exit: Exit.Exit<Response>) => {
        const response = toWeb(exit, request, inbound)
        options.onAnswer(response.status, inbound)
        return response
      }
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return answer(exit)
      abortWith(request.signal, fiber)
      return new Promise((resolve) => fiber.addObserver((exit) => resolve(answer(exit))))
    }
    return Effect.succeed(handle)
  })

function addressIn(request: Request, { remoteAddr }: Peer, options: WebOptions): string {
  const peer = "hostname" in remoteAddr ? remoteAddr.hostname : "local"
  const forwarded = request.headers.get("x-forwarded-for")
  if (options.trustedProxyHops > 0) {
    return clientAddress(peer, forwarded, options.trustedProxyHops)
  }
  if (forwarded !== null) options.onUntrustedForward()
  return peer
}

/** The headers of every answer, whatever its status. */
const commonHeaders: ReadonlyArray<HeaderPair> = [
  ["access-control-allow-origin", "*"],
  [
    "access-control-expose-headers",
    "PAYMENT-REQUIRED, PAYMENT-RESPONSE, X-PAYMENT-RESPONSE, Retry-After, RateLimit, " +
    "RateLimit-Policy, X-Request-Id, ETag, Link, X-A2A-Extensions, Payment-Transaction, Refund-Id",
  ],
  ["x-content-type-options", "nosniff"],
]

/**
 * A web response. Headers are appended one by one because that is faster: passing them to the
 * constructor takes 2.5 microseconds more per answer.
 */
function toWeb(
  exit: Exit.Exit<Response>,
  { method }: Request,
  { requestId }: Inbound,
): globalThis.Response {
  // The client has left.
  if (Exit.isFailure(exit)) return new Response(null, { status: 499 })
  const { status, headers, body } = exit.value
  const content = method === "HEAD" ? null : contentOf(body)
  const response = status === 200 ? new Response(content) : new Response(content, { status })
  for (const [name, value] of commonHeaders) response.headers.append(name, value)
  response.headers.append("x-request-id", requestId)
  for (const name in headers) {
    // Deno sends the length of a body.
    if (name !== "content-length" || content === null) {
      response.headers.append(name, headers[name] ?? "")
    }
  }
  return response
}

const contentOf = (body: Response["body"]): BodyInit | null =>
  body._tag === "Uint8Array" || body._tag === "Raw" ? body.body as BodyInit : null

/** Interrupts a pending handler when its client disconnects. */
function abortWith(signal: AbortSignal, fiber: Fiber.Fiber<unknown, unknown>): void {
  const abort = () => fiber.interruptUnsafe(undefined, HttpServerError.ClientAbort.annotation)
  if (signal.aborted) return abort()
  signal.addEventListener("abort", abort, { once: true })
  fiber.addObserver(() => signal.removeEventListener("abort", abort))
}

interface ListenOptions {
  readonly hostname: string
  /** 0 means any free port. */
  readonly port: number
  /** How long a shutdown waits for the requests in flight. */
  readonly drain: Duration.Duration
}

/** How long the port stays closed after the listener failed: meanwhile descriptors become free. */
const listenPause = Duration.millis(500)
const restarts = Metric.counter("http_listener_restarts_total", {
  description: "Times a listener failed and was opened again, as when descriptors run out",
  incremental: true,
})

/**
 * Listens until the scope closes. Then it accepts no new request and waits up to `drain` for the
 * requests in flight; what is still open ends with the process. Returns the bound address.
 *
 * When the process has no file descriptor left, Deno's listener ends; its open connections go on.
 * It is opened again on the same port after a pause, for as long as it takes.
 */
export const listen = (
  options: ListenOptions,
  handler: WebHandler,
): Effect.Effect<Deno.NetAddr, CannotListen, Scope.Scope> =>
  Effect.gen(function* () {
    const current = yield* Effect.acquireRelease(
      Effect.map(serveAt(options, handler), (server) => ({ server })),
      ({ server }) => shutDown(server, options.drain),
    )
    const { addr } = current.server
    // So that an alert sees the first restart as an increase.
    yield* Metric.update(restarts, 0)
    const reopen = Effect.gen(function* () {
      const reason = yield* endOf(current.server)
      yield* Effect.logWarning(`The listener on port ${addr.port} failed: ${reason}`)
      yield* Effect.sleep(listenPause)
      current.server = yield* Effect.retry(
        serveAt({ ...options, port: addr.port }, handler),
        Schedule.spaced(listenPause),
      )
      yield* Metric.update(restarts, 1)
    })
    yield* Effect.forkScoped(Effect.forever(reopen))
    return addr
  })

/** Waits until a listener fails; returns why. A shutdown is not a failure. */
const endOf = (server: Deno.HttpServer) =>
  Effect.callback<string>((resume) => {
    server.finished.catch((cause) => resume(Effect.succeed(String(cause))))
  })

const shutDown = (server: Deno.HttpServer, drain: Duration.Duration) =>
  Effect.promise(() => server.shutdown()).pipe(
    Effect.timeoutOrElse({
      duration: drain,
      orElse: () => Effect.logWarning("Requests were still in flight at the end of the drain time"),
    }),
  )
