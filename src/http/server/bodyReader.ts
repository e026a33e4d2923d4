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
import { makePartedPlaces, makePlacesByKey } from "../../core/places.ts"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import { bodyBytesMax, overloadedPaid, rateLimitedBeforeReading, refused } from "./errors.ts"
import { addressOf, byRequest } from "./inbound.ts"
import { clientOf, denial, type RateLimiter } from "./limits.ts"
import type { Body, Handler } from "./route.ts"

/** Most bodies being read at once. */
export const pendingBodiesMax = 256
/** Most of them from one client. A body that arrives whole needs its slot only for a moment. */
export const pendingBodiesPerClientMax = 8
/** Most of them from one IPv6 /48. */
export const pendingBodiesPerSiteMax = 64
/** A body must arrive within this time. */
export const bodyTimeout = Duration.seconds(3)

/** Reads the body of a POST for its handler, or refuses the request at once. */
type BodyReader = (limiter: RateLimiter, handle: (body: Body) => Handler) => Handler

/** The body reader of the public API; make it once. */
export function makeBodyReader(): BodyReader {
  const reading = makePartedPlaces({
    total: pendingBodiesMax,
    perClient: pendingBodiesPerClientMax,
    perSite: pendingBodiesPerSiteMax,
  })
  const overBudget = makePlacesByKey({ places: 1, waiting: 0, waitMax: Duration.zero })
  return (limiter, handle) =>
    byRequest((request) => {
      const keys = clientOf(addressOf(request))
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
