/**
 * Who a client is, and how much it may ask for.
 *
 * The count itself is shared and exact, behind the `RateLimits` port. What is kept here is only the
 * memory of a refusal: until a refused client's next grant it is refused again without a question to
 * the port, so that a flood costs less than the answers it asks for.
 *
 * @module
 */
import { Clock, Effect, Result } from "effect"
import * as NetAddress from "effect/net/NetAddress"
import type { EpochMs } from "../../core/domain/time.ts"
import type { HeaderPair } from "./answer.ts"
import {
  overloaded,
  overloadedPaid,
  type PreparedRefusal,
  rateLimited,
  rateLimitedBeforeReading,
} from "./errors.ts"
import { type RateDecision, RateLimits, type RatePolicy } from "../../core/RateLimits.ts"

/** At most `limit` requests in any `windowMs`. `off` is for benchmarks only. */
export type Budget = { readonly limit: number; readonly windowMs: number } | "off"

export type Verdict =
  | { readonly kind: "unlimited" }
  | { readonly kind: "granted"; readonly field: string }
  | { readonly kind: "denied"; readonly field: string; readonly retryAfterSeconds: number }
  /** So much waits already that the count was not even asked. */
  | { readonly kind: "busy" }
  /** The count cannot be known now. */
  | { readonly kind: "unavailable" }

/** What a client is counted under. IPv6 counts twice: by /64, and by /48 twelve times as large. */
interface ClientKeys {
  readonly near: string
  readonly far: string | null
}

export interface RateLimiter {
  /** The `RateLimit-Policy` field; null when the budget is off. */
  readonly policyField: string | null
  /** Takes one grant. A remembered refusal is answered at once; when `busy`, so is all else. */
  readonly admit: (client: ClientKeys, busy: boolean) => Verdict | Promise<Verdict>
}

/** How many times the /64 budget a whole /48 has. */
const siteFactor = 12
/** How many refusals are remembered; the oldest goes first. */
const denialsMax = 10_000

const unlimited: Verdict = { kind: "unlimited" }
const tooBusy: Verdict = { kind: "busy" }
const unavailable: Verdict = { kind: "unavailable" }

/** A limiter over the shared count, for one budget. */
export const makeLimiter = Effect.fnUntraced(function* (name: string, budget: Budget) {
  if (budget === "off") {
    return { policyField: null, admit: () => unlimited } satisfies RateLimiter as RateLimiter
  }
  const limits = yield* RateLimits
  const clock = yield* Clock.Clock
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  const near = { name, ...budget }
  const far = { name: `${name}/48`, limit: budget.limit * siteFactor, windowMs: budget.windowMs }
  const denials = new Map<string, EpochMs>()

  // From before the question, so that nobody is refused who would be granted.
  const remember = (key: string, asked: EpochMs, decision: RateDecision) => {
    if (decision.granted) return
    if (denials.size >= denialsMax) denials.delete(denials.keys().next().value ?? key)
    denials.set(key, asked + decision.resetMs)
  }
  const deniedFor = (key: string): number => {
    const until = denials.get(key)
    if (until === undefined) return 0
    const left = until - clock.currentTimeMillisUnsafe()
    if (left <= 0) denials.delete(key)
    return left
  }
  const take = (policy: typeof near, key: string) =>
    Effect.suspend(() => {
      const asked = clock.currentTimeMillisUnsafe()
      return Effect.map(limits.take(policy, key), (decision) => {
        remember(key, asked, decision)
        return decision
      })
    })

  const ask = (client: ClientKeys) =>
    take(near, client.near).pipe(
      Effect.flatMap((decision) =>
        client.far === null || !decision.granted ? Effect.succeed(decision) : Effect.map(
          take(far, client.far),
          (site) => site.granted && site.remaining >= decision.remaining ? decision : site,
        )
      ),
      Effect.map((decision) => verdict(near, decision)),
      Effect.catchTag("RateLimitUnavailable", () => Effect.succeed(unavailable)),
    )

  const limiter: RateLimiter = {
    policyField: policyField(near),
    admit: (client, busy) => {
      const left = Math.max(
        deniedFor(client.near),
        client.far === null ? 0 : deniedFor(client.far),
      )
      if (left > 0) return verdict(near, { granted: false, remaining: 0, resetMs: left })
      return busy ? tooBusy : run(ask(client))
    },
  }
  return limiter
})

/** A refusal of a budget, and the fields that go with it. */
export interface Spent {
  readonly refusal: PreparedRefusal
  readonly fields: ReadonlyArray<HeaderPair>
}

/** What a refusal says: of a call that shows a payment nobody looked at, nothing is said of its money. */
const refusals = {
  unpaid: { limited: rateLimited, full: overloaded },
  paid: { limited: rateLimitedBeforeReading, full: overloadedPaid },
} as const

/** Takes one grant for an address: the fields of the answer, or why there is none. */
export const spend = (
  limiter: RateLimiter,
  address: string,
  call: keyof typeof refusals = "unpaid",
): Effect.Effect<ReadonlyArray<HeaderPair>, Spent> =>
  Effect.flatMap(
    Effect.promise(async () => await limiter.admit(clientKeys(address), false)),
    (verdict) => {
      switch (verdict.kind) {
        case "unlimited":
          return Effect.succeed([])
        case "granted":
          return Effect.succeed(rateFields(limiter, verdict.field))
        case "denied":
          return Effect.fail({
            refusal: refusals[call].limited(verdict.retryAfterSeconds),
            fields: rateFields(limiter, verdict.field),
          })
        case "busy":
        case "unavailable":
          return Effect.fail({ refusal: refusals[call].full, fields: [] })
      }
    },
  )

/** The refusal of an address that is remembered to be over a budget; null when there is none. */
export function remembered(
  limiter: RateLimiter,
  address: string,
  refusalOf: (retryAfterSeconds: number) => PreparedRefusal = rateLimited,
): Spent | null {
  const verdict = limiter.admit(clientKeys(address), true)
  return verdict instanceof Promise || verdict.kind !== "denied" ? null : {
    refusal: refusalOf(verdict.retryAfterSeconds),
    fields: rateFields(limiter, verdict.field),
  }
}

/** The two fields of a limiter's answer. */
export function rateFields({ policyField }: RateLimiter, field: string): ReadonlyArray<HeaderPair> {
  return policyField === null ? [] : [["ratelimit-policy", policyField], ["ratelimit", field]]
}

function verdict(policy: RatePolicy, { granted, remaining, resetMs }: RateDecision): Verdict {
  const seconds = Math.max(1, Math.ceil(resetMs / 1_000))
  const field = rateField(policy, remaining, String(seconds))
  return granted
    ? { kind: "granted", field }
    : { kind: "denied", field, retryAfterSeconds: seconds }
}

/** The `RateLimit-Policy` field of a policy. */
export function policyField({ name, limit, windowMs }: RatePolicy): string {
  return `"${name}";q=${limit};w=${Math.ceil(windowMs / 1_000)}`
}

/** The `RateLimit` field: what is left of a policy, and the seconds until there is more. */
export function rateField({ name }: RatePolicy, remaining: number, seconds: string): string {
  return `"${name}";r=${remaining};t=${seconds}`
}

/**
 * The client's address: the socket's peer, or behind `hops` proxies the entry that the outermost of
 * them wrote. A list too short for that, or an entry that is no address, names the peer.
 */
export function clientAddress(peer: string, forwarded: string | null, hops: number): string {
  if (hops === 0 || forwarded === null) return peer
  const entries = forwarded.split(",")
  const entry = entries[entries.length - hops]?.trim()
  if (entry === undefined) return peer
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ??
    /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  return parse(bare) === null ? peer : bare
}

/** What an address is counted under. IPv4 in its IPv6 spelling is IPv4. */
export function clientKeys(address: string): ClientKeys {
  const parsed = address.includes(":") ? parse(address) : null
  // IPv4 has one spelling: sockets give it, and `clientAddress` believes no other.
  if (parsed === null || NetAddress.isIpv4Address(parsed)) return { near: address, far: null }
  const segments = NetAddress.ipv6ToSegments(parsed)
  if (NetAddress.isIpv4Mapped(parsed)) {
    const bytes = segments.slice(6).flatMap((segment) => [segment >> 8, segment & 255])
    return { near: bytes.join("."), far: null }
  }
  const prefix = (groups: number) =>
    segments.slice(0, groups).map((segment) => segment.toString(16)).join(":")
  return { near: `${prefix(4)}::/64`, far: `${prefix(3)}::/48` }
}

function parse(address: string): NetAddress.IpAddress | null {
  const parsed = NetAddress.ipFromString(address.split("%")[0] ?? "")
  return Result.isSuccess(parsed) ? parsed.success : null
}
