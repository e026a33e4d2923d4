/**
 * The limit for what a client costs without paying: invalid payments, and answers given away.
 *
 * Both cost a signature check, a look into the store and perhaps a question to the facilitator, so
 * both are one count, in the shared limit. Who is over it is remembered here and turned away before
 * their payment is looked at, without asking the store; what they have in flight still ends.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { NotCharged } from "../../payments/domain/failedSale.ts"
import type { RateDecision, RateLimits, RatePolicy } from "../../core/RateLimits.ts"

/** How many clients are remembered as over the limit; beyond it the longest remembered is forgotten. */
const blockedClientsMax = 10_000

/** The limit of one policy; with none, nothing is counted. */
export function invalidPayments(limits: RateLimits["Service"], policy: RatePolicy | null) {
  const blockedUntilMs = new Map<string, number>()

  const tooMany = (waitMs: number) => ({
    code: "rate_limited" as const,
    message: "Too many invalid payments or given-away answers for this address",
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  })

  /** Fails while the client is over the limit. */
  const check = (client: string) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const until = blockedUntilMs.get(client)
      if (until === undefined) return Effect.void
      if (until > now) return Effect.fail(unseen(tooMany(until - now)))
      blockedUntilMs.delete(client)
      return Effect.void
    })

  const block = Effect.fnUntraced(function* (client: string, { resetMs }: RateDecision) {
    const now = yield* Clock.currentTimeMillis
    const [oldest] = blockedUntilMs.keys()
    if (blockedUntilMs.size >= blockedClientsMax && oldest !== undefined) {
      blockedUntilMs.delete(oldest)
    }
    blockedUntilMs.set(client, now + resetMs)
  })

  /** Counts an invalid payment; fails when that was one too many. */
  const count = Effect.fnUntraced(function* (client: string) {
    if (policy === null) return
    const decision = yield* limits.take(policy, client).pipe(
      Effect.mapError(() =>
        new NotCharged({
          code: "payments_unavailable",
          message: "Payments cannot be checked at this moment",
        })
      ),
    )
    if (decision.granted) return
    yield* block(client, decision)
    return yield* new NotCharged(tooMany(decision.resetMs))
  })

  /**
   * Counts what is answered all the same: an answer given away, the conflict of a payment that is
   * known, or a wrong parameter beside what is no payment for the product. Never fails; the client is turned away from the next call on when this was the last grant.
   */
  const note = (client: string) =>
    policy === null ? Effect.void : limits.take(policy, client).pipe(
      Effect.flatMap((decision) =>
        decision.granted && decision.remaining > 0 ? Effect.void : block(client, decision)
      ),
      Effect.catchTag("RateLimitUnavailable", () => Effect.void),
    )

  return { check, count, note }
}

/** Before the payment is looked at nobody knows whether it was taken: it may be one sent again. */
function unseen(refusal: { readonly code: "rate_limited"; readonly message: string }) {
  return new NotCharged({
    ...refusal,
    hint: "Wait, then send the same payment again: it was not looked at.",
    taken: null,
  })
}
