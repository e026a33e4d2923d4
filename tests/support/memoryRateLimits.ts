/**
 * The shared limits in memory, exact: a sliding log for each policy and key.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import { type RateDecision, RateLimits, type RatePolicy } from "../../src/core/RateLimits.ts"
import type { RateLimiter } from "../../src/http/server/limits.ts"

/** Limits in memory; `before` runs before each take and may fail. */
export const memoryRateLimits = (
  before: ReturnType<RateLimits["Service"]["giveBack"]> = Effect.void,
): RateLimits["Service"] => {
  const grants = new Map<string, ReadonlyArray<number>>()
  const idOf = ({ name }: RatePolicy, key: string) => `${name} ${key}`
  const decide = (policy: RatePolicy, key: string) =>
    Effect.map(Clock.currentTimeMillis, (now): RateDecision => {
      const { limit, windowMs } = policy
      const live = (grants.get(idOf(policy, key)) ?? []).filter((at) => now - at < windowMs)
      const granted = live.length < limit
      const counted = granted ? [...live, now] : live
      grants.set(idOf(policy, key), counted)
      return {
        granted,
        remaining: limit - counted.length,
        resetMs: (counted[0] ?? now) + windowMs - now,
      }
    })
  return {
    take: (policy, key) => Effect.andThen(before, decide(policy, key)),
    giveBack: (policy, key) =>
      Effect.andThen(
        before,
        Effect.sync(() => {
          grants.set(idOf(policy, key), (grants.get(idOf(policy, key)) ?? []).slice(0, -1))
        }),
      ),
    prune: () => Effect.succeed(0),
  }
}

export const layerMemoryRateLimits = Layer.sync(RateLimits, () => memoryRateLimits())

/** A limiter that grants every call. */
export const unlimited: RateLimiter = {
  policyField: null,
  refusal: () => null,
  take: () => Effect.succeed({ kind: "granted", field: "" }),
}
