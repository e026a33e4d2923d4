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
import { requestsVersion1 } from "../paywall/paywall.ts"
import type { BodyReader } from "./bodyReader.ts"
import {
  bodyBytesMax,
  bodyTooLarge,
  internalError,
  invalidHost,
  methodNotAllowed,
  notFound,
  overloaded,
  overloadedPaid,
  paymentLengthMax,
  paymentTooLong,
  type PreparedRefusal,
  rateLimited,
  targetLengthMax,
  targetTooLong,
} from "./errors.ts"
import type { RatePolicy } from "../../core/RateLimits.ts"
import {
  clientAddress,
  clientKeys,
  policyField,
  rateField,
  rateFields,
  type RateLimiter,
  type Verdict,
} from "./limits.ts"
import { type Body, type Peer, type Seen, type WebHandler } from "./server.ts"

/** Most requests that may wait for a store or a payment at once. */
export const pendingMax = 2_000

/** What a route answers: an answer, a refusal, or null when neither can be made now. */
export type RouteResult = Answer | PreparedRefusal | null

/** What answers POST, limits included. */
interface Posting {
  readonly handle: WebHandler
  /** Puts a refusal that was made before the body was read into this route's error format. */
  readonly refusal: (refusal: PreparedRefusal) => PreparedRefusal
}

/** One path the service knows. */
export interface EdgeRoute {
  readonly limiter: RateLimiter
  /**
   * The answer that needs no work, for a request of this address; null when it cannot be made now. A
   * paid route's is its 402. A path without one answers no GET.
   */
  readonly current: ((url: string) => RouteResult | Promise<RouteResult>) | null
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
  readonly prefixRoutes: ReadonlyMap<string, (rest: string, query: string) => EdgeRoute | undefined>
  readonly readBody: BodyReader
  readonly trustedProxyHops: number
  /** The budget of invalid payments, which the paywall counts; null when it is off. */
  readonly invalidPayments: RatePolicy | null
  /** A fresh request id. */
  readonly nextId: () => string
  /** Called with the status of every answer. */
  readonly answered: (status: number) => void
}

/** An edge at work: what it was made with, and how many requests wait for a store or a payment. */
interface Edge {
  readonly options: EdgeOptions
  pending: number
}

/** What is known of one request. */
interface RequestContext {
  readonly edge: Edge
  readonly request: Request
  readonly method: string
  readonly requestId: string
  readonly peer: Peer
}

type Eventually = Response | Promise<Response>

const encoder = new TextEncoder()
const notHostPattern = /[/?#@\\]/
const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** The service as a function of web requests. It never throws and never rejects. */
export function makeEdge(options: EdgeOptions): (request: Request, peer: Peer) => Eventually {
  const edge: Edge = { options, pending: 0 }
  const counted = (response: Response) => {
    options.answered(response.status)
    return response
  }
  return (request, peer) => {
    const response = answer(edge, request, peer)
    return response instanceof Promise ? response.then(counted) : counted(response)
  }
}

/** Finds the route of a request, and refuses what no route answers. */
function answer(edge: Edge, request: Request, peer: Peer): Eventually {
  const { options } = edge
  const url = request.url
  const start = pathStart(url)
  const end = url.indexOf("?", start)
  const path = end < 0 ? url.slice(start) : url.slice(start, end)
  const shown = request.headers.get("x-request-id")
  const context: RequestContext = {
    edge,
    request,
    peer,
    method: request.method,
    requestId: shown !== null && requestIdPattern.test(shown) ? shown : options.nextId(),
  }
  // The URL is made of the Host header and the target: such a host would be a part of the path.
  if (notHostPattern.test(request.headers.get("host") ?? "")) return refuse(context, invalidHost)
  if (url.length - start > targetLengthMax) return refuse(context, targetTooLong)
  const route = options.routes.get(path) ??
    prefixRoute(path, end < 0 ? "" : url.slice(end), options)
  if (context.method === "OPTIONS") {
    return build(null, 204, preflight(methodsOf(route)), [["x-request-id", context.requestId]])
  }
  if (route === undefined) return refuse(context, notFound)
  if (context.method === "POST" && route.post !== undefined) return post(context, route, route.post)
  if (!methodsOf(route).includes(context.method)) {
    const length = Number(request.headers.get("content-length") ?? 0)
    return refuse(
      context,
      length > bodyBytesMax ? bodyTooLarge : methodNotAllowed(methodsOf(route)),
    )
  }
  return serve(context, route)
}

function prefixRoute(path: string, query: string, options: EdgeOptions): EdgeRoute | undefined {
  for (const [prefix, route] of options.prefixRoutes) {
    if (path.startsWith(prefix)) return route(path.slice(prefix.length), query)
  }
  return undefined
}

/** Where path and query begin in a request's URL, which names some host first. */
function pathStart(url: string): number {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  return start < 0 ? url.length : start
}

/** Answers GET and HEAD: a payment goes to its handler, all else spends the budget of its route. */
function serve(context: RequestContext, route: EdgeRoute): Eventually {
  const { edge, method, request: { headers } } = context
  const payment = route.paid === null
    ? null
    // Empty is none, as the paywall has it: else an unpaid probe would pass its limit by.
    : headers.get("payment-signature") || headers.get("x-payment") || null
  if (payment !== null && payment.length > paymentLengthMax) return refuse(context, paymentTooLong)
  const busy = edge.pending >= pendingMax
  if (route.paid !== null && payment !== null && method === "GET") {
    if (busy) return refuse(context, overloadedPaid)
    return handled(context, route.paid, null)
  }
  if (route.limiter.policyField === null) return current(context, route, [])
  const verdict = route.limiter.admit(clientKeys(addressOf(context)), busy)
  return verdict instanceof Promise
    ? settle(context, verdict.then((made) => admitted(context, route, made)))
    : admitted(context, route, verdict)
}

function admitted(context: RequestContext, route: EdgeRoute, verdict: Verdict): Eventually {
  switch (verdict.kind) {
    case "unlimited":
      return current(context, route, [])
    case "granted":
      return current(context, route, rateFields(route.limiter, verdict.field))
    case "denied":
      return refuse(
        context,
        rateLimited(verdict.retryAfterSeconds),
        rateFields(route.limiter, verdict.field),
      )
    case "busy":
      return refuse(context, overloaded)
    case "unavailable":
      return give(context, route.withoutStore ?? null, [])
  }
}

/** Answers POST. Only when its body is here is a request pending: that may be never. */
function post(
  context: RequestContext,
  { limiter }: EdgeRoute,
  { handle, refusal }: Posting,
): Eventually {
  const { edge, request } = context
  const body = edge.options.readBody(request, addressOf(context), limiter)
  if (!(body instanceof Promise)) return refuse(context, refusal(body.refusal), body.fields)
  return body.then((body) =>
    edge.pending >= pendingMax
      ? refuse(context, refusal(overloadedPaid))
      : handled(context, handle, body)
  )
}

/** Hands a request on to a handler, and adds to its response what every answer carries. */
function handled(context: RequestContext, handle: WebHandler, body: Body | null): Eventually {
  const seen: Seen = { requestId: context.requestId, clientAddress: addressOf(context), body }
  return settle(
    context,
    handle(context.request, seen).then((response) => {
      afterwards(context, seen)
      return addCommonHeaders(context, response)
    }),
  )
}

/** Counts a request as pending until it is answered, which it is whatever happens. */
function settle(context: RequestContext, eventual: Promise<Response>): Promise<Response> {
  const { edge } = context
  edge.pending += 1
  return eventual
    .catch(() => refuse(context, internalError))
    .finally(() => {
      edge.pending -= 1
    })
}

/** Tells that an answer has left, unless its client had: then nobody has it. */
function afterwards({ request, peer }: RequestContext, { handedOver }: Seen): void {
  if (handedOver === undefined) return
  if (peer.completed === undefined) return handedOver()
  peer.completed.then(() => {
    if (!request.signal.aborted) handedOver()
  }, () => {})
}

function addressOf({ edge: { options }, peer: { remoteAddr }, request }: RequestContext): string {
  const peer = "hostname" in remoteAddr ? remoteAddr.hostname : "local"
  const { trustedProxyHops } = options
  if (trustedProxyHops === 0) return peer
  return clientAddress(peer, request.headers.get("x-forwarded-for"), trustedProxyHops)
}

function current(
  context: RequestContext,
  route: EdgeRoute,
  fields: ReadonlyArray<HeaderPair>,
): Eventually {
  const { version1 } = route
  const { headers, url } = context.request
  const made = version1 !== undefined && requestsVersion1(headers.get("x-402-version"), url)
    ? version1
    : route.current?.(url) ?? null
  return made instanceof Promise
    ? settle(context, made.then((answer) => give(context, answer, fields)))
    : give(context, made, fields)
}

function give(
  context: RequestContext,
  answer: RouteResult,
  fields: ReadonlyArray<HeaderPair>,
): Response {
  if (answer === null) return refuse(context, overloaded, fields)
  if ("body" in answer) return refuse(context, answer, fields)
  const extra: ReadonlyArray<HeaderPair> = [["x-request-id", context.requestId], ...fields]
  if (answer.etag !== null) {
    const shown = context.request.headers.get("if-none-match")
    if (shown !== null && matchesTag(shown, answer.etag)) return notModified(answer, extra)
  }
  return toResponse(answer, context.method, extra)
}

function refuse(
  context: RequestContext,
  { status, headers, body }: PreparedRefusal,
  fields: ReadonlyArray<HeaderPair> = [],
): Response {
  const bytes = encoder.encode(body(context.requestId))
  const answer = { status, bytes, etag: null, headers: commonHeaders }
  return toResponse(answer, context.method, [
    ...headers,
    ["x-request-id", context.requestId],
    ...fields,
  ])
}

/** Puts on a route's response what every answer carries. */
function addCommonHeaders({ edge, requestId }: RequestContext, response: Response): Response {
  const { invalidPayments } = edge.options
  const { headers } = response
  for (const [name, value] of commonHeaders) headers.set(name, value)
  headers.set("x-request-id", requestId)
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
