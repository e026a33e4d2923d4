/**
 * The app on Deno's own HTTP server, the client of each request, and the metrics of the answers.
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
  Random,
  Result,
  Schedule,
  type Scope,
} from "effect"
import * as NetAddress from "effect/net/NetAddress"
import { HttpServerError, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { Client } from "../../core/CallClient.ts"
import { type CannotListen, serveAt } from "../../core/listening.ts"
import { secondsBuckets } from "../../core/timed.ts"
import type { HeaderPair } from "./answer.ts"
import { CurrentInbound, type Inbound, makeInbound, type Peer } from "./route.ts"

type Response = HttpServerResponse.HttpServerResponse

/** A function of web requests. It never throws and never rejects. */
type WebHandler = (
  request: Request,
  peer: Peer,
) => globalThis.Response | Promise<globalThis.Response>

const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/**
 * Runs `app` once per web request, in its own fiber. `trustedProxyHops`: how many proxies in front
 * append to X-Forwarded-For.
 */
export const toWebHandler = (
  app: Effect.Effect<Response, never, HttpServerRequest.HttpServerRequest | Scope.Scope>,
  trustedProxyHops: number,
): Effect.Effect<WebHandler> =>
  Effect.gen(function* () {
    const nextId = yield* makeRequestIds
    const services = yield* Effect.context<never>()
    const { count, warnOfForward } = observeRequests(services)
    const addressIn = (request: Request, { remoteAddr }: Peer): string => {
      const peer = "hostname" in remoteAddr ? remoteAddr.hostname : "local"
      const forwarded = request.headers.get("x-forwarded-for")
      if (forwarded !== null && trustedProxyHops === 0) warnOfForward()
      return clientAddress(peer, forwarded, trustedProxyHops)
    }
    const scoped = Effect.scoped(app)
    const base = Context.makeUnsafe<never>(new Map(services.mapUnsafe))
    return (request, peer) => {
      const sentId = request.headers.get("x-request-id")
      const requestId = sentId !== null && requestIdPattern.test(sentId) ? sentId : nextId()
      const client = clientOf(addressIn(request, peer))
      const inbound = makeInbound(requestId, client, peer.completed)
      const fiber = Effect.runForkWith(
        base.pipe(
          Context.add(HttpServerRequest.HttpServerRequest, HttpServerRequest.fromWeb(request)),
          Context.add(CurrentInbound, inbound),
        ),
      )(scoped)
      const answer = (exit: Exit.Exit<Response>) => {
        const response = toWeb(exit, request, inbound)
        count(response.status, inbound)
        return response
      }
      const exit = fiber.pollUnsafe()
      if (exit !== undefined) return answer(exit)
      abortWith(request.signal, fiber)
      return new Promise((resolve) => fiber.addObserver((exit) => resolve(answer(exit))))
    }
  })

/** Ids of requests: a prefix of this process, and a number. */
const makeRequestIds = Effect.map(Random.nextIntBetween(36 ** 5, 36 ** 6), (start) => {
  const prefix = start.toString(36)
  let count = 0
  return () => `${prefix}-${(++count).toString(36).padStart(6, "0")}`
})

const answers = Metric.counter("http_answers_total", {
  description: "Answers sent on the public listener, by status",
  incremental: true,
})
const seconds = Metric.histogram("http_request_seconds", {
  description:
    "From a request's head to its answer, without the time to send it, by route and status",
  boundaries: [0.0005, 0.001, 0.0025, ...secondsBuckets],
})
const untrustedForwards = Metric.counter("http_untrusted_forwards_total", {
  description: "Requests with X-Forwarded-For while TRUSTED_PROXY_HOPS is 0",
  incremental: true,
})

/** Counts and times the answers. One takes tens of microseconds, so it costs no Effect. */
function observeRequests(context: Context.Context<never>) {
  const answersOf = remembered((status: number) =>
    Metric.withAttributes(answers, { status: String(status) })
  )
  const secondsOf = remembered((route: string) =>
    remembered((statusClass: number) =>
      Metric.withAttributes(seconds, { route, status: `${statusClass}xx` })
    )
  )
  let hasWarned = false
  return {
    warnOfForward: () => {
      untrustedForwards.updateUnsafe(1, context)
      if (hasWarned) return
      hasWarned = true
      Effect.runForkWith(context)(Effect.logWarning(
        "Requests have X-Forwarded-For, but TRUSTED_PROXY_HOPS is 0. If a proxy is in front, set it: " +
          "otherwise all clients of the proxy share one limit",
      ))
    },
    /** Counts an answer when it has been made. */
    count: (status: number, { route, startedAt }: Inbound) => {
      answersOf(status).updateUnsafe(1, context)
      const durationMs = performance.now() - startedAt
      secondsOf(route)(Math.floor(status / 100)).updateUnsafe(durationMs / 1_000, context)
    },
  }
}

/** Metrics by key, each made when it is first needed: attributes cost more than an update. */
function remembered<Key, Of>(make: (key: Key) => Of): (key: Key) => Of {
  const made = new Map<Key, Of>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const fresh = make(key)
    made.set(key, fresh)
    return fresh
  }
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
  { requestId, rateFields }: Inbound,
): globalThis.Response {
  // The client has left.
  if (Exit.isFailure(exit)) return new Response(null, { status: 499 })
  const { status, headers, body } = exit.value
  const content = method === "HEAD" ? null : contentOf(body)
  const response = status === 200 ? new Response(content) : new Response(content, { status })
  for (const [name, value] of commonHeaders) response.headers.append(name, value)
  for (const [name, value] of rateFields) response.headers.append(name, value)
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

/**
 * The client's address: the socket's peer, or behind `hops` proxies the entry of X-Forwarded-For
 * that the outermost proxy wrote. If the list is too short or the entry is not an address, the
 * peer.
 */
export function clientAddress(peer: string, forwarded: string | null, hops: number): string {
  if (hops === 0 || forwarded === null) return peer
  const entries = forwarded.split(",")
  const entry = entries[entries.length - hops]?.trim()
  if (entry === undefined) return peer
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ??
    /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return parse(bare) === null ? peer : bare
}

/** The client of an address. An IPv4-mapped IPv6 address counts as IPv4. */
export function clientOf(address: string): Client {
  const parsed = address.includes(":") ? parse(address) : null
  // IPv4 has one spelling: sockets return it, and `clientAddress` accepts no other.
  if (parsed === null || NetAddress.isIpv4Address(parsed)) return { client: address, site: null }
  const segments = NetAddress.ipv6ToSegments(parsed)
  if (NetAddress.isIpv4Mapped(parsed)) {
    const bytes = segments.slice(6).flatMap((segment) => [segment >> 8, segment & 255])
    return { client: bytes.join("."), site: null }
  }
  const prefix = (groups: number) =>
    segments.slice(0, groups).map((segment) => segment.toString(16)).join(":")
  return { client: `${prefix(4)}::/64`, site: `${prefix(3)}::/48` }
}

function parse(address: string): NetAddress.IpAddress | null {
  const parsed = NetAddress.ipFromString(address.split("%")[0] ?? "")
  return Result.isSuccess(parsed) ? parsed.success : null
}
