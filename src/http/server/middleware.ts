/**
 * The middleware around the router, from the outside inwards: the answer to each failure, the
 * requests that no route may see, and those that no route answers.
 *
 * @module
 */
import { Cause, Effect } from "effect"
import { type HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Answer, responseTo } from "./answer.ts"
import { type AnswerLog, isLogged } from "./answerLog.ts"
import {
  bodyBytesMax,
  bodyTooLarge,
  type Failure,
  internalError,
  internalErrorPaid,
  invalidHost,
  methodNotAllowed,
  notFound,
  prepare,
  type PreparedRefusal,
  refuse,
  targetLengthMax,
  targetTooLong,
  toRefusal,
} from "./errors.ts"
import { byRequest, webOf } from "./inbound.ts"
import { prefersHtml } from "./mediaType.ts"
import { preflight, readMethods } from "./route.ts"

type Response = HttpServerResponse.HttpServerResponse
type App<E, R> = Effect.Effect<Response, E, R | HttpServerRequest.HttpServerRequest>

/** The whole app over a router. It never fails. */
export const aroundRouter = <R>(
  router: Effect.Effect<Response, Failure | HttpServerError.HttpServerError, R>,
  log: AnswerLog,
  errorPage: ErrorPage,
): App<never, R> =>
  router.pipe(
    answerUnrouted,
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

/**
 * Answers what no route answered: OPTIONS with the methods of most paths, another method of a known
 * path with 405, and the rest with 404. The OPTIONS of a path knows its methods.
 */
const answerUnrouted = <R>(
  router: Effect.Effect<Response, Failure | HttpServerError.HttpServerError, R>,
): Effect.Effect<Response, Failure, R | HttpServerRequest.HttpServerRequest> =>
  Effect.catch(router, (failure) => {
    const isMissing = failure._tag === "Refused" && failure.refusal === notFound
    if (failure._tag !== "HttpServerError" && !isMissing) return Effect.fail(failure)
    return byRequest((request): Effect.Effect<Response, Failure, R> => {
      if (request.method === "OPTIONS") return Effect.succeed(preflight(readMethods))
      if (failure._tag !== "HttpServerError") return Effect.fail(failure)
      // Not as a new web request, which would spell the path in another way.
      const asOptions: typeof request = Object.create(request, { method: { value: "OPTIONS" } })
      const length = Number(request.headers["content-length"] ?? 0)
      return Effect.matchEffect(
        Effect.provideService(router, HttpServerRequest.HttpServerRequest, asOptions),
        {
          onFailure: () => refuse(notFound),
          onSuccess: ({ headers }) =>
            refuse(
              length > bodyBytesMax
                ? bodyTooLarge
                : methodNotAllowed(headers["allow"]?.split(", ") ?? readMethods),
            ),
        },
      )
    })
  })

/** The page of a refusal, for a person; null for one without a page. */
type ErrorPage = (refusal: PreparedRefusal) => Answer | null

const utf8 = new TextEncoder()

/**
 * The one place that turns a failure into an answer: its status, its body, and whether it was charged.
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
          ? refusalOf(failure)
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

/** A failure as its answer. */
const refusalOf = (failure: Failure): PreparedRefusal =>
  failure._tag === "Refused" ? failure.refusal : prepare(toRefusal(failure))
