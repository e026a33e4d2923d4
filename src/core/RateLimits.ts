/**
 * The port to the shared limits: at most `limit` grants in any `windowMs`, for each key, over all
 * replicas. It is a sliding log, not a counter, so no window of that length has more. Above a limit
 * of 240 a grant may count 1/240 of the window longer.
 *
 * @module
 */
import { type Clock, Context, Effect, Schema } from "effect"
import { type EpochMs, leftMs } from "./domain/time.ts"

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

/** The limit cannot be read now: requests are refused, but for unpaid calls where the store is read-only. */
export class RateLimitUnavailable
  extends Schema.TaggedError<RateLimitUnavailable>()("RateLimitUnavailable", {
    /** Whether the store can still be read. */
    acceptsReads: Schema.optionalKey(Schema.Boolean),
  }) {}

export class RateLimits extends Context.Service<RateLimits, {
  /** Takes one grant for `key` if one is left. */
  readonly take: (
    policy: RatePolicy,
    key: string,
  ) => Effect.Effect<RateDecision, RateLimitUnavailable>
  /** Gives the newest grant of `key` back, if it has one. */
  readonly giveBack: (policy: RatePolicy, key: string) => Effect.Effect<void, RateLimitUnavailable>
  /** Deletes keys last granted before `before`, at most `pruneStepMs` after the oldest; returns how many. */
  readonly prune: (before: EpochMs) => Effect.Effect<number>
}>()("bellwether/core/RateLimits") {}

/** Most refusals in the cache of a limit; the oldest is dropped first. */
const refusalsMax = 10_000

/** One limit, which remembers in this process who is refused. */
interface Limit {
  /** How long a key is refused; 0 when it is not. Reads no store. */
  readonly refusedForMs: (key: string) => number
  readonly take: (key: string) => Effect.Effect<RateDecision, RateLimitUnavailable>
  readonly giveBack: (key: string) => Effect.Effect<void, RateLimitUnavailable>
}

/** A limit whose refused keys cost no call of the port until their next grant. */
export function makeLimit(
  limits: RateLimits["Service"],
  clock: Clock.Clock,
  policy: RatePolicy,
): Limit {
  const refusals = new Map<string, { readonly at: EpochMs; readonly forMs: number }>()
  // The last grant refuses the next request already. The wait counts from before the call to the
  // port, so it never ends later than the port's own.
  const cacheRefusal = (key: string, requestedAt: EpochMs, decision: RateDecision) => {
    if (decision.granted && decision.remaining > 0) return
    if (refusals.size >= refusalsMax) refusals.delete(refusals.keys().next().value ?? key)
    refusals.set(key, { at: requestedAt, forMs: decision.resetMs })
  }
  return {
    refusedForMs: (key) => {
      const refusal = refusals.get(key)
      if (refusal === undefined) return 0
      const refusedForMs = leftMs(refusal.at, refusal.forMs, clock.currentTimeMillisUnsafe())
      if (refusedForMs === 0) refusals.delete(key)
      return refusedForMs
    },
    take: (key) =>
      Effect.suspend(() => {
        const requestedAt = clock.currentTimeMillisUnsafe()
        return Effect.map(limits.take(policy, key), (decision) => {
          cacheRefusal(key, requestedAt, decision)
          return decision
        })
      }),
    giveBack: (key) =>
      Effect.andThen(
        limits.giveBack(policy, key),
        Effect.sync(() => refusals.delete(key)),
      ),
  }
}
