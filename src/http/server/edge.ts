/**
 * The outermost layer: what every request meets before any route, and all that a request which needs
 * no work ever meets.
 *
 * Answers that are ready (free bodies, documents, unpaid 402s, errors) leave from here, in the same
 * turn when their limit allows it. Only a request with a payment goes on to the router.
 *
 * @module
 */
import {
  type Answer,
  build,
  commonHeaders,
  type HeaderPair,
  matchesTag,
  notModified,
  toResponse,
} from "./answer.ts"
import { asksVersion1 } from "../paywall/paywall.ts"
import type { BodyReader } from "./bodyReader.ts"
import type { PreparedRefusal } from "./errors.ts"
import type { RatePolicy } from "../../core/RateLimits.ts"
import {
  clientAddress,
  clientKeys,
  type Limiter,
  policyField,
  rateField,
  rateFields,
  type Verdict,
} from "./limits.ts"
import {
  bodyTooLarge,
  internalError,
  invalidHost,
  methodNotAllowed,
  notFound,
  overloaded,
  overloadedPaid,
  paymentLengthMax,
  paymentTooLong,
  rateLimited,
  targetLengthMax,
  targetTooLong,
} from "./refusals.ts"
import { type Body, bodyBytesMax, type Peer, type Seen, type WebHandler } from "./server.ts"

/** Most requests that may wait for a store or a payment at once. */
export const pendingMax = 2_000

/** What a route has to say: an answer, a refusal, or nothing that can be made now. */
export type Made = Answer | PreparedRefusal | null

/** What answers POST, limits included. */
interface Posting {
  readonly handle: WebHandler
  /** A refusal, as it is said of what was not even looked at. */
  readonly refusal: (refusal: PreparedRefusal) => PreparedRefusal
}

/** One path the service knows. */
export interface EdgeRoute {
  readonly limiter: Limiter
  /**
   * The answer that needs no work, for a request of this address; null when it cannot be made now. A
   * paid route's is its 402. A path without one answers no GET.
   */
  readonly current: ((url: string) => Made | Promise<Made>) | null
  /** The 402 for a buyer of x402 version 1, who asks for it; a paid route's only. */
  readonly version1?: Answer
  /** What a request with a payment is handed to; null on a free route. */
  readonly paid: WebHandler | null
  /** What answers POST, limits included, where the path knows it. */
  readonly post?: Posting
  /** The answer while the store, and so every limit, is out of reach; 503 overloaded without one. */
  readonly withoutStore?: Answer
}

export interface EdgeOptions {
  readonly routes: ReadonlyMap<string, EdgeRoute>
  /** The route of a path that is not among `routes` and begins like this, by what follows. */
  readonly beneath: ReadonlyMap<string, (rest: string, query: string) => EdgeRoute | undefined>
  readonly readBody: BodyReader
  readonly trustedProxyHops: number
  /** The budget of invalid payments, which the paywall counts; null when it is off. */
  readonly invalidPayments: RatePolicy | null
  /** A fresh request id. */
  readonly nextId: () => string
  /** Told of every answer. */
  readonly answered: (status: number) => void
}

/** What is known of one request. */
interface Ask {
  readonly request: Request
  readonly method: string
  readonly requestId: string
  readonly peer: Peer
}

const encoder = new TextEncoder()
const notHostPattern = /[/?#@\\]/
const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** The service as a function of web requests. It never throws and never rejects. */
export function makeEdge(
  options: EdgeOptions,
): (request: Request, peer: Peer) => Response | Promise<Response> {
  let pending = 0

  const settle = (ask: Ask, eventual: Promise<Response>): Response | Promise<Response> => {
    pending += 1
    return eventual
      .catch(() => refuse(ask, internalError))
      .finally(() => {
        pending -= 1
      })
  }

  /** Hands a request on to a handler, and dresses what comes back. */
  const handled = (ask: Ask, handle: WebHandler, body: Body | null) => {
    const seen: Seen = { requestId: ask.requestId, clientAddress: addressOf(ask, options), body }
    return settle(
      ask,
      handle(ask.request, seen).then((response) => {
        afterwards(ask, seen)
        return dress(ask, response, options)
      }),
    )
  }
  /** Only when its body is here is a request pending: that may be never. */
  const post = (ask: Ask, route: EdgeRoute, { handle, refusal }: Posting) => {
    const body = options.readBody(ask.request, addressOf(ask, options), route.limiter)
    if (!(body instanceof Promise)) return refuse(ask, refusal(body.refusal), body.fields)
    return body.then((body) =>
      pending >= pendingMax ? refuse(ask, refusal(overloadedPaid)) : handled(ask, handle, body)
    )
  }

  const serve = (ask: Ask, route: EdgeRoute): Response | Promise<Response> => {
    const { headers } = ask.request
    const payment = route.paid === null
      ? null
      // Empty is none, as the paywall has it: else an unpaid probe would pass its limit by.
      : headers.get("payment-signature") || headers.get("x-payment") || null
    if (payment !== null && payment.length > paymentLengthMax) return refuse(ask, paymentTooLong)
    const busy = pending >= pendingMax
    if (route.paid !== null && payment !== null && ask.method === "GET") {
      if (busy) return refuse(ask, overloadedPaid)
      return handled(ask, route.paid, null)
    }
    if (route.limiter.policyField === null) return current(ask, route, [], settle)
    const verdict = route.limiter.admit(clientKeys(addressOf(ask, options)), busy)
    return verdict instanceof Promise
      ? settle(ask, verdict.then((made) => admitted(ask, route, made)))
      : admitted(ask, route, verdict)
  }

  const admitted = (ask: Ask, route: EdgeRoute, verdict: Verdict) => {
    switch (verdict.kind) {
      case "unlimited":
        return current(ask, route, [], settle)
      case "granted":
        return current(ask, route, rateFields(route.limiter, verdict.field), settle)
      case "denied":
        return refuse(
          ask,
          rateLimited(verdict.retryAfterSeconds),
          rateFields(route.limiter, verdict.field),
        )
      case "busy":
        return refuse(ask, overloaded)
      case "unavailable":
        return give(ask, route.withoutStore ?? null, [])
    }
  }

  const answer = (request: Request, peer: Peer): Response | Promise<Response> => {
    const url = request.url
    const start = pathStart(url)
    const end = url.indexOf("?", start)
    const path = end < 0 ? url.slice(start) : url.slice(start, end)
    const shown = request.headers.get("x-request-id")
    const ask: Ask = {
      request,
      peer,
      method: request.method,
      requestId: shown !== null && requestIdPattern.test(shown) ? shown : options.nextId(),
    }
    // The URL is made of the Host header and the target: such a host would be a part of the path.
    if (notHostPattern.test(request.headers.get("host") ?? "")) return refuse(ask, invalidHost)
    if (url.length - start > targetLengthMax) return refuse(ask, targetTooLong)
    const route = options.routes.get(path) ??
      beneath(path, end < 0 ? "" : url.slice(end), options)
    if (ask.method === "OPTIONS") {
      return build(null, 204, preflight(methodsOf(route)), [["x-request-id", ask.requestId]])
    }
    if (route === undefined) return refuse(ask, notFound)
    if (ask.method === "POST" && route.post !== undefined) return post(ask, route, route.post)
    if (!methodsOf(route).includes(ask.method)) {
      const length = Number(request.headers.get("content-length") ?? 0)
      return refuse(ask, length > bodyBytesMax ? bodyTooLarge : methodNotAllowed(methodsOf(route)))
    }
    return serve(ask, route)
  }

  const counted = (response: Response) => {
    options.answered(response.status)
    return response
  }
  return (request, peer) => {
    const response = answer(request, peer)
    return response instanceof Promise ? response.then(counted) : counted(response)
  }
}

function beneath(path: string, query: string, options: EdgeOptions): EdgeRoute | undefined {
  for (const [prefix, route] of options.beneath) {
    if (path.startsWith(prefix)) return route(path.slice(prefix.length), query)
  }
  return undefined
}

/** Tells that an answer has left, unless its client had: then nobody has it. */
function afterwards({ request, peer }: Ask, { handedOver }: Seen): void {
  if (handedOver === undefined) return
  if (peer.completed === undefined) return handedOver()
  peer.completed.then(() => {
    if (!request.signal.aborted) handedOver()
  }, () => {})
}

/** Where path and query begin in a request's URL, which names some host first. */
function pathStart(url: string): number {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  return start < 0 ? url.length : start
}

function addressOf(ask: Ask, { trustedProxyHops }: EdgeOptions): string {
  const { remoteAddr } = ask.peer
  const peer = "hostname" in remoteAddr ? remoteAddr.hostname : "local"
  if (trustedProxyHops === 0) return peer
  return clientAddress(peer, ask.request.headers.get("x-forwarded-for"), trustedProxyHops)
}

function current(
  ask: Ask,
  route: EdgeRoute,
  fields: ReadonlyArray<HeaderPair>,
  settle: (ask: Ask, eventual: Promise<Response>) => Response | Promise<Response>,
): Response | Promise<Response> {
  const { version1 } = route
  const made = version1 !== undefined &&
      asksVersion1(ask.request.headers.get("x-402-version"), ask.request.url)
    ? version1
    : route.current?.(ask.request.url) ?? null
  return made instanceof Promise
    ? settle(ask, made.then((answer) => give(ask, answer, fields)))
    : give(ask, made, fields)
}

function give(ask: Ask, answer: Made, fields: ReadonlyArray<HeaderPair>): Response {
  if (answer === null) return refuse(ask, overloaded, fields)
  if ("body" in answer) return refuse(ask, answer, fields)
  const extra: ReadonlyArray<HeaderPair> = [["x-request-id", ask.requestId], ...fields]
  if (answer.etag !== null) {
    const shown = ask.request.headers.get("if-none-match")
    if (shown !== null && matchesTag(shown, answer.etag)) return notModified(answer, extra)
  }
  return toResponse(answer, ask.method, extra)
}

function refuse(
  ask: Ask,
  { status, headers, body }: PreparedRefusal,
  fields: ReadonlyArray<HeaderPair> = [],
): Response {
  const bytes = encoder.encode(body(ask.requestId))
  const answer = { status, bytes, etag: null, headers: commonHeaders }
  return toResponse(answer, ask.method, [
    ...headers,
    ["x-request-id", ask.requestId],
    ...fields,
  ])
}

/** Puts on a route's response what every answer carries. */
function dress(ask: Ask, response: Response, { invalidPayments }: EdgeOptions): Response {
  const { headers } = response
  for (const [name, value] of commonHeaders) headers.set(name, value)
  headers.set("x-request-id", ask.requestId)
  if (response.status === 429 && invalidPayments !== null && !headers.has("ratelimit")) {
    headers.set("ratelimit-policy", policyField(invalidPayments))
    headers.set("ratelimit", rateField(invalidPayments, 0, headers.get("retry-after") ?? "1"))
  }
  return response
}

const reading = ["GET", "HEAD", "OPTIONS"]
const readingAndPosting = [...reading, "POST"]
const posting = ["OPTIONS", "POST"]

/** The methods of a path; of one that is unknown, those of most. */
export function methodsOf(
  route: { readonly current: unknown; readonly post?: unknown } | undefined,
): ReadonlyArray<string> {
  if (route?.post === undefined) return reading
  return route.current === null ? posting : readingAndPosting
}

const requestHeaders = "Content-Type, Accept, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, " +
  "Access-Control-Expose-Headers, If-None-Match, X-Request-Id, Idempotency-Key, A2A-Version, " +
  "A2A-Extensions, X-A2A-Extensions, MCP-Protocol-Version, Mcp-Method, Mcp-Name"

/** The headers of the answer to OPTIONS. */
function preflight(methods: ReadonlyArray<string>): ReadonlyArray<HeaderPair> {
  return [
    ...commonHeaders,
    ["allow", methods.join(", ")],
    ["access-control-allow-methods", methods.join(", ")],
    ["access-control-allow-headers", requestHeaders],
    ["access-control-max-age", "86400"],
  ]
}
