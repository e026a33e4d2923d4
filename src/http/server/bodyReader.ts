/**
 * Reads posted bodies, before their requests count as requests in flight.
 *
 * Slow senders must not block others, so the bodies being read are limited: in all, for each client, and
 * in time. A client over the route's budget may still send one at a time, because only the body says
 * which budget applies: free skills and payments have their own.
 *
 * @module
 */
import { ByteSize, Duration, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, HttpServerRequest } from "effect/http"
import { clientKeys, type RateLimiter, remembered, type Spent } from "./limits.ts"
import { type Body } from "./server.ts"
import { bodyBytesMax, overloadedPaid, rateLimitedBeforeReading } from "./errors.ts"

/** Most bodies that are on their way at once. */
export const pendingBodiesMax = 256
/** Most of them from one client: what is sent whole is here in a turn, and hardly takes a place. */
export const pendingBodiesPerClientMax = 8
/** Most of them from one IPv6 /48. */
export const pendingBodiesPerSiteMax = 64
/** Most of them from a client that is over its budget. */
const spentBodiesMax = 1
/** Within this a body has to be here. */
export const bodyTimeout = Duration.seconds(3)

/** Reads a body; or says at once why it is not read. The promise never rejects. */
export type BodyReader = (
  request: Request,
  address: string,
  limiter: RateLimiter,
) => Promise<Body> | Spent

/** The reader of a face; make it once. */
export const makeBodyReader: Effect.Effect<BodyReader> = Effect.gen(function* () {
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  let places = 0
  const taken = new Map<string, number>()
  const count = (key: string) => taken.get(key) ?? 0
  const move = (keys: ReadonlyArray<string>, by: number) => {
    places += by
    for (const key of keys) {
      const left = count(key) + by
      if (left === 0) taken.delete(key)
      else taken.set(key, left)
    }
  }

  return (request, address, limiter) => {
    const { near, far } = clientKeys(address)
    const spent = remembered(limiter, address, rateLimitedBeforeReading)
    if (count(near) >= (spent === null ? pendingBodiesPerClientMax : spentBodiesMax)) {
      return spent ?? tooMany
    }
    if (far !== null && count(far) >= pendingBodiesPerSiteMax) return spent ?? tooMany
    if (places >= pendingBodiesMax) return full
    const keys = far === null ? [near] : [near, far]
    move(keys, 1)
    return run(bodyOf(request), { signal: request.signal })
      .catch((): Body => ({ fault: "unreadable" }))
      .finally(() => move(keys, -1))
  }
})

const tooMany: Spent = {
  refusal: rateLimitedBeforeReading(Duration.toSeconds(bodyTimeout)),
  fields: [],
}
const full: Spent = { refusal: overloadedPaid, fields: [] }

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
