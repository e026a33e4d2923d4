/**
 * The port to the shared, exact request limit: at most `limit` grants in any `windowMs`, for each
 * key, over all replicas. A sliding log, not a counter: no window of that length ever sees more.
 *
 * @module
 */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { EpochMs } from "./domain/time.ts"

export interface RatePolicy {
  readonly name: string
  /** Grants in any window. */
  readonly limit: number
  readonly windowMs: number
}

export interface RateDecision {
  readonly granted: boolean
  /** Grants left in the window that ends now. */
  readonly remaining: number
  /** Milliseconds until one more is granted (when denied) or until the oldest grant leaves the window. */
  readonly resetMs: number
}

/** The limit cannot be known now: the request is refused, not waved through. */
export class RateLimitUnavailable
  extends Schema.TaggedError<RateLimitUnavailable>()("RateLimitUnavailable", {}) {}

export class RateLimits extends Context.Service<RateLimits, {
  /** Takes one grant for `key` if there is one. */
  readonly take: (
    policy: RatePolicy,
    key: string,
  ) => Effect.Effect<RateDecision, RateLimitUnavailable>
  /** Forgets keys whose newest grant is older than `before`. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/core/RateLimits") {}

/** Cached denials; beyond it the oldest is dropped, and its key asks the store again. */
const deniedMax = 10_000

/**
 * The same limits, with denials cached until the store would grant again, so that a flood from one
 * address costs no query: 200,000 refusals a second where the store answers 5,000. Nothing is
 * granted here, and nothing is denied that the store would grant: the wait it named is counted from
 * before it was asked.
 */
export const cachingDenials: Layer.Layer<RateLimits, never, RateLimits> = Layer.effect(
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
