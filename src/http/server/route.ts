/**
 * The way of a request through the router. What is known of it before its route: its id, its sender, and
 * when its answer was sent. What stands around the router: the answer to each failure, the requests that
 * no route may see, and those that no route answers. What a path answers to which method; around a free
 * one its rate limit, around a POST the reading of its body. What stands around a call, which may have a
 * payment, is in `paywall.ts`.
 *
 * @module
 */
import { ByteSize, Cause, Context, Duration, Effect } from "effect"
import {
  HttpIncomingMessage,
  HttpRouter,
  type HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http"
import type { Client } from "../../core/CallClient.ts"
import { preparedFor } from "../../core/domain/prepared.ts"
import { makePartedPlaces, makePlacesByKey } from "../../core/places.ts"
import { testHeader } from "../../core/testCall.ts"
import { type Answer, type HeaderPair, prefersHtml, responseTo } from "./answer.ts"
import { type AnswerLog, isLogged } from "./answerLog.ts"
import {
  bodyBytesMax,
  type Failure,
  internalError,
  internalErrorPaid,
  invalidHost,
  makeNotFound,
  methodNotAllowed,
  notFound,
  overloaded,
  overloadedPaid,
  type PreparedRefusal,
  rateLimited,
  rateLimitedBeforeReading,
  refuse,
  targetLengthMax,
  targetTooLong,
  toRefusal,
} from "./errors.ts"
import type { Denied, RateLimiter } from "./limits.ts"

type Response = HttpServerResponse.HttpServerResponse
type App<E, R> = Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest>

/** Answers a request, or fails with what the caller may know. */
export type Handler<E = Failure> = App<E, never>

/** The sender of a request, as the socket knows it. */
export interface Peer {
  readonly remoteAddr: Deno.Addr
  /** Settles when the answer was sent or the client left; absent where there is no socket. */
  readonly completed?: Promise<void>
}

export interface Inbound {
  /** Chosen by the client or by us: letters, digits, `_` and `-`. */
  readonly requestId: string
  /** Who sent it, behind the trusted proxies. */
  readonly client: Client
  /** When it arrived, on the clock of `performance`. */
  readonly startedAt: number
  /** Settles when the answer was sent or the client left; absent where there is no socket. */
  readonly completed?: Promise<void> | undefined
  /** The name of its route in metrics. The router sets it; a path that a stranger chooses is none. */
  route: string
  /** The `RateLimit` headers of its answer, whatever that is. The limit that counts it sets them. */
  rateFields: ReadonlyArray<HeaderPair>
}

export const makeInbound = (
  requestId: string,
  client: Client,
  completed?: Promise<void>,
): Inbound => ({
  requestId,
  client,
  startedAt: performance.now(),
  completed,
  route: "other",
  rateFields: [],
})

export const CurrentInbound = Context.Reference<Inbound>("bellwether/http/Inbound", {
  defaultValue: () => makeInbound("unknown-request", { client: "unknown", site: null }),
})

/** The id of the current request. */
export const RequestId: Effect.Effect<string> = Effect.map(
  CurrentInbound,
  ({ requestId }) => requestId,
)

/** The web request under an Effect one: reading a header there does not copy them all. */
export const webOf = ({ source }: HttpServerRequest.HttpServerRequest): Request => source as Request

/** The query of a URL or a path. */
export const queryIn = (url: string) => new URLSearchParams(url.replace(/^[^?]*/, ""))

/** Chooses an effect by the current request. */
export const byRequest = <A, E, R>(
  choose: (
    request: HttpServerRequest.HttpServerRequest,
    inbound: Inbound,
  ) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.contextWith((context: Context.Context<HttpServerRequest.HttpServerRequest>) =>
    choose(
      Context.get(context, HttpServerRequest.HttpServerRequest),
      Context.get(context, CurrentInbound),
    )
  )

/**
 * Runs an effect in the background when the current answer was delivered on a live connection; at
 * once where there is no socket.
 */
export const onDelivered = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => {
      const { completed } = Context.get(context, CurrentInbound)
      const request = Context.getOrUndefined(context, HttpServerRequest.HttpServerRequest)
      const run = () => void Effect.runForkWith(context)(effect)
      if (completed === undefined || request === undefined) return run()
      completed.then(() => webOf(request).signal.aborted ? undefined : run(), () => {})
    })
  )

/** The whole app over a router. It never fails. */
export const aroundRouter = <R>(
  router: Effect.Effect<Response, Failure | HttpServerError.HttpServerError, R>,
  log: AnswerLog,
  errorPage: ErrorPage,
  paths: ReadonlyArray<string>,
): App<never, R> =>
  Effect.updateService(router, HttpServerRequest.HttpServerRequest, routedRequest).pipe(
    answerUnrouted(makeNotFound(paths)),
    refuseInvalidTargets,
    answerFailures(log, errorPage),
  )

/** The method that stands for all that no path answers, so that each path refuses them with its own. */
const otherMethod = "PUT"
/** The methods that the router knows. GET answers HEAD. */
const routedMethods = ["GET", "OPTIONS", "POST", otherMethod] as const

/** The request as the router knows it. */
function routedRequest(request: HttpServerRequest.HttpServerRequest): typeof request {
  return [...routedMethods, "HEAD"].includes(request.method)
    ? request
    // Not as a new web request, which would spell the path in another way.
    : Object.create(request, { method: { value: otherMethod } })
}

// The URL is built from the Host header and the target: these characters in Host would change it.
const notHostPattern = /[/?#@\\]/

const refuseInvalidTargets = <R>(app: App<Failure, R>): App<Failure, R> =>
  byRequest((request) => {
    if (notHostPattern.test(webOf(request).headers.get("host") ?? "")) return refuse(invalidHost)
    return request.url.length > targetLengthMax ? refuse(targetTooLong) : app
  })

/** Answers what no route answered: OPTIONS with the methods of most paths, and the rest with 404. */
const answerUnrouted = (notFoundAt: (url: string) => PreparedRefusal) =>
<R>(
  router: Effect.Effect<Response, Failure | HttpServerError.HttpServerError, R>,
): App<Failure, R> =>
  Effect.catch(
    router,
    (failure) =>
      byRequest(({ method, url }): Effect.Effect<Response, Failure> => {
        if (failure._tag !== "HttpServerError" && failure !== notFound) return Effect.fail(failure)
        return method === "OPTIONS"
          ? Effect.succeed(preflight(readMethods))
          : refuse(notFoundAt(url))
      }),
  )

/** The page of a refusal, for a person; null for one without a page. */
type ErrorPage = (refusal: PreparedRefusal) => Answer | null

const utf8 = new TextEncoder()

/**
 * The one place that turns a failure into an answer. `errors.ts` has status, body and what was charged.
 * It logs what no checkout has logged. A client that has left gets nothing.
 */
export const answerFailures =
  (log: AnswerLog, errorPage: ErrorPage = () => null) =>
  <R>(route: Effect.Effect<Response, Failure, R>): App<never, R> =>
    Effect.catchCause(route, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      return byRequest((request, { requestId, startedAt }) => {
        const [reason] = cause.reasons
        const failure = reason?._tag === "Fail" ? reason.error : null
        const { headers: sent } = webOf(request)
        const hasPayment = sent.has("payment-signature") || sent.has("x-payment")
        // A defect may come after the charge.
        const refusal = failure !== null
          ? failure._tag === "Refused" ? failure : toRefusal(failure)
          : hasPayment
          ? internalErrorPaid
          : internalError
        const { status, code, message, headers, body } = refusal
        // The checkout has logged the others.
        if ((failure === null || failure._tag === "Refused") && isLogged(status, hasPayment)) {
          const durationMs = Math.round(performance.now() - startedAt)
          const ids = { requestId, paymentId: null, product: null }
          log({ ...ids, status, code, reason: message, durationMs })
        }
        const page = request.method === "GET" && !hasPayment && prefersHtml(sent.get("accept"))
          ? errorPage(refusal)
          : null
        const response = page === null
          ? HttpServerResponse.uint8Array(utf8.encode(body(requestId)), { status, headers })
          : responseTo(webOf(request), page)
        return failure === null
          ? Effect.as(Effect.logError("Cannot answer a request", cause), response)
          : Effect.succeed(response)
      })
    })

/** Most requests that may wait for a store or a payment at once. */
export const pendingMax = 2_000
/** Most of them from one client. */
export const pendingPerClientMax = pendingMax / 10
/** Most of them from one IPv6 /48. */
const pendingPerSiteMax = 3 * pendingPerClientMax
/** How long a client with too many pending requests should wait, in seconds. */
export const pendingRetrySeconds = 1

/** The places of the requests that wait, of the whole public API. */
export const makePending = () =>
  makePartedPlaces({
    total: pendingMax,
    perClient: pendingPerClientMax,
    perSite: pendingPerSiteMax,
  })
export type Pending = ReturnType<typeof makePending>

/** The refusal of a client that has too many pending requests. */
export const tooManyPending = (refusal: PreparedRefusal): PreparedRefusal => ({
  ...refusal,
  headers: [
    ...refusal.headers,
    ["ratelimit-policy", `"pending";q=${pendingPerClientMax};qu="concurrent-requests"`],
    ["ratelimit", `"pending";r=0;t=${pendingRetrySeconds}`],
  ],
})
const busy = tooManyPending(rateLimited(pendingRetrySeconds))

/** Puts what a limiter decided on the answer to a request, whatever that is. */
export function nameLimit(inbound: Inbound, { policyField }: RateLimiter, field: string): void {
  if (policyField === null) return
  inbound.rateFields = [["ratelimit-policy", policyField], ["ratelimit", field]]
}

/** A paid call is refused before its payment is read, so its refusal returns `charged: null`. */
const refusals = {
  unpaid: { limited: rateLimited, full: overloaded },
  paid: { limited: rateLimitedBeforeReading, full: overloadedPaid },
} as const

/** Takes one grant for the client of the current request, or fails with the refusal. */
export const spend = (
  limiter: RateLimiter,
  call: keyof typeof refusals = "unpaid",
): Effect.Effect<void, PreparedRefusal> =>
  Effect.flatMap(CurrentInbound, (inbound) =>
    Effect.flatMap(
      limiter.take(inbound.client),
      (decision) => {
        if (decision.kind === "unavailable") {
          const isGranted = decision.grantedHere && call === "unpaid"
          return isGranted ? Effect.void : refuse(refusals[call].full)
        }
        if (decision.kind === "denied") return deny(inbound, limiter, decision, call)
        return Effect.sync(() => nameLimit(inbound, limiter, decision.field))
      },
    ))

/** Refuses a request for a decision. */
function deny(
  inbound: Inbound,
  limiter: RateLimiter,
  { retryAfterSeconds, field }: Denied,
  call: keyof typeof refusals,
): Effect.Effect<never, PreparedRefusal> {
  nameLimit(inbound, limiter, field)
  return refuse(refusals[call].limited(retryAfterSeconds))
}

/** Answers within a rate limit, and counts the request as pending meanwhile. */
export const limited = (
  pending: Pending,
  limiter: RateLimiter,
  handler: Handler,
  /** The answer while the count cannot be read; 503 overloaded when absent. */
  withoutStore?: Answer,
): Handler =>
  limiter.policyField === null ? handler : byRequest((request, inbound) => {
    const known = limiter.refusal(inbound.client)
    if (known !== null) return deny(inbound, limiter, known, "unpaid")
    const answered = Effect.matchEffect(spend(limiter), {
      onSuccess: () => handler,
      onFailure: (refusal) =>
        withoutStore !== undefined && refusal === overloaded
          ? Effect.succeed(responseTo(webOf(request), withoutStore))
          : refuse(refusal),
    })
    return pending.run(inbound.client, busy, overloaded)(answered)
  })

/** The posted body, or why it could not be read. */
export type Body =
  | { readonly bytes: ArrayBuffer }
  | { readonly fault: "too large" | "late" | "unreadable" }

/** POST of one of the agents' protocols, whose every answer is JSON-RPC. */
export type AgentHandler = (body: Body) => Handler<never>

/** Most bodies being read at once. */
export const pendingBodiesMax = 256
/** Most of them from one client. A body that arrives whole needs its slot only for a moment. */
export const pendingBodiesPerClientMax = 8
/** Most of them from one IPv6 /48. */
export const pendingBodiesPerSiteMax = 64
/** A body must arrive within this time. */
export const bodyTimeout = Duration.seconds(3)

/**
 * Reads the body of a POST for its handler, before the request counts as pending, or refuses it at once.
 * Make the reader once, for all routes.
 *
 * Slow senders must not block others, so the bodies being read are limited in total, per client and
 * in time. A client over the limit of documents may still send one body at a time, because only the
 * body shows which limit applies: free skills and payments have their own.
 */
export function makeBodyReader(limiter: RateLimiter) {
  const reading = makePartedPlaces({
    total: pendingBodiesMax,
    perClient: pendingBodiesPerClientMax,
    perSite: pendingBodiesPerSiteMax,
  })
  const overBudget = makePlacesByKey({ places: 1, waiting: 0, waitMax: Duration.zero })
  return (handle: (body: Body) => Handler): Handler =>
    byRequest((request, inbound) => {
      const { client } = inbound
      const known = limiter.refusal(client)
      const read = (refusal: PreparedRefusal) =>
        reading.run(inbound.client, refusal, overloadedPaid)(bodyOf(request))
      if (known === null) return Effect.flatMap(read(tooManyBodies), handle)
      const refusal = rateLimitedBeforeReading(known.retryAfterSeconds)
      return overBudget.run(client.client)(refusal)(read(refusal)).pipe(
        Effect.tapError((failure) =>
          Effect.sync(() => failure === refusal && nameLimit(inbound, limiter, known.field))
        ),
        Effect.flatMap(handle),
      )
    })
}

const tooManyBodies = rateLimitedBeforeReading(Duration.toSeconds(bodyTimeout))

const bodyOf = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<Body> =>
  request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(bodyBytesMax)),
    Effect.match({
      onSuccess: (bytes): Body => ({ bytes }),
      onFailure: (error): Body => ({ fault: isTooLarge(error) ? "too large" : "unreadable" }),
    }),
    Effect.timeoutOrElse({
      duration: bodyTimeout,
      orElse: () => Effect.succeed<Body>({ fault: "late" }),
    }),
  )

function isTooLarge({ reason }: HttpServerError.HttpServerError): boolean {
  return reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
}

/** Returns the answer to GET of this URL, prepared or read from the store. */
export type Source = (url: string) => Effect.Effect<Answer, PreparedRefusal>

/** A source of prepared answers; null when none can be made now. */
export const ready = (current: (url: string) => Answer | PreparedRefusal | null): Source => (url) =>
  Effect.suspend(() => {
    const found = current(url) ?? overloaded
    return "body" in found ? refuse(found) : Effect.succeed(found)
  })

/** GET under a rate limit. */
export interface FreeRoute {
  readonly limiter: RateLimiter
  readonly current: Source
  /** The answer while the store, and so every rate limit, is unreachable; else 503 overloaded. */
  readonly withoutStore?: Answer
}

/** The answer that a source returns now. */
export const fromSource = (current: Source): Handler =>
  byRequest((request) => {
    const web = webOf(request)
    return Effect.map(current(web.url), (answer) => responseTo(web, answer))
  })

/** A response with `Vary: Accept`, made once for a response that is sent many times. */
export const varyingByAccept = preparedFor((response: Response): Response => {
  const { vary } = response.headers
  return HttpServerResponse.setHeader(
    response,
    "vary",
    vary === undefined ? "Accept" : `Accept, ${vary}`,
  )
})

export interface Route {
  /** A path, with a name after `:` for one part of any text, or `/*` at its end for any rest or none. */
  readonly path: `/${string}`
  /** Its name in metrics. */
  readonly name: string
  /** Absent on a path that accepts only POST. It answers HEAD as well. */
  readonly get?: Handler
  readonly post?: Handler
}

const readMethods = ["GET", "HEAD", "OPTIONS"]

/** The router is strict about case and slashes; `isSpelledAs` about all else. */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: targetLengthMax,
}

/** Adds a route to the router. */
export const addRoute = Effect.fnUntraced(function* addRoute({ path, name, get, post }: Route) {
  const router = yield* HttpRouter.HttpRouter
  const allowed = [...get === undefined ? ["OPTIONS"] : readMethods, ...post ? ["POST"] : []]
  const isOwn = isSpelledAs(path)
  const notAllowed = refuse(methodNotAllowed(allowed, path.replace(/:(\w+)$/, "{$1}")))
  const options = Effect.succeed(preflight(allowed))
  const handlers: Readonly<Record<string, Handler | undefined>> = {
    GET: get,
    POST: post,
    OPTIONS: options,
  }
  for (const method of routedMethods) {
    const handler = handlers[method] ?? notAllowed
    const named = byRequest(({ url }, inbound) => {
      if (!isOwn(url)) return refuse(notFound)
      inbound.route = name
      return handler
    })
    yield* router.add(method, path, named)
  }
})

/**
 * Whether a URL has the path, or what is fixed of it, letter by letter. The router also decodes escaped
 * characters, and takes what follows a `;` for a query that no parameter is read from.
 */
function isSpelledAs(path: string): (url: string) => boolean {
  const fixed = path.replace(/:\w+$|\/\*$/, "")
  const next = path.endsWith("/*") ? ["", "?", "/"] : ["", "?"]
  const hasName = path.includes(":")
  return (url) => url.startsWith(fixed) && (hasName || next.includes(url.charAt(fixed.length)))
}

/** The handler of a path with this prefix, chosen by the rest; null is a 404. */
export const byRest = (
  prefix: string,
  choose: (rest: string, query: string) => Handler | null,
): Handler =>
  byRequest(({ url }) => {
    const queryStart = url.indexOf("?")
    const end = queryStart < 0 ? url.length : queryStart
    return choose(url.slice(prefix.length, end), url.slice(end)) ?? refuse(notFound)
  })

const requestHeaders = "Content-Type, Accept, Authorization, PAYMENT-SIGNATURE, X-PAYMENT, " +
  "Access-Control-Expose-Headers, If-None-Match, X-Request-Id, Idempotency-Key, A2A-Version, " +
  `A2A-Extensions, X-A2A-Extensions, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-402-Version, ${testHeader}`

/** The answer to OPTIONS. */
const preflight = (methods: ReadonlyArray<string>) =>
  HttpServerResponse.empty({
    status: 204,
    headers: {
      "allow": methods.join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": requestHeaders,
      "access-control-max-age": "86400",
    },
  })
