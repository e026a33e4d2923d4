/**
 * What stands around a handler, from the outside inwards. Around the router: the answer to each
 * failure, the requests that no route may see, and those that no route answers. Around a free route:
 * its rate limit. Around a POST: the reading of its body. What stands around a call, which may have
 * a payment, is in `paywall.ts`.
 *
 * @module
 */
import { ByteSize, Cause, Duration, Effect } from "effect"
import {
  HttpIncomingMessage,
  type HttpServerError,
  HttpServerRequest,
  HttpServerResponse,
} from "effect/http"
import { makePartedPlaces, makePlacesByKey } from "../../core/places.ts"
import { type Answer, type HeaderPair, prefersHtml, responseTo } from "./answer.ts"
import { type AnswerLog, isLogged } from "./answerLog.ts"
import {
  bodyBytesMax,
  type Failure,
  internalError,
  internalErrorPaid,
  invalidHost,
  makeNotFound,
  notFound,
  overloaded,
  overloadedPaid,
  type PreparedRefusal,
  rateLimited,
  rateLimitedBeforeReading,
  refuse,
  refused,
  targetLengthMax,
  targetTooLong,
  toRefusal,
} from "./errors.ts"
import { denial, type RateLimiter, spend } from "./limits.ts"
import {
  type Body,
  byRequest,
  type Handler,
  preflight,
  readMethods,
  routedRequest,
  webOf,
} from "./route.ts"

type Response = HttpServerResponse.HttpServerResponse
type App<E, R> = Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest>

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
): Effect.Effect<Response, Failure, R | HttpServerRequest.HttpServerRequest> =>
  Effect.catch(
    router,
    (failure) =>
      byRequest(({ method, url }): Effect.Effect<Response, Failure> => {
        if (failure._tag !== "HttpServerError" && !isNotFound(failure)) return Effect.fail(failure)
        return method === "OPTIONS"
          ? Effect.succeed(preflight(readMethods))
          : refuse(notFoundAt(url))
      }),
  )

const isNotFound = (failure: Failure) => failure._tag === "Refused" && failure.refusal === notFound

/** The page of a refusal, for a person; null for one without a page. */
type ErrorPage = (refusal: PreparedRefusal) => Answer | null

const utf8 = new TextEncoder()

/**
 * The one place that turns a failure into an answer. `errors.ts` has status, body and what was charged.
 * It logs what no checkout has logged. A client that has left gets nothing.
 */
export const answerFailures =
  (log: AnswerLog, errorPage: ErrorPage = () => null) =>
  <R>(route: Effect.Effect<Response, Failure, R>): Effect.Effect<
    Response,
    never,
    R | HttpServerRequest.HttpServerRequest
  > =>
    Effect.catchCause(route, (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
      return byRequest((request, { requestId, startedAt }) => {
        const [reason] = cause.reasons
        const failure = reason?._tag === "Fail" ? reason.error : null
        const { headers: sent } = webOf(request)
        const hasPayment = sent.has("payment-signature") || sent.has("x-payment")
        // A defect may come after the charge.
        const refusal = failure !== null
          ? failure._tag === "Refused" ? failure.refusal : toRefusal(failure)
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
        const fields = failure?._tag === "Refused" ? failure.fields : []
        const page = request.method === "GET" && !hasPayment && prefersHtml(sent.get("accept"))
          ? errorPage(refusal)
          : null
        const response = page === null
          ? HttpServerResponse.uint8Array(utf8.encode(body(requestId)), {
            status,
            headers: [...headers, ...fields],
          })
          : HttpServerResponse.setHeaders(responseTo(webOf(request), page), fields)
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

export const pendingFields: ReadonlyArray<HeaderPair> = [
  ["ratelimit-policy", `"pending";q=${pendingPerClientMax};qu="concurrent-requests"`],
  ["ratelimit", `"pending";r=0;t=${pendingRetrySeconds}`],
]
const busy = refused(rateLimited(pendingRetrySeconds), pendingFields)

/** Answers within a rate limit, and counts the request as pending meanwhile. */
export const limited = (
  pending: Pending,
  limiter: RateLimiter,
  handler: Handler,
  /** The answer while the count cannot be read; 503 overloaded when absent. */
  withoutStore?: Answer,
): Handler =>
  limiter.policyField === null ? handler : byRequest((request, { client: keys }) => {
    const known = limiter.refusal(keys)
    if (known !== null) return Effect.fail(denial(limiter, known))
    const answered = Effect.matchEffect(spend(limiter, keys), {
      onSuccess: (fields) => withFields(handler, fields),
      onFailure: (failure) =>
        withoutStore !== undefined && failure.refusal === overloaded
          ? Effect.succeed(responseTo(webOf(request), withoutStore))
          : Effect.fail(failure),
    })
    return pending.run(keys, busy, refused(overloaded))(answered)
  })

/** The headers of a grant, on the answer and on a refusal of the route. */
const withFields = (handler: Handler, fields: ReadonlyArray<HeaderPair>): Handler =>
  Effect.mapBoth(handler, {
    onSuccess: (response) => HttpServerResponse.setHeaders(response, fields),
    onFailure: (failure) =>
      failure._tag === "Refused"
        ? refused(failure.refusal, [...failure.fields, ...fields])
        : failure,
  })

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
    byRequest((request, { client: keys }) => {
      const known = limiter.refusal(keys)
      const refusal = known && denial(limiter, known, rateLimitedBeforeReading)
      const body = reading.run(keys, refusal ?? tooMany, full)(bodyOf(request))
      return Effect.flatMap(
        refusal === null ? body : overBudget.run(keys.client)(refusal)(body),
        handle,
      )
    })
}

const tooMany = refused(rateLimitedBeforeReading(Duration.toSeconds(bodyTimeout)))
const full = refused(overloadedPaid)

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
