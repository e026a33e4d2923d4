/**
 * What stands around every call, which may have a payment: a place among the requests that wait, a
 * trace, the name of the limit that refused it, and the answer to its failure.
 *
 * @module
 */
import { Effect, Option, References } from "effect"
import { type HttpServerRequest, HttpServerResponse, HttpTraceContext } from "effect/http"
import type { RatePolicy } from "../../core/RateLimits.ts"
import { TestCall, testHeader } from "../../core/testCall.ts"
import { annotate, inTrace } from "../../core/tracing.ts"
import { type Pending, pendingFields, pendingRetrySeconds } from "./admission.ts"
import type { AnswerLog } from "./answerLog.ts"
import { overloadedPaid, rateLimitedBeforeReading, refused } from "./errors.ts"
import { addressOf, byRequest, webOf } from "./inbound.ts"
import { clientOf, policyField, type RateBudget, rateField } from "./limits.ts"
import { answerFailures } from "./middleware.ts"
import type { Handler } from "./route.ts"

/** Wraps the handler of a call: of a GET with a payment, and of every POST. */
export type AsCall = (handler: Handler) => Handler

/** `budget` is that of invalid payments. */
export const makeAsCall = (log: AnswerLog, pending: Pending, budget: RateBudget): AsCall => {
  const policy = budget === "off" ? null : { name: "invalid_payments", ...budget }
  return (handler) => placed(pending, traceCall(namingLimit(policy)(answerFailures(log)(handler))))
}

/** Answers when the client and all clients have a place left. */
const placed = (pending: Pending, handler: Handler): Handler =>
  byRequest((request) =>
    pending.run(clientOf(addressOf(request)), busy, refused(overloadedPaid))(handler)
  )

/** A posted body may contain a payment, so it is refused like a paid call. */
const busy = refused(rateLimitedBeforeReading(pendingRetrySeconds), pendingFields)

/** In a trace of its own, with the request's id on its log lines, and with the test trigger it names. */
const traceCall = <E>(handler: Handler<E>): Handler<E> =>
  byRequest((request, { requestId }) => {
    let isClosed = false
    const trigger = webOf(request).headers.get(testHeader)
    return traced(handler, request, requestId).pipe(
      Effect.provideService(References.CurrentLogAnnotations, { requestId }),
      Effect.provideService(TestCall, { trigger, close: Effect.sync(() => (isClosed = true)) }),
      Effect.map((response) => isClosed ? closedResponse() : response),
    )
  })

/** One trace for each call. The path is one of ours, so it has few values. */
const traced = <E>(
  handler: Handler<E>,
  { method, originalUrl, headers }: HttpServerRequest.HttpServerRequest,
  requestId: string,
): Handler<E> =>
  handler.pipe(
    Effect.tap(({ status }) => annotate({ "http.response.status_code": status })),
    inTrace("request", () => ({
      attributes: {
        "request.id": requestId,
        "http.request.method": method,
        "http.route": URL.parse(originalUrl, "http://localhost")?.pathname ?? "",
      },
      caller: Option.getOrNull(HttpTraceContext.w3c(headers)),
    })),
  )

/** An answer whose connection is closed while its body is sent. */
const closedResponse = () =>
  HttpServerResponse.raw(
    new ReadableStream({
      start: (controller) => controller.error(new Error("Closed by a test trigger")),
    }),
  )

/** Names the limit of invalid payments, which the checkout counts, on a call that it refused. */
const namingLimit = (policy: RatePolicy | null) => (handler: Handler<never>): Handler<never> =>
  Effect.map(handler, (response) => {
    const { status, headers } = response
    if (policy === null || status !== 429 || "ratelimit" in headers) return response
    return HttpServerResponse.setHeaders(response, [
      ["ratelimit-policy", policyField(policy)],
      ["ratelimit", rateField(policy, 0, headers["retry-after"] ?? "1")],
    ])
  })
