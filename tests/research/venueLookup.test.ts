/**
 * Lookups of unknown slugs at the venue: what is found and stored, what is remembered, and the limits.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { refusalOf } from "../../src/catalog/domain/refusal.ts"
import { CallClient } from "../../src/core/CallClient.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { nearSlugs } from "../../src/research/domain/report.ts"
import {
  lookupsMax,
  lookupsOfClientMax,
  lookupTimeout,
  unknownFor,
  venueLookup,
} from "../../src/research/venueLookup.ts"
import { test } from "../support/effect.ts"
import { now } from "../support/movers/market.ts"
import {
  endingMarket,
  makeProductPorts,
  type ProductPorts,
  productPortsLayer,
} from "../support/products.ts"

type LookUp = ReturnType<typeof venueLookup>

const looking = <E>(
  name: string,
  body: (lookUp: LookUp, ports: ProductPorts) => Effect.Effect<void, E>,
) =>
  test(name, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const ports = yield* makeProductPorts
      const lookUp = yield* Effect.gen(function* () {
        return venueLookup({ venue: yield* VenueClient, markets: yield* MarketStore })
      }).pipe(Effect.provide(productPortsLayer(ports)))
      yield* body(lookUp, ports)
    }))

const failure = (call: ReturnType<LookUp>) => Effect.map(Effect.flip(call), ({ _tag }) => _tag)

const failureOf = (call: ReturnType<LookUp>) =>
  Effect.map(
    Effect.flip(call),
    (error) =>
      error._tag !== "LookupsExhausted" ? error._tag : error.ofClient ? "of client" : "of all",
  )

looking(
  "a market or an event that only the venue knows is found and stored",
  Effect.fnUntraced(function* (lookUp, { listed, markets }) {
    const eventSlug = "cup"
    const [first, second] = [endingMarket(1, now), endingMarket(2, now, { eventSlug })]
    const ended = endingMarket(3, now, { eventSlug, status: "resolved" })
    yield* Ref.set(listed, [first, second, ended])
    equal(yield* lookUp("market-1"), [first])
    equal(yield* lookUp("cup"), [second])
    strictEqual(yield* failure(lookUp("market-3")), "MarketNotFound")
    equal(yield* Ref.get(markets), [first, second])
  }),
)

looking(
  "an unknown slug, in any case, is asked for once in two minutes",
  Effect.fnUntraced(function* (lookUp, { listed, venueRequests }) {
    for (const slug of ["market-1", "market-1", "Market-1"]) {
      strictEqual(yield* failure(lookUp(slug)), "MarketNotFound")
    }
    strictEqual(yield* Ref.get(venueRequests), 1)
    yield* Ref.set(listed, [endingMarket(1, now)])
    strictEqual(yield* failure(lookUp("market-1")), "MarketNotFound")
    yield* TestClock.adjust(unknownFor)
    strictEqual((yield* lookUp("market-1")).length, 1)
  }),
)

const slugs = [
  "will-canada-and-japan-sign-a-fisheries-treaty-by-december-10",
  "will-canada-and-japan-sign-a-fisheries-treaty-by-december-31",
  "will-it-rain-in-oslo-by-december-10",
  "fed-decision-in-january-cut-25bps",
  "will-bitcoin-gain-70-by-december-21",
]

for (
  const [asked, near] of [
    ["will-canda-and-japan-sign-a-fisheries-treaty-by-december-10", [slugs[0], slugs[1]]],
    ["canada-japan-fisheries-treaty", [slugs[0], slugs[1]]],
    ["Fed_Decision_In_January", [slugs[3]]],
    ["bitcoin", [slugs[4]]],
    ["will-it-snow-in-rome-by-may", []],
    ["xyz", []],
  ] as const
) {
  Deno.test(`the slug ${asked} is near ${near.length} of ${slugs.length}`, () => {
    equal(nearSlugs(asked, slugs), near)
  })
}

looking(
  "an unknown slug is answered with stored markets that share its words, also from memory",
  Effect.fnUntraced(function* (lookUp, { markets, venueRequests }) {
    yield* Ref.set(markets, [endingMarket(1, now), endingMarket(2, now)])
    for (const slug of ["market-1-extra", "market-1-extra"]) {
      const error = yield* Effect.flip(lookUp(slug))
      equal(error._tag === "MarketNotFound" && error.near, ["market-1"])
      match(
        String(error._tag === "MarketNotFound" && refusalOf(error).hint),
        /Did you mean market-1\?/,
      )
    }
    strictEqual(yield* Ref.get(venueRequests), 1)
  }),
)

looking(
  "a venue that fails or hangs is no unknown market, and is asked again",
  Effect.fnUntraced(function* (lookUp, { listed, venueUp, latencyMs, venueRequests }) {
    yield* Ref.set(listed, [endingMarket(1, now)])
    yield* Ref.set(venueUp, false)
    strictEqual(yield* failure(lookUp("market-1")), "VenueFailed")
    yield* Ref.set(venueUp, true)
    yield* Ref.set(latencyMs, 600_000)
    const hanging = yield* Effect.forkChild(failure(lookUp("market-1")))
    yield* TestClock.adjust(lookupTimeout)
    strictEqual(yield* Fiber.join(hanging), "VenueFailed")
    yield* Ref.set(latencyMs, 0)
    strictEqual((yield* lookUp("market-1")).length, 1)
    strictEqual(yield* Ref.get(venueRequests), 3)
  }),
)

looking(
  "one address has three lookups a minute and one network six; others have the rest",
  Effect.fnUntraced(function* (lookUp, { venueRequests }) {
    const ask = (n: number, client: string, site: string | null) =>
      failureOf(lookUp(`invented-${n}`)).pipe(
        Effect.provideService(CallClient, { client, site }),
      )
    for (let n = 0; n < 30; n++) {
      equal(yield* ask(n, "a", null), n < lookupsOfClientMax ? "MarketNotFound" : "of client")
    }
    for (let n = 30; n < 60; n++) {
      equal(yield* ask(n, `b${n}`, "b"), n < 36 ? "MarketNotFound" : "of client")
    }
    for (let n = 60; n < 90; n++) {
      equal(yield* ask(n, `c${n}`, null), n < 71 ? "MarketNotFound" : "of all")
    }
    strictEqual(yield* Ref.get(venueRequests), lookupsMax)
  }),
)

looking(
  "invented slugs reach the venue at most twenty times a minute",
  Effect.fnUntraced(function* (lookUp, { venueRequests }) {
    for (let n = 0; n < 100; n++) {
      const expected = n < lookupsMax ? "MarketNotFound" : "LookupsExhausted"
      strictEqual(yield* failure(lookUp(`invented-${n}`)), expected)
    }
    strictEqual(yield* Ref.get(venueRequests), lookupsMax)
    yield* TestClock.adjust("59 seconds")
    const refused = yield* Effect.flip(lookUp("another"))
    ok(refused._tag === "LookupsExhausted" && refused.retryAfterSeconds === 1)
    yield* TestClock.adjust("1 second")
    strictEqual(yield* failure(lookUp("another")), "MarketNotFound")
  }),
)
