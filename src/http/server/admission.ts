/**
 * Who may be answered now: middleware of routes that counts requests, by time and at once.
 *
 * @module
 */
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { makePartedPlaces } from "../../core/places.ts"
import { type Answer, type HeaderPair, responseTo } from "./answer.ts"
import { overloaded, rateLimited, refused } from "./errors.ts"
import { addressOf, byRequest, webOf } from "./inbound.ts"
import { clientOf, denial, type RateLimiter, spend } from "./limits.ts"
import type { Handler } from "./route.ts"

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

/** Answers within a rate limit, and counts the request as pending meanwhile. */
export const limited = (
  pending: Pending,
  limiter: RateLimiter,
  handler: Handler,
  /** The answer while the count cannot be read; 503 overloaded when absent. */
  withoutStore?: Answer,
): Handler =>
  limiter.policyField === null ? handler : byRequest((request) => {
    const keys = clientOf(addressOf(request))
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

/** The headers of a refusal for too many pending requests. */
export const pendingFields: ReadonlyArray<HeaderPair> = [
  ["ratelimit-policy", `"pending";q=${pendingPerClientMax};qu="concurrent-requests"`],
  ["ratelimit", `"pending";r=0;t=${pendingRetrySeconds}`],
]
const busy = refused(rateLimited(pendingRetrySeconds), pendingFields)
