/**
 * The one place that turns a failure into an answer: its status, its body, and whether it was charged.
 *
 * @module
 */
import { Cause, Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http"
import type { NotCharged, RefundQueued, Unresolved } from "../../payments/domain/failedSale.ts"
import { type Answer, responseTo } from "./answer.ts"
import { type AnswerLog, isLogged } from "./answerLog.ts"
import { internalError, prepare, type PreparedRefusal, type Refused, toRefusal } from "./errors.ts"
import { byRequest, webOf } from "./inbound.ts"
import { prefersHtml } from "./mediaType.ts"

/** What a route may fail with. */
export type Failure = Refused | NotCharged | RefundQueued | Unresolved

type Response = HttpServerResponse.HttpServerResponse

/** The page of a refusal, for a person; null for one without a page. */
export type ErrorPage = (refusal: PreparedRefusal) => Answer | null

const utf8 = new TextEncoder()

/** Answers every failure of a route, and logs what no checkout has logged. A defect is logged; a client that has left gets nothing. */
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
        const refusal = failure === null ? internalError : refusalOf(failure)
        const { status, code, message, headers, body } = refusal
        const { headers: sent } = webOf(request)
        const hasPayment = sent.has("payment-signature") || sent.has("x-payment")
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
