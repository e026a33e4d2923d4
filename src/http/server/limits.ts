/**
 * The rate limits of clients.
 *
 * The `RateLimits` port keeps the exact count, shared by all replicas. A refused client is refused
 * again without a call to the port until its next grant. A flood from one address then costs no
 * query: 200,000 refusals a second where the store answers 5,000.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import type { Client } from "../../core/CallClient.ts"
import { leftMs } from "../../core/domain/time.ts"
import { makeLimit, type RateDecision, RateLimits, type RatePolicy } from "../../core/RateLimits.ts"

/** At most `limit` requests in any `windowMs`. `off` is for benchmarks only. */
export type RateBudget = { readonly limit: number; readonly windowMs: number } | "off"

export interface Denied {
  readonly kind: "denied"
  readonly field: string
  readonly retryAfterSeconds: number
}

export type LimitDecision =
  | Denied
  | { readonly kind: "granted"; readonly field: string }
  /** The shared count is not kept now. `grantedHere`: this process counts alone, and grants it. */
  | { readonly kind: "unavailable"; readonly grantedHere: boolean }

export interface RateLimiter {
  /** The `RateLimit-Policy` header; null when the budget is off. */
  readonly policyField: string | null
  /** The cached refusal of a client; null when there is none. */
  readonly refusal: (client: Client) => Denied | null
  /** Takes one grant, if the client has no cached refusal. */
  readonly take: (client: Client) => Effect.Effect<LimitDecision>
}

/** The function that multiplies the budget of documents. */
const times = (factor: number) => (documents: RateBudget): RateBudget =>
  documents === "off" ? "off" : { ...documents, limit: documents.limit * factor }

/**
 * The budget of the messages that start an MCP connection. It is larger than that of documents,
 * because the users of a hosted client share one address, and a refusal breaks a client.
 */
export const handshakeBudget = times(10)

/**
 * The budget of unpaid calls of paid paths over HTTP. Each purchase begins with one, and a 402 costs
 * no more than its refusal, so it is there for floods only.
 */
export const unpaidBudget = times(25)

/** An IPv6 client is counted twice: its /64, and its /48 with this multiple of the budget. */
const siteFactor = 12

const noLimit: RateLimiter = {
  policyField: null,
  refusal: () => null,
  take: () => Effect.succeed({ kind: "granted", field: "" }),
}

/** Clients that one process counts in a window while the store accepts only reads. */
const clientsHereMax = 10_000

/** Counts the requests of each client in this process; true within the budget of its window. */
function countHere(clock: Clock.Clock, { limit, windowMs }: Exclude<RateBudget, "off">) {
  const counts = new Map<string, number>()
  let begunAt = 0
  return (client: string): boolean => {
    const now = clock.currentTimeMillisUnsafe()
    if (leftMs(begunAt, windowMs, now) === 0) {
      counts.clear()
      begunAt = now
    }
    const count = (counts.get(client) ?? 0) + 1
    if (count > limit || (count === 1 && counts.size >= clientsHereMax)) return false
    counts.set(client, count)
    return true
  }
}

/** A limiter over the shared count, for one budget. */
export const makeLimiter = Effect.fnUntraced(
  function* makeLimiter(name: string, budget: RateBudget) {
    if (budget === "off") return noLimit
    const limits = yield* RateLimits
    const clock = yield* Clock.Clock
    const clientPolicy = { name, ...budget }
    const ofClient = makeLimit(limits, clock, clientPolicy)
    const ofSite = makeLimit(limits, clock, {
      name: `${name}/48`,
      limit: budget.limit * siteFactor,
      windowMs: budget.windowMs,
    })

    const grantHere = countHere(clock, budget)
    const request = (keys: Client) =>
      ofClient.take(keys.client).pipe(
        Effect.flatMap((decision) =>
          keys.site === null || !decision.granted ? Effect.succeed(decision) : Effect.map(
            ofSite.take(keys.site),
            (site) => site.granted && site.remaining >= decision.remaining ? decision : site,
          )
        ),
        Effect.map((decision) => decisionOf(clientPolicy, decision)),
        Effect.catchTag("RateLimitUnavailable", ({ acceptsReads }) =>
          Effect.sync((): LimitDecision => ({
            kind: "unavailable",
            grantedHere: acceptsReads === true && grantHere(keys.site ?? keys.client),
          }))),
      )

    const refusal = (keys: Client): Denied | null => {
      const refusedForMs = Math.max(
        ofClient.refusedForMs(keys.client),
        keys.site === null ? 0 : ofSite.refusedForMs(keys.site),
      )
      return refusedForMs > 0 ? denied(clientPolicy, refusedForMs) : null
    }
    const limiter: RateLimiter = {
      policyField: policyField(clientPolicy),
      refusal,
      // Not interruptible: a client that leaves would close a connection to the store.
      take: (keys) =>
        Effect.suspend(() => {
          const known = refusal(keys)
          return known === null ? Effect.uninterruptible(request(keys)) : Effect.succeed(known)
        }),
    }
    return limiter
  },
)

function decisionOf(
  policy: RatePolicy,
  { granted, remaining, resetMs }: RateDecision,
): LimitDecision {
  return granted
    ? { kind: "granted", field: rateField(policy, remaining, String(secondsOf(resetMs))) }
    : denied(policy, resetMs)
}

function denied(policy: RatePolicy, resetMs: number): Denied {
  const seconds = secondsOf(resetMs)
  return {
    kind: "denied",
    field: rateField(policy, 0, String(seconds)),
    retryAfterSeconds: seconds,
  }
}

const secondsOf = (ms: number) => Math.max(1, Math.ceil(ms / 1_000))

/** The `RateLimit-Policy` header of a policy. */
export function policyField({ name, limit, windowMs }: RatePolicy): string {
  return `"${name}";q=${limit};w=${Math.ceil(windowMs / 1_000)}`
}

/** The `RateLimit` header: the grants left, and the seconds until there are more. */
function rateField({ name }: RatePolicy, remaining: number, seconds: string): string {
  return `"${name}";r=${remaining};t=${seconds}`
}
