/**
 * The port to the shared, exact request limit: at most `limit` grants in any `windowMs`, for each
 * key, over all replicas. It is a sliding log, not a counter, so no window of that length has more.
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
  /** Time until one more is granted (when denied) or until the oldest grant leaves the window. */
  readonly resetMs: number
}

/** The limit cannot be read now: the request is refused, never let through. */
export class RateLimitUnavailable
  extends Schema.TaggedError<RateLimitUnavailable>()("RateLimitUnavailable", {}) {}

export class RateLimits extends Context.Service<RateLimits, {
  /** Takes one grant for `key` if one is left. */
  readonly take: (
    policy: RatePolicy,
    key: string,
  ) => Effect.Effect<RateDecision, RateLimitUnavailable>
  /** Deletes keys whose newest grant is older than `before`; returns how many. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/core/RateLimits") {}

/** The most cached denials. Beyond it the oldest is dropped, and its key queries the store again. */
const deniedMax = 10_000

/**
 * The same limits, with denials cached until the store would grant again. A flood from one address
 * then costs no query: 200,000 refusals a second where the store answers 5,000. The cache never
 * grants, and never denies what the store would grant: a denial is timed from before its query.
 */
export const cachingDenials: Layer.Layer<RateLimits, never, RateLimits> = Layer.effect(
  RateLimits,
  Effect.map(RateLimits, ({ take, prune }) => {
    /** Until when a policy's key is denied, oldest denial first. */
    const deniedUntil = new Map<string, EpochMs>()

    const cacheDenial = (name: string, until: EpochMs) => {
      deniedUntil.delete(name)
      deniedUntil.set(name, until)
      if (deniedUntil.size <= deniedMax) return
      for (const oldest of deniedUntil.keys()) {
        deniedUntil.delete(oldest)
        break
      }
    }

    return RateLimits.of({
      prune,
      take: (policy, key) =>
        Clock.clockWith((clock) => {
          const now = clock.currentTimeMillisUnsafe()
          const name = `${policy.name};q=${policy.limit};w=${policy.windowMs};${key}`
          const until = deniedUntil.get(name)
          if (until !== undefined && now < until) {
            return Effect.succeed({ granted: false, remaining: 0, resetMs: until - now })
          }
          if (until !== undefined) deniedUntil.delete(name)
          return Effect.tap(take(policy, key), (decision) =>
            Effect.sync(() => {
              if (!decision.granted) cacheDenial(name, now + decision.resetMs)
            }))
        }),
    })
  }),
)
