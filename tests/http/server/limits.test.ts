/**
 * Rate limits: the client's address behind proxies, and how a limiter grants and refuses requests.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Arbitrary, Effect, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { RateLimits, RateLimitUnavailable } from "../../../src/core/RateLimits.ts"
import { makeLimiter } from "../../../src/http/server/limits.ts"
import { CurrentInbound, makeInbound, spend } from "../../../src/http/server/route.ts"
import { clientAddress, clientOf } from "../../../src/http/server/server.ts"
import { law, test } from "../../support/effect.ts"
import { makeWorld, servicesOver } from "../../support/http/httpService.ts"
import { memoryRateLimits } from "../../support/memoryRateLimits.ts"

const peer = "198.51.100.7"

/** Trusted proxies, X-Forwarded-For, the client's address. */
const forwarded: ReadonlyArray<readonly [number, string | null, string]> = [
  [0, null, peer],
  [0, "203.0.113.9", peer],
  [1, null, peer],
  [1, "203.0.113.9", "203.0.113.9"],
  [1, "6.6.6.6, 203.0.113.9", "203.0.113.9"],
  [2, "6.6.6.6, 203.0.113.9, 10.0.0.1", "203.0.113.9"],
  [2, "203.0.113.9", peer],
  [1, "203.0.113.9:4711", "203.0.113.9"],
  [1, "[2001:db8::1]:4711", "2001:db8::1"],
  [1, "2001:db8::1", "2001:db8::1"],
  [1, "unknown", peer],
  [1, "_hidden", peer],
  [1, "", peer],
  [1, "203.0.113.9,", peer],
  [1, "999.1.1.1", peer],
]

for (const [hops, header, expected] of forwarded) {
  Deno.test(`clientAddress() behind ${hops} proxies with ${header} is ${expected}`, () => {
    strictEqual(clientAddress(peer, header, hops), expected)
  })
}

const octet = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const ipv4 = Arbitrary.map(
  Arbitrary.schema(Schema.Tuple([octet, octet, octet, octet])),
  (octets) => octets.join("."),
)

law(
  "clientAddress() ignores the addresses before those that trusted proxies added",
  Arbitrary.all([
    Arbitrary.array(ipv4, { maxLength: 5 }),
    ipv4,
  ]),
  ([spoofed, real]) => clientAddress(peer, [...spoofed, real].join(", "), 1) === real,
)

law("clientOf() treats an IPv4-mapped address as IPv4", ipv4, (address) => {
  equal(clientOf(`::ffff:${address}`), clientOf(address))
  equal(clientOf(address), { client: address, site: null })
})

Deno.test("clientOf() counts IPv6 by /64 and by /48", () => {
  equal(clientOf("2001:db8:1:2:3:4:5:6"), {
    client: "2001:db8:1:2::/64",
    site: "2001:db8:1::/48",
  })
  equal(clientOf("2001:db8:1:2::9"), clientOf("2001:0DB8:1:2:ffff::"))
  equal(clientOf("fe80::1%eth0"), clientOf("fe80::1"))
})

const budget = { limit: 5, windowMs: 60_000 }
/** A limiter over the shared count of a world. */
const freeLimiter = Effect.gen(function* () {
  const world = yield* makeWorld(0)
  const limiter = yield* Effect.provide(makeLimiter("free", budget), servicesOver(world))
  return { world, limiter }
})

test("a limiter grants its budget, then refuses until the oldest grant leaves the window", function* () {
  const { limiter } = yield* freeLimiter
  const admit = limiter.take(clientOf("203.0.113.9"))
  for (const left of [4, 3, 2, 1, 0]) {
    equal(yield* admit, { kind: "granted", field: `"free";r=${left};t=60` })
  }
  yield* TestClock.adjust("10 seconds")
  equal(yield* admit, { kind: "denied", field: '"free";r=0;t=50', retryAfterSeconds: 50 })
  yield* TestClock.adjust("49 seconds")
  equal(yield* admit, { kind: "denied", field: '"free";r=0;t=1', retryAfterSeconds: 1 })
  yield* TestClock.adjust("1 second")
  strictEqual((yield* admit).kind, "granted")
})

test("a limiter refuses a flood without a call of the shared count", function* () {
  const { world, limiter } = yield* freeLimiter
  const keys = clientOf("203.0.113.9")
  for (let n = 0; n < 6; n++) yield* limiter.take(keys)
  for (let n = 0; n < 1_000; n++) {
    strictEqual((yield* limiter.take(keys)).kind, "denied")
    strictEqual(limiter.refusal(keys)?.kind, "denied")
  }
  strictEqual(yield* Ref.get(world.limitCalls), 5)
})

test("a limiter grants an IPv6 /48 at most twelve budgets, for any number of /64s", function* () {
  const { limiter } = yield* freeLimiter
  let granted = 0
  for (let n = 0; n < 200; n++) {
    const keys = clientOf(`2001:db8:1:${n.toString(16)}::1`)
    const admission = yield* limiter.take(keys)
    if (admission.kind === "granted") granted += 1
  }
  strictEqual(granted, 60)
})

test("a limiter returns unavailable while the shared count cannot be read", function* () {
  const { world, limiter } = yield* freeLimiter
  yield* Ref.set(world.storeUp, false)
  const decision = yield* limiter.take(clientOf("203.0.113.9"))
  equal(decision, { kind: "unavailable", grantedHere: false })
})

test("while the store accepts only reads each process counts alone, and calls with a payment are refused", function* () {
  const limiter = yield* makeLimiter("free", budget).pipe(
    Effect.provideService(RateLimits, {
      ...memoryRateLimits(),
      take: () => Effect.fail(new RateLimitUnavailable({ acceptsReads: true })),
    }),
  )
  const spent = (address: string, call?: "paid") =>
    Effect.option(spend(limiter, call)).pipe(
      Effect.provideService(CurrentInbound, makeInbound("a-request", clientOf(address))),
    )
  const granted = Effect.fnUntraced(function* (address: string) {
    const results = yield* Effect.all(Array.from({ length: 7 }, () => spent(address)))
    return results.filter(Option.isSome).length
  })
  equal([yield* granted("203.0.113.9"), yield* granted("203.0.113.8")], [5, 5])
  yield* TestClock.adjust("1 minute")
  strictEqual(yield* granted("203.0.113.9"), 5)
  ok(Option.isNone(yield* spent("203.0.113.7", "paid")))
})
