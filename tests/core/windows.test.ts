/**
 * A clock that jumps, also the store's and the machine's together: what a process remembers for some time it
 * forgets within three times that, whichever way the clock goes. Leases, HOLD and retention have the store's
 * clock, and its laws.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import {
  Clock,
  Context,
  Duration,
  Effect,
  Fiber,
  Layer,
  Option,
  Ref,
  References,
  type Scope,
} from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { clientOf } from "../../src/http/server/server.ts"
import { cachedFor } from "../../src/core/cachedFor.ts"
import { makeLimit, RateLimits, RateLimitUnavailable } from "../../src/core/RateLimits.ts"
import { readOnChange } from "../../src/core/readOnChange.ts"
import { PublishedMarkets } from "../../src/feed/PublishedMarkets.ts"
import { makeMarketRoutes } from "../../src/http/pages/market.ts"
import { makePolled } from "../../src/http/free/reads.ts"
import { makeLimiter } from "../../src/http/server/limits.ts"
import { MarketStore } from "../../src/markets/MarketStore.ts"
import { VenueClient } from "../../src/markets/VenueClient.ts"
import { NewsReader } from "../../src/news/NewsReader.ts"
import { pageReader } from "../../src/news/sources/requests.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { NotCharged } from "../../src/payments/domain/failedSale.ts"
import { isDisputed } from "../../src/payments/domain/paymentHealth.ts"
import { Chain } from "../../src/payments/Chain.ts"
import { watchSafeHead } from "../../src/payments/chain/heads.ts"
import type { Rpc } from "../../src/payments/chain/rpc.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { failover } from "../../src/payments/facilitator/failover.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { makeShares } from "../../src/payments/sale/shares.ts"
import { makeSolvency } from "../../src/payments/sale/solvency.ts"
import { keptReads } from "../../src/research/keptReads.ts"
import { lookupsMax, venueLookup } from "../../src/research/venueLookup.ts"
import { makePace } from "../../src/venues/polymarket/requests.ts"
import { Model, ModelFailed } from "../../src/writing/Model.ts"
import { test } from "../support/effect.ts"
import { memoryRateLimits, unlimited } from "../support/memoryRateLimits.ts"
import { early, inMarket, type Market, purchase, startSeconds } from "../support/payments/sales.ts"
import { terms, token } from "../support/payments/terms.ts"
import { endingMarket, makeProductPorts, productPortsLayer } from "../support/products.ts"
import { serviceOptions } from "../support/http/httpService.ts"
import { signedRequest } from "../payments/facilitator/facilitator.laws.ts"

const minute = 60
const hour = 60 * minute
const day = 24 * hour
/** Seconds by which the clock jumps, one after the other. */
const jumps: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["does not jump", []],
  ["jumps by +45 s", [45]],
  ["jumps by -45 s", [-45]],
  ["jumps by +1 h", [hour]],
  ["jumps by -1 h", [-hour]],
  ["jumps by +100 days", [100 * day]],
  ["jumps by -100 days", [-100 * day]],
  ["jumps by +1 h and back", [hour, -hour]],
]

/** An endpoint whose safe block has this number. */
const rpcOf = (number: Effect.Effect<number>): Pick<Rpc, "call"> => ({
  call: ({ decode }) =>
    Effect.flatMap(number, (number) =>
      Effect.orDie(decode({
        number: `0x${number.toString(16)}`,
        hash: `0x${"00".repeat(32)}`,
        timestamp: "0x1",
      }))),
})

/** Opens a window, and returns whether it is open. */
type Window = Effect.Effect<Effect.Effect<boolean>, unknown, Market | Scope.Scope>

/** The window in which what `open` makes of a read is answered without another one. */
const keptOf = (
  open: (
    read: Effect.Effect<number>,
  ) => Effect.Effect<Effect.Effect<unknown, unknown>, unknown, Market | Scope.Scope>,
): Window =>
  Effect.gen(function* () {
    let reads = 0
    const ask = Effect.ignore(yield* open(Effect.sync(() => ++reads)))
    yield* ask
    return Effect.suspend(() => {
      const before = reads
      return Effect.map(ask, () => reads === before)
    })
  })

/** A look-up at a venue that lists nothing. */
const emptyVenue = Effect.gen(function* () {
  const ports = yield* makeProductPorts
  const services = productPortsLayer(ports)
  const [venue, markets] = yield* Effect.all([VenueClient, MarketStore]).pipe(
    Effect.provide(services),
  )
  const requests = Ref.get(ports.venueRequests)
  return { ports, venue, markets, requests, lookUp: venueLookup({ venue, markets }) }
})

const windows: Readonly<Record<string, readonly [seconds: number, Window]>> = {
  "the treasury's balance": [
    10,
    keptOf(Effect.fnUntraced(function* (read) {
      const chain = { ...yield* Chain, balanceOf: () => Effect.map(read, BigInt) }
      const treasury = address(terms.treasury)
      const { covered } = yield* makeSolvency({
        ...{ chain, store: yield* PaymentStore, asset: token.asset, treasury },
      })
      return covered
    })),
  ],
  "the chain's safe head": [
    1,
    keptOf((read) => watchSafeHead(rpcOf(Effect.as(read, 7)), "safe")),
  ],
  "a request that failed": [
    minute,
    Effect.gen(function* () {
      const shares = makeShares(memoryRateLimits(), yield* Clock.Clock)
      const failed = yield* purchase({ product: early })
      const failure = new NotCharged({ code: "venue_error", message: "It failed" })
      yield* shares.refunded(failed, failure)
      return Effect.sync(() => shares.refusal(failed)?.code === "venue_error")
    }),
  ],
  "a contradiction of the chain's endpoints": [
    minute,
    Effect.map(
      Clock.currentTimeMillis,
      (disputedAt) => Effect.map(Clock.currentTimeMillis, (now) => isDisputed({ now, disputedAt })),
    ),
  ],
  "a refusal of a limit": [
    minute,
    Effect.gen(function* () {
      const policy = { name: "one", limit: 1, windowMs: minute * 1_000 }
      const limit = makeLimit(memoryRateLimits(), yield* Clock.Clock, policy)
      yield* limit.take("client")
      return Effect.sync(() => limit.refusedForMs("client") > 0)
    }),
  ],
  "a client's count while the store accepts reads only": [
    minute,
    Effect.gen(function* () {
      const limiter = yield* makeLimiter("one", { limit: 1, windowMs: minute * 1_000 }).pipe(
        Effect.provideService(RateLimits, {
          ...memoryRateLimits(),
          take: () => Effect.fail(new RateLimitUnavailable({ acceptsReads: true })),
        }),
      )
      const take = limiter.take(clientOf("203.0.113.9"))
      yield* take
      return Effect.map(
        take,
        (decision) => decision.kind !== "unavailable" || !decision.grantedHere,
      )
    }),
  ],
  "a slug that the venue does not know": [
    2 * minute,
    Effect.gen(function* () {
      const { lookUp, requests } = yield* emptyVenue
      yield* Effect.ignore(lookUp("none"))
      const before = yield* requests
      return Effect.andThen(
        Effect.ignore(lookUp("none")),
        Effect.map(requests, (now) => now === before),
      )
    }),
  ],
  "look-ups that are used up": [
    minute,
    Effect.gen(function* () {
      const { lookUp } = yield* emptyVenue
      for (let n = 0; n < lookupsMax; n++) yield* Effect.ignore(lookUp(`none-${n}`))
      return Effect.match(lookUp("another"), {
        onSuccess: () => false,
        onFailure: ({ _tag }) => _tag === "LookupsExhausted",
      })
    }),
  ],
  "what a check has read": [
    minute,
    Effect.gen(function* () {
      const { ports, venue, markets, requests } = yield* emptyVenue
      const kept = keptReads({ venue, markets })
      const now = startSeconds * 1_000
      yield* Ref.set(ports.history, [{ at: now - minute * 1_000, price: 0.5 }])
      const market = endingMarket(1, now)
      yield* kept.check(market)
      return Effect.gen(function* () {
        const before = yield* requests
        yield* Effect.ignore(kept.read(market))
        return (yield* requests) === before
      })
    }),
  ],
  "a value that is read in the background": [
    5,
    Effect.map(
      makePolled(Effect.succeed(1), "It failed", { everyMs: 1_000 * day * 1_000 }),
      ({ current }) => Effect.sync(() => current() !== null),
    ),
  ],
  "a value that is read when it has changed": [
    minute,
    keptOf((read) =>
      readOnChange({
        version: Effect.succeed("same"),
        read,
        intervalMin: Duration.zero,
        ageMax: Duration.seconds(minute),
      })
    ),
  ],
  "a cached value": [
    minute,
    keptOf((read) => Effect.map(cachedFor(read, Duration.seconds(minute)), ([current]) => current)),
  ],
  "the answer of a slug": [
    minute,
    keptOf(Effect.fnUntraced(function* (read) {
      const published = Layer.mock(PublishedMarkets, {
        bySlug: () => Effect.as(read, Option.none()),
      })
      const markets = makeMarketRoutes(serviceOptions, unlimited)
      const { routeOf } = yield* Effect.provide(markets, published)
      return routeOf("none.json")?.current("") ?? Effect.void
    })),
  ],
  "a clause that the model did not read": [
    5 * minute,
    keptOf(Effect.fnUntraced(function* (read) {
      const model = Layer.succeed(Model, {
        name: "silent",
        generate: () => Effect.andThen(read, Effect.fail(new ModelFailed({ reason: "silence" }))),
      })
      const layer = NewsReader.layerModel.pipe(Layer.provide(model))
      const { clause } = Context.get(yield* Layer.build(layer), NewsReader)
      return clause("Will it rain?", "It resolves to Yes if it rains.")
    })),
  ],
  "the rest of a news source": [
    hour,
    keptOf((read) => {
      const client = HttpClient.make((request) =>
        Effect.as(
          read,
          HttpClientResponse.fromWeb(
            request,
            new Response("", { status: 429, headers: { "retry-after": `${hour}` } }),
          ),
        )
      )
      const page = pageReader({ client, userAgent: "test", timeoutMs: 1_000 })
      return Effect.succeed(page("https://news.example/feed", "text/xml"))
    }),
  ],
  "a pause of the venue": [
    minute,
    Effect.gen(function* () {
      const { slot, pause } = makePace(1)
      yield* pause(minute * 1_000)
      return Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(slot)
        yield* Effect.yieldNow
        const waits = fiber.pollUnsafe() === undefined
        yield* Fiber.interrupt(fiber)
        return waits
      })
    }),
  ],
  "a facilitator that did not answer": [
    30,
    Effect.gen(function* () {
      const asked: Array<string> = []
      const one = (name: string, answers: boolean) =>
        Facilitator.of({
          name,
          verify: () =>
            Effect.sync(() => {
              asked.push(name)
              return answers
                ? { outcome: "valid" }
                : { outcome: "unknown", reason: "silence", unanswered: true }
            }),
          settle: () => Effect.die("settled"),
        })
      const request = yield* signedRequest(startSeconds)
      const { verify } = failover([one("first", false), one("second", true)])
      yield* verify(request)
      return Effect.andThen(
        Effect.suspend(() => (asked.length = 0, verify(request))),
        Effect.sync(() => asked[0] === "second"),
      )
    }),
  ],
}

for (const [what, [seconds, window]] of Object.entries(windows)) {
  for (const [how, steps] of jumps) {
    test(`${what} is forgotten within three times its ${seconds} s, by a clock that ${how}`, () =>
      inMarket(Effect.gen(function* () {
        const isOpen = yield* window
        equal(yield* isOpen, true, "at once")
        for (const step of steps) {
          yield* TestClock.setTime((yield* Clock.currentTimeMillis) + step * 1_000)
        }
        yield* TestClock.adjust(3 * seconds * 1_000)
        equal(yield* isOpen, false, "in the end")
      })).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
  }
}

test("a safe block that contradicts an earlier one is rejected for five minutes, also after a clock went back", function* () {
  yield* TestClock.setTime(startSeconds * 1_000)
  let number = 9
  const head = yield* watchSafeHead(rpcOf(Effect.sync(() => number)), "safe")
  yield* head
  number = 8
  yield* TestClock.adjust("2 seconds")
  equal((yield* Effect.exit(head))._tag, "Failure")
  yield* TestClock.setTime((startSeconds - hour) * 1_000)
  equal((yield* Effect.exit(head))._tag, "Failure")
  yield* TestClock.adjust("299 seconds")
  equal((yield* Effect.exit(head))._tag, "Failure")
  yield* TestClock.adjust("1 seconds")
  equal((yield* head).number, 8n)
})
