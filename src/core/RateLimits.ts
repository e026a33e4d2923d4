/**
 * The port to the shared, exact request limit: at most `limit` grants in any `windowMs`, for each
 * key, over all replicas. A sliding log, not a counter: no window of that length ever sees more.
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
