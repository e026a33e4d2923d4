/**
 * The edge: the outermost HTTP layer, which sees every request before any route.
 *
 * It sends prepared answers itself (free bodies, documents, unpaid 402s, errors), in the same turn
 * of the event loop unless a rate limit has to be read. Only posts and requests with a payment reach
 * a handler.
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
  preferred,
  toResponse,
} from "./answer.ts"
import { requestsVersion1 } from "../paywall/paywall.ts"
import { prefersHtml } from "./mediaType.ts"
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
  rateLimitedBeforeReading,
  targetLengthMax,
  targetTooLong,
} from "./errors.ts"
import { type AnswerLog, isLogged } from "./answerLog.ts"
import type { RatePolicy } from "../../core/RateLimits.ts"
import {
  clientAddress,
  type ClientKeys,
  clientKeys,
  type LimitDecision,
  policyField,
  rateField,
  rateFields,
  type RateLimiter,
} from "./limits.ts"
import { type Exceeded, makePendingRequests, type PendingRequests } from "./pendingRequests.ts"
import { type Body, type Peer, type RequestMeta, type WebHandler } from "./server.ts"
import { closedResponse, testHeaderFault } from "./testTriggers.ts"
import { testHeader } from "../../core/testCall.ts"

/** Most requests that may wait for a store or a payment at once. */
export const pendingMax = 2_000
/** Most of them from one client. */
export const pendingPerClientMax = pendingMax / 10
/** Most of them from one IPv6 /48. */
const pendingPerSiteMax = 3 * pendingPerClientMax
/** How long a client with too many pending requests should wait, in seconds. */
const pendingRetrySeconds = 1

/** What a route returns: an answer, a refusal, or null when neither can be made now. */
export type RouteResult = Answer | PreparedRefusal | null

/** The handler of POST, which applies its own rate limits. */
interface PostHandler {
  readonly handle: WebHandler
  /** Converts a refusal made before the body was read to this route's error format. */
  readonly refusal: (refusal: PreparedRefusal) => PreparedRefusal
}

/** One path the service knows. */
export interface EdgeRoute {
  readonly limiter: RateLimiter
  /**
   * Returns the prepared answer to GET of this URL, which on a paid route is the 402; null when
   * there is none now. The function itself is null on a path that does not accept GET.
   */
  readonly current:
    | ((url: string, headers?: Headers) => RouteResult | Promise<RouteResult>)
    | null
  /** The 402 in x402 version 1, for a client that requests it; on paid routes only. */
  readonly version1?: () => Answer
  /** The handler of a request with a payment; null on a free route. */
  readonly paid: WebHandler | null
  /** The handler of POST, where the path accepts it. */
  readonly post?: PostHandler
  /** The page of this path, for an unpaid GET that prefers HTML; it has a budget of its own. */
  readonly page?: EdgeRoute
  /**
   * The answer while the store, and so every rate limit, is unreachable; 503 overloaded when
   * absent.
   */
  readonly withoutStore?: Answer
}

export interface EdgeOptions {
  readonly routes: ReadonlyMap<string, EdgeRoute>
  /**
   * Routes by path prefix, for paths that are not in `routes`; called with the rest of the path.
   */
  readonly prefixRoutes: ReadonlyMap<string, (rest: string, query: string) => EdgeRoute | undefined>
  readonly readBody: BodyReader
  readonly trustedProxyHops: number
  /** The budget of invalid payments, counted by the paywall; null when it is off. */
  readonly invalidPayments: RatePolicy | null
  /** The page of a refusal, for a GET without a payment that prefers HTML; null for one without a page. */
  readonly errorPage?: (refusal: PreparedRefusal) => Answer | null
  /** A fresh request id. */
  readonly nextId: () => string
  /** Called for every answer, with the path of its request. */
  readonly onAnswer: (status: number, path: string, durationMs: number) => void
  /** Counts the requests that wait for a store or a payment. */
  readonly pending: PendingRequests
  /** Logs what is refused before a handler sees it. */
  readonly log: AnswerLog
  /** The names of the test triggers; absent with real payments. */
  readonly testTriggers?: ReadonlyArray<string> | undefined
  /** Called for a limited or waiting request with X-Forwarded-For while no proxy is trusted. */
  readonly onUntrustedForward: () => void
}

/** One request, with its id. */
interface RequestContext {
  readonly options: EdgeOptions
  readonly request: Request
  readonly method: string
  readonly path: string
  /** With its question mark; empty when there is none. */
  readonly query: string
  readonly requestId: string
  readonly peer: Peer
  readonly startedAt: number
  /** Set by `keysOf`, because most answers do not need it. */
  keys?: ClientKeys
}

type MaybePromise = Response | Promise<Response>

const encoder = new TextEncoder()
const notHostPattern = /[/?#@\\]/
const requestIdPattern = /^[A-Za-z0-9_-]{8,64}$/

/** The pending requests of an edge. */
export const pendingOfEdge = (): PendingRequests =>
  makePendingRequests({
    total: pendingMax,
    perClient: pendingPerClientMax,
    perSite: pendingPerSiteMax,
  })

/** The whole public API as a function of web requests. It never throws and never rejects. */
export function makeEdge(options: EdgeOptions): (request: Request, peer: Peer) => MaybePromise {
  const count = ({ path, startedAt }: RequestContext, response: Response) => {
    options.onAnswer(response.status, path, performance.now() - startedAt)
    return response
  }
  return (request, peer) => {
    const context = contextOf(options, request, peer)
    const response = answer(context)
    return response instanceof Promise
      ? response.then((response) => count(context, response))
      : count(context, response)
  }
}

function contextOf(options: EdgeOptions, request: Request, peer: Peer): RequestContext {
  const url = request.url
  const start = pathStart(url)
  const queryStart = url.indexOf("?", start)
  const end = queryStart < 0 ? url.length : queryStart
  const clientRequestId = request.headers.get("x-request-id")
  return {
    options,
    request,
    peer,
    method: request.method,
    path: url.slice(start, end),
    query: url.slice(end),
    startedAt: performance.now(),
    requestId: clientRequestId !== null && requestIdPattern.test(clientRequestId)
      ? clientRequestId
      : options.nextId(),
  }
}

/** Finds the route of a request, and refuses a request that no route answers. */
function answer(context: RequestContext): MaybePromise {
  const { options, request, path, query } = context
  // The URL is built from the Host header and the target, so these characters in Host would change
  // the path.
  if (notHostPattern.test(request.headers.get("host") ?? "")) return refuse(context, invalidHost)
  if (path.length + query.length > targetLengthMax) return refuse(context, targetTooLong)
  const route = options.routes.get(path) ?? prefixRoute(path, query, options)
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

/** The index at which the path begins in a request's URL. */
function pathStart(url: string): number {
  const start = url.indexOf("/", url.indexOf("://") + 3)
  return start < 0 ? url.length : start
}

/**
 * Answers GET and HEAD: a paid request goes to its handler, any other spends the budget of its
 * route.
 */
function serve(context: RequestContext, route: EdgeRoute): MaybePromise {
  const { options, method, request: { headers } } = context
  const fault = route.paid === null ? null : testHeaderFault(headers, options.testTriggers)
  if (fault !== null) return refuse(context, fault)
  const payment = route.paid === null
    ? null
    // An empty header is no payment, as in the paywall; else an unpaid probe would bypass its
    // limit.
    : headers.get("payment-signature") || headers.get("x-payment") || null
  if (payment !== null && payment.length > paymentLengthMax) return refuse(context, paymentTooLong)
  if (route.paid !== null && payment !== null && method === "GET") {
    return runHandler(context, route.paid, null)
  }
  const { page } = route
  if (page !== undefined && payment === null && prefersHtml(headers.get("accept"))) {
    // A client of x402 version 1 asks for a body that it can read.
    if (!asksVersion1(context, route)) return serve(context, page)
  }
  if (route.limiter.policyField === null) return sendCurrent(context, route, [])
  const keys = keysOf(context)
  const decision = route.limiter.admit(keys, options.pending.exceeded(keys) !== null)
  return decision instanceof Promise
    ? trackPending(context, decision.then((settled) => applyLimit(context, route, settled)))
    : applyLimit(context, route, decision)
}

function applyLimit(
  context: RequestContext,
  route: EdgeRoute,
  decision: LimitDecision,
): MaybePromise {
  switch (decision.kind) {
    case "unlimited":
      return sendCurrent(context, route, [])
    case "granted":
      return sendCurrent(context, route, rateFields(route.limiter, decision.field))
    case "denied":
      return refuse(
        context,
        rateLimited(decision.retryAfterSeconds),
        rateFields(route.limiter, decision.field),
      )
    case "busy":
      return refuseBusy(context, context.options.pending.exceeded(keysOf(context)), "unpaid")
    case "unavailable":
      return send(context, route.withoutStore ?? null, [])
  }
}

/**
 * Answers POST. The request counts as pending only once its body has arrived, which may be never.
 */
function post(
  context: RequestContext,
  { limiter }: EdgeRoute,
  { handle, refusal }: PostHandler,
): MaybePromise {
  const { options, request } = context
  const fault = testHeaderFault(request.headers, options.testTriggers)
  if (fault !== null) return refuse(context, refusal(fault))
  const body = options.readBody(request, addressOf(context), limiter)
  if (!(body instanceof Promise)) return refuse(context, refusal(body.refusal), body.fields)
  return body.then((body) => runHandler(context, handle, body, refusal))
}

/**
 * Runs a handler, and adds the common headers to its response. Refuses the request when its client
 * or all clients have too many pending.
 */
function runHandler(
  context: RequestContext,
  handle: WebHandler,
  body: Body | null,
  refusalOf: PostHandler["refusal"] = (refusal) => refusal,
): MaybePromise {
  const exceeded = context.options.pending.exceeded(keysOf(context))
  if (exceeded !== null) return refuseBusy(context, exceeded, "paid", refusalOf)
  const meta: RequestMeta = {
    requestId: context.requestId,
    clientAddress: addressOf(context),
    testTrigger: context.request.headers.get(testHeader),
    body,
  }
  return trackPending(
    context,
    handle(context.request, meta).then((response) => {
      if (meta.isClosed === true) return closedResponse()
      runAfterDelivery(context, meta)
      return addCommonHeaders(context, response)
    }),
  )
}

/** Counts a request as pending until it is answered; a failure is answered with 500. */
function trackPending(context: RequestContext, response: Promise<Response>): Promise<Response> {
  return response
    .catch(() => refuse(context, internalError))
    .finally(context.options.pending.begin(keysOf(context)))
}

/** A posted body may contain a payment, so it is refused like a paid call. */
const busyRefusals = {
  unpaid: { client: rateLimited(pendingRetrySeconds), total: overloaded },
  paid: { client: rateLimitedBeforeReading(pendingRetrySeconds), total: overloadedPaid },
} as const

const pendingFields: ReadonlyArray<HeaderPair> = [
  ["ratelimit-policy", `"pending";q=${pendingPerClientMax};qu="concurrent-requests"`],
  ["ratelimit", `"pending";r=0;t=${pendingRetrySeconds}`],
]

function refuseBusy(
  context: RequestContext,
  exceeded: Exceeded | null,
  call: keyof typeof busyRefusals,
  refusalOf: PostHandler["refusal"] = (refusal) => refusal,
): Response {
  const refusal = refusalOf(busyRefusals[call][exceeded ?? "total"])
  return refuse(context, refusal, exceeded === "client" ? pendingFields : [])
}

/** Runs the handler's callback once the answer was sent; not when the client disconnected first. */
function runAfterDelivery({ request, peer }: RequestContext, { onDelivered }: RequestMeta): void {
  if (onDelivered === undefined) return
  if (peer.completed === undefined) return onDelivered()
  peer.completed.then(() => {
    if (!request.signal.aborted) onDelivered()
  }, () => {})
}

function addressOf({ options, peer: { remoteAddr }, request }: RequestContext): string {
  const peer = "hostname" in remoteAddr ? remoteAddr.hostname : "local"
  const { trustedProxyHops } = options
  if (trustedProxyHops === 0) return peer
  return clientAddress(peer, request.headers.get("x-forwarded-for"), trustedProxyHops)
}

function keysOf(context: RequestContext): ClientKeys {
  if (context.keys !== undefined) return context.keys
  const { options, request } = context
  if (options.trustedProxyHops === 0 && request.headers.has("x-forwarded-for")) {
    options.onUntrustedForward()
  }
  return context.keys = clientKeys(addressOf(context))
}

const asksVersion1 = ({ request: { headers, url } }: RequestContext, { version1 }: EdgeRoute) =>
  version1 !== undefined && requestsVersion1(headers.get("x-402-version"), url)

function sendCurrent(
  context: RequestContext,
  route: EdgeRoute,
  fields: ReadonlyArray<HeaderPair>,
): MaybePromise {
  const current = asksVersion1(context, route)
    ? route.version1?.() ?? null
    : route.current?.(context.request.url, context.request.headers) ?? null
  return current instanceof Promise
    ? trackPending(context, current.then((answer) => send(context, answer, fields)))
    : send(context, current, fields)
}

function send(
  context: RequestContext,
  answer: RouteResult,
  fields: ReadonlyArray<HeaderPair>,
): Response {
  if (answer === null) return refuse(context, overloaded, fields)
  if ("body" in answer) return refuse(context, answer, fields)
  const extra: ReadonlyArray<HeaderPair> = [["x-request-id", context.requestId], ...fields]
  const inEncoding = answer.encoded === undefined
    ? answer
    : preferred(answer, context.request.headers.get("accept-encoding"))
  if (answer.etag !== null) {
    const tags = context.request.headers.get("if-none-match")
    if (tags !== null && matchesTag(tags, answer.etag)) return notModified(inEncoding, extra)
  }
  return toResponse(inEncoding, context.method, extra)
}

function refuse(
  context: RequestContext,
  refusal: PreparedRefusal,
  fields: ReadonlyArray<HeaderPair> = [],
): Response {
  const { status, headers, body } = refusal
  logRefusal(context, refusal)
  const { method, request, options } = context
  const { headers: sent } = request
  const hasPayment = sent.has("payment-signature") || sent.has("x-payment")
  const page = method === "GET" && !hasPayment && prefersHtml(sent.get("accept"))
    ? options.errorPage?.(refusal) ?? null
    : null
  if (page !== null) return send(context, page, fields)
  const bytes = encoder.encode(body(context.requestId))
  const answer = { status, bytes, etag: null, headers: commonHeaders }
  return toResponse(answer, context.method, [
    ...headers,
    ["x-request-id", context.requestId],
    ...fields,
  ])
}

function logRefusal(
  { options, request: { headers }, requestId, startedAt }: RequestContext,
  { status, code, message: reason }: PreparedRefusal,
): void {
  const hasPayment = headers.has("payment-signature") || headers.has("x-payment")
  if (!isLogged(status, hasPayment)) return
  const durationMs = Math.round(performance.now() - startedAt)
  options.log({
    requestId,
    paymentId: null,
    product: null,
    status,
    code,
    reason,
    durationMs,
  })
}

/** Adds the headers of every answer to a handler's response. */
function addCommonHeaders({ options, requestId }: RequestContext, response: Response): Response {
  const { invalidPayments } = options
  const { headers } = response
  for (const [name, value] of commonHeaders) headers.set(name, value)
  headers.set("x-request-id", requestId)
  if (response.status === 429 && invalidPayments !== null && !headers.has("ratelimit")) {
    headers.set("ratelimit-policy", policyField(invalidPayments))
    headers.set("ratelimit", rateField(invalidPayments, 0, headers.get("retry-after") ?? "1"))
  }
  return response
}

const readMethods = ["GET", "HEAD", "OPTIONS"]
const allMethods = [...readMethods, "POST"]
const postMethods = ["OPTIONS", "POST"]

/** The methods of a path; for an unknown path, those of most paths. */
export function methodsOf(
  route: { readonly current: unknown; readonly post?: unknown } | undefined,
): ReadonlyArray<string> {
  if (route?.post === undefined) return readMethods
  return route.current === null ? postMethods : allMethods
}

const requestHeaders = "Content-Type, Accept, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, " +
  "Access-Control-Expose-Headers, If-None-Match, X-Request-Id, Idempotency-Key, A2A-Version, " +
  `A2A-Extensions, X-A2A-Extensions, MCP-Protocol-Version, Mcp-Method, Mcp-Name, ${testHeader}`

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
