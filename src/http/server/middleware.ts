/**
 * The middleware around the router, from the outside inwards: the answer to each failure, the
 * requests that no route may see, and those that no route answers.
 *
 * @module
 */
import { Effect } from "effect"
import { type HttpServerError, type HttpServerRequest, type HttpServerResponse } from "effect/http"
import { invalidHost, refuse, targetLengthMax, targetTooLong } from "./errors.ts"
import type { AnswerLog } from "./answerLog.ts"
import { answerFailures, type ErrorPage, type Failure } from "./failures.ts"
import { byRequest, webOf } from "./inbound.ts"
import { answerUnrouted } from "./route.ts"

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
