/**
 * The limit of invalid payments, uncharged answers and wrong parameters, per client and IPv6 /48.
 *
 * Each costs a signature check, a store read and perhaps a facilitator call, so they share one
 * count. A client over the limit is refused here before its payment is read and without a store
 * call; its calls in flight still finish.
 *
 * @module
 */
import { resend, resendUnused } from "../../catalog/domain/refusal.ts"
import { Effect } from "effect"
import { NotCharged } from "../../payments/domain/failedSale.ts"
import type { ClientKeys, Denied, RateLimiter } from "../server/limits.ts"

export function countInvalidPayments(limiter: RateLimiter) {
  /** Fails while the client is over the limit. */
  const check = (client: ClientKeys) =>
    Effect.suspend(() => {
      const denied = limiter.refusal(client)
      return denied === null ? Effect.void : Effect.fail(unread(denied))
    })

  /** Counts an invalid payment; fails when that exceeds the limit. */
  const countOrRefuse = (client: ClientKeys) =>
    Effect.flatMap(limiter.take(client), (decision) => {
      switch (decision.kind) {
        case "denied":
          return Effect.fail(new NotCharged(tooMany(decision)))
        case "unavailable":
          return Effect.fail(
            new NotCharged({
              code: "payments_unavailable",
              message: "Payments cannot be checked now",
              hint: resendUnused,
            }),
          )
        default:
          return Effect.void
      }
    })

  /**
   * Counts a call that is answered anyway: an uncharged answer, a conflict of a known payment, or a
   * wrong parameter. Never fails. The last grant blocks the client from its next call on.
   */
  const countOnly = (client: ClientKeys) => Effect.asVoid(limiter.take(client))

  return { check, countOrRefuse, countOnly }
}

const tooMany = ({ retryAfterSeconds }: Denied) => ({
  code: "rate_limited" as const,
  message: "Too many invalid payments or uncharged answers for this address",
  retryAfterSeconds,
})

/** The payment was not read. An earlier request may have used it, so `charged` is null. */
const unread = (denied: Denied) =>
  new NotCharged({
    ...tooMany(denied),
    hint: `This call did not read the payment: after Retry-After, ${resend}.`,
    taken: null,
  })
