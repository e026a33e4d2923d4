/**
 * Reads posted bodies, before their requests count as pending.
 *
 * Slow senders must not block others, so the bodies being read are limited in total, per client and
 * in time. A client over the route's budget may still send one body at a time, because only the
 * body shows which budget applies: free skills and payments have their own.
 *
 * @module
 */
import { ByteSize, Duration, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import { cachedRefusal, clientKeys, type LimitRefusal, type RateLimiter } from "./limits.ts"
import { makePendingRequests } from "./pendingRequests.ts"
import { type Body } from "./server.ts"
import { bodyBytesMax, overloadedPaid, rateLimitedBeforeReading } from "./errors.ts"

/** Most bodies being read at once. */
export const pendingBodiesMax = 256
/** Most of them from one client. A body that arrives whole needs its slot only for a moment. */
export const pendingBodiesPerClientMax = 8
/** Most of them from one IPv6 /48. */
export const pendingBodiesPerSiteMax = 64
/** Most of them from a client that is over its budget. */
const pendingBodiesOverBudgetMax = 1
/** A body must arrive within this time. */
export const bodyTimeout = Duration.seconds(3)

/** Reads a body, or returns at once the refusal to read it. The promise never rejects. */
export type BodyReader = (
  request: Request,
  address: string,
  limiter: RateLimiter,
) => Promise<Body> | LimitRefusal

/** The body reader of the public API; make it once. */
export const makeBodyReader: Effect.Effect<BodyReader> = Effect.gen(function* () {
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const reading = makePendingRequests({
    total: pendingBodiesMax,
    perClient: pendingBodiesPerClientMax,
    perSite: pendingBodiesPerSiteMax,
  })

  return (request, address, limiter) => {
    const keys = clientKeys(address)
    const refusal = cachedRefusal(limiter, address, rateLimitedBeforeReading)
    const exceeded = reading.exceeded(
      keys,
      refusal === null ? undefined : pendingBodiesOverBudgetMax,
    )
    if (exceeded !== null) return exceeded === "total" ? full : refusal ?? tooMany
    return run(bodyOf(request), { signal: request.signal })
      .catch((): Body => ({ fault: "unreadable" }))
      .finally(reading.begin(keys))
  }
})

const tooMany: LimitRefusal = {
  refusal: rateLimitedBeforeReading(Duration.toSeconds(bodyTimeout)),
  fields: [],
}
const full: LimitRefusal = { refusal: overloadedPaid, fields: [] }

const bodyOf = (request: Request): Effect.Effect<Body> =>
  HttpServerRequest.fromWeb(request).arrayBuffer.pipe(
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
