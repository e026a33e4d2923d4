/**
 * The port to the shared, exact request limit: at most `limit` grants in any `windowMs`, for each
 * key, over all replicas. It is a sliding log, not a counter, so no window of that length has more.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
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
