/**
 * Answers a key that was denied from memory until the store would grant it again, so that a flood
 * from one address costs no query.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import type { EpochMs } from "./domain/time.ts"
import { RateLimits } from "./RateLimits.ts"

/** Denials remembered; beyond it the oldest is forgotten and asks the store again. */
const deniedMax = 10_000

/**
 * Over any `RateLimits`, the same limits. Nothing is granted here, and nothing is denied that the
 * store would grant: the wait it named is counted from before it was asked.
 */
export const layer: Layer.Layer<RateLimits, never, RateLimits> = Layer.effect(
  RateLimits,
  Effect.map(RateLimits, ({ take, prune }) => {
    /** Until when a policy's key is denied, oldest denial first. */
    const denied = new Map<string, EpochMs>()

    const remember = (name: string, until: EpochMs) => {
      denied.delete(name)
      denied.set(name, until)
      if (denied.size <= deniedMax) return
      for (const oldest of denied.keys()) {
        denied.delete(oldest)
        break
      }
    }

    return RateLimits.of({
      prune,
      take: (policy, key) =>
        Clock.clockWith((clock) => {
          const asked = clock.currentTimeMillisUnsafe()
          const name = `${policy.name};q=${policy.limit};w=${policy.windowMs};${key}`
          const until = denied.get(name)
          if (until !== undefined && asked < until) {
            return Effect.succeed({ granted: false, remaining: 0, resetMs: until - asked })
          }
          if (until !== undefined) denied.delete(name)
          return Effect.tap(take(policy, key), (decision) =>
            Effect.sync(() => {
              if (!decision.granted) remember(name, asked + decision.resetMs)
            }))
        }),
    })
  }),
)
