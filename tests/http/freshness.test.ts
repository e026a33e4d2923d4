/**
 * What every answer does when something that it rests on is missing or old, over HTTP with real
 * payments. The cells are those of `docs/freshness.md`.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Ref } from "effect"
import type { RefusalCode } from "../../src/catalog/domain/refusal.ts"
import { type ProductId, products } from "../../src/catalog/domain/product.ts"
import { hour, isoTime, minute } from "../../src/core/domain/time.ts"
import { digestAgeMax } from "../../src/digest/domain/digest.ts"
import { lookupsOfClientMax } from "../../src/research/venueLookup.ts"
import {
  json,
  now,
  once,
  type PaidService,
  paidTest,
  payment,
  statusOf,
} from "../support/http/paidService.ts"
import { storedDigest } from "../support/digest/storedDigests.ts"
import { bookOf, endingMarket } from "../support/products.ts"
import { nothing, passing, taken } from "../support/payments/sales.ts"

type Change = (service: PaidService) => Effect.Effect<unknown>

/** The tick, or every other job, last ended well so long ago; null means never. */
const tick = (ago: number | null): Change => ({ feed }) =>
  Ref.set(feed.lastTickAt, ago === null ? null : now - ago)
const jobs = (ago: number | null): Change => ({ productPorts }) =>
  Ref.set(productPorts.jobsOkAt, ago === null ? null : now - ago)
const venueDown: Change = ({ productPorts }) => Ref.set(productPorts.venueUp, false)
const both = (...changes: ReadonlyArray<Change>): Change => (service) =>
  Effect.forEach(changes, (change) => change(service))
const digest = (ago: number | null, belowThreshold = false): Change => ({ digests }) =>
  Effect.andThen(
    digests.prune(Infinity),
    ago === null ? Effect.void : digests.add({ ...storedDigest(now - ago), belowThreshold }),
  )
/** The venue has not answered a tick for two weeks. */
const outage = both(tick(14 * 24 * hour), venueDown)
/** Prices of every market that end so long ago. */
const prices = (ago: number): Change => ({ productPorts }) =>
  Ref.update(productPorts.series, (points) => points.map(({ at, mid }) => ({ at: at - ago, mid })))
const noPrices: Change = ({ productPorts }) => Ref.set(productPorts.series, [])
const noEntries: Change = ({ productPorts }) => Ref.set(productPorts.entriesUp, false)
const noMarket: Change = ({ productPorts }) => Ref.set(productPorts.markets, [])
const noWallet: Change = ({ productPorts }) => Ref.set(productPorts.whales, [])
const noBook: Change = ({ productPorts }) => Ref.set(productPorts.books, [])
const onlyAtVenue: Change = ({ productPorts }) =>
  Effect.gen(function* () {
    const found = endingMarket(77, now)
    yield* Ref.set(productPorts.listed, [found])
    yield* Ref.update(productPorts.books, (books) => [...books, bookOf(found, now)])
  })

/** `sold`, `given` (a 200 that is not charged), `refunded` with a code, or a code that charges nothing. */
type Outcome = "sold" | "given" | RefusalCode | { readonly refunded: RefusalCode }

/** A call takes two seconds, so an age on the edge of its limit is a minute younger. */
const cells: ReadonlyArray<
  readonly [ProductId, query: string, what: string, change: Change, outcome: Outcome]
> = [
  ...(["latest", "signal", "signals"] as const).flatMap((id) =>
    ([
      ["a tick of 59 minutes ago", tick(59 * minute), "sold"],
      ["a tick of 61 minutes ago", tick(61 * minute), "data_stale"],
      ["no tick ever", tick(null), "data_stale"],
      ["no whale job for a week", jobs(null), "sold"],
    ] as const).map(([what, change, outcome]) => [id, "", what, change, outcome] as const)
  ),
  ["signal", "?index=1", "a tick of 61 minutes ago", tick(61 * minute), "sold"],
  ["signal", "?index=4", "three items", () => Effect.void, "signal_not_found"],
  ["latest", "", "an empty feed", ({ feed }) => Ref.set(feed.items, []), "signal_not_found"],
  ["signals", "", "an empty feed", ({ feed }) => Ref.set(feed.items, []), "given"],
  ...["whale_entry", "predetermined"].flatMap((type) =>
    ([
      ["its job 59 minutes ago", jobs(59 * minute), "given"],
      ["its job 61 minutes ago", jobs(61 * minute), "data_stale"],
      ["its job never", jobs(null), "data_stale"],
    ] as const).map(([what, change, outcome]) =>
      ["signals", `?type=${type}`, what, change, outcome] as const
    )
  ),
  ["signals", "?type=mover", "no whale job for a week", jobs(null), "sold"],
  ["digest", "", "none written", digest(null), "digest_stale"],
  ["digest", "", "a late one", digest(digestAgeMax + 1), "digest_stale"],
  ["digest", "", "a thin one", digest(0, true), "given"],
  ["digest", "", "a full one", digest(0), "sold"],
  ["digest", "", "a full one, and no tick for two weeks", both(digest(0), outage), "sold"],
  ["digest_history", "", "none written", digest(null), "given"],
  ["digest_history", "", "a thin one", digest(0, true), "given"],
  ["digest_history", "", "a full one", digest(0), "sold"],
  ["resolving", "", "a tick of 59 minutes ago", tick(59 * minute), "sold"],
  [
    ...["resolving", "", "a tick of 59 minutes ago, and the venue down"] as const,
    ...[both(tick(59 * minute), venueDown), "sold"] as const,
  ],
  ["resolving", "", "a tick of 61 minutes ago", tick(61 * minute), "data_stale"],
  ["resolving", "", "no tick ever", tick(null), "data_stale"],
  [
    ...["resolving", "", "no market", noMarket] as const,
    "below_threshold",
  ],
  ["whales", "", "a whale job of 359 minutes ago", jobs(359 * minute), "sold"],
  ["whales", "", "a whale job of 361 minutes ago", jobs(361 * minute), "data_stale"],
  ["whales", "", "no whale job for a week", jobs(null), "data_stale"],
  ["whales", "", "no tick for two weeks", outage, "sold"],
  [
    ...["whales", "", "no calibrated wallet", noWallet] as const,
    "below_threshold",
  ],
  ["research", "?market=market-1", "everything", () => Effect.void, "sold"],
  [
    ...["research", "?market=market-1", "wallets read 361 minutes ago"] as const,
    ...[jobs(361 * minute), "data_stale"] as const,
  ],
  ["research", "?market=market-1", "the venue down", venueDown, "venue_error"],
  ["research", "?market=market-1", "no prices", noPrices, "below_threshold"],
  ["research", "?market=market-1", "no entries to read", noEntries, { refunded: "data_stale" }],
  ["research", "?market=market-1", "no book", noBook, "sold"],
  [
    ...["research", "?market=market-1", "no book, and a price of 25 hours ago"] as const,
    ...[both(noBook, prices(25 * hour)), "below_threshold"] as const,
  ],
  ["research", "?market=market-77", "a market that only the venue knows", onlyAtVenue, "sold"],
  ["research", "?market=event-77", "an event that only the venue knows", onlyAtVenue, "sold"],
  [
    "research",
    "?market=market-77",
    "a market that the venue does not know",
    noBook,
    "market_not_found",
  ],
  [
    ...["research", "?market=market-77", "an unknown market, and the venue down"] as const,
    ...[venueDown, "venue_error"] as const,
  ],
]

for (const [id, query, what, change, outcome] of cells) {
  const product = products[id]
  const expected = typeof outcome === "string" ? outcome : `refunded (${outcome.refunded})`
  paidTest(`${product.path}${query} with ${what} is ${expected}`, function* (service) {
    yield* change(service)
    const response = yield* service.pay(product, query)
    const body = yield* json(response)
    if (outcome === "sold" || outcome === "given") {
      strictEqual(response.status, 200, JSON.stringify(body))
      strictEqual(body.charged ?? true, outcome === "sold")
      strictEqual(response.headers.has("payment-response"), outcome === "sold")
      return equal(yield* taken, outcome === "sold" ? once(product) : nothing)
    }
    const refunded = typeof outcome === "object"
    strictEqual(body.error?.code, refunded ? outcome.refunded : outcome)
    strictEqual(body.error.charged, refunded)
    strictEqual(body.error.refund?.state, refunded ? "queued" : undefined)
    ok(refunded || response.status < 500 || body.error.retryAfterSeconds > 0)
    equal(yield* taken, refunded ? once(product) : nothing)
  })
}

Deno.test("every product has a cell that refuses or gives away", () => {
  const covered = new Set(
    cells.flatMap(([id, , , , outcome]) => outcome === "sold" ? [] : [id]),
  )
  equal([...covered].sort(), Object.keys(products).sort())
})

paidTest("answers say how old the data is that they rest on", function* (service) {
  yield* tick(5 * minute)(service)
  yield* jobs(7 * minute)(service)
  const [ticked, ran] = [isoTime(now - 5 * minute), isoTime(now - 7 * minute)]
  const asOf = { mover: ticked, whale_entry: ran, predetermined: ran }
  const of = (id: ProductId, n: number) => Effect.flatMap(service.pay(products[id], "", n), json)
  equal((yield* of("latest", 0)).asOf, asOf)
  equal((yield* of("signals", 1)).asOf, asOf)
  strictEqual((yield* of("resolving", 2)).asOf, ticked)
  strictEqual((yield* of("whales", 3)).asOf, ran)
  yield* passing(60)
  const free = (path: string) => Effect.flatMap(service.call(path), json)
  equal((yield* free("/v1/index")).asOf, asOf)
  strictEqual((yield* free("/v1/pulse")).asOf, ticked)
  equal((yield* free("/v1/track-record")).asOf, { wallets: ran, scores: ran })
  equal((yield* free("/health")).feed.asOf, asOf)
})

paidTest("free answers of a service whose venue was never read say so", function* (service) {
  yield* both(
    tick(null),
    jobs(null),
    digest(null),
    (s) => Ref.set(s.feed.items, []),
    noWallet,
  )(service)
  yield* passing(60)
  const free = (path: string) => Effect.flatMap(service.call(path), json)
  const index = yield* free("/v1/index")
  equal([index.lastUpdated, index.digest, index.asOf.mover], [null, null, null])
  equal((yield* free("/v1/pulse")).asOf, null)
  const { computedAt, asOf } = yield* free("/v1/track-record")
  equal([computedAt, asOf], [null, { wallets: null, scores: null }])
  strictEqual((yield* free("/v1/digest/brief")).error.code, "not_found")
  const health = yield* free("/health")
  equal([health.feed.asOf.mover, health.digest.stale], [null, false])
})

paidTest(
  "/health is degraded while tracked wallets were not read for too long",
  function* (service) {
    yield* jobs(61 * minute)(service)
    yield* passing(5)
    const { status, checks } = yield* Effect.flatMap(service.call("/health"), json)
    equal([status, checks.venue, checks.wallets], ["degraded", "ok", "stale"])
  },
)

paidTest(
  "/health is starting until tracked wallets were read once, and no digest is stale before",
  function* (service) {
    yield* both(jobs(null), digest(null))(service)
    yield* passing(5)
    const health = yield* Effect.flatMap(service.call("/health"), json)
    equal([health.status, health.checks.venue, health.checks.wallets], [
      "starting",
      "ok",
      "starting",
    ])
    equal(health.digest, { latestAt: null, stale: false })
    yield* jobs(0)(service)
    yield* passing(5)
    const later = yield* Effect.flatMap(service.call("/health"), json)
    equal([later.status, later.digest], ["degraded", { latestAt: null, stale: true }])
  },
)

paidTest(
  "what was paid is given again, and its state shown, however long the venue is away",
  function* (service) {
    const { authorization, header } = yield* payment(products.latest, 0)
    const again = () =>
      service.call(products.latest.path, {
        headers: { "payment-signature": header, "idempotency-key": `key-${authorization.nonce}` },
      })
    const sold = yield* again()
    const text = yield* Effect.promise(() => sold.text())
    strictEqual(sold.status, 200, text)
    yield* outage(service)
    strictEqual((yield* json(yield* service.pay(products.latest, "", 1))).error.code, "data_stale")
    strictEqual(yield* Effect.flatMap(again(), (given) => Effect.promise(() => given.text())), text)
    strictEqual((yield* json(yield* statusOf(service, products.latest))).state, "answered")
    equal(yield* taken, once(products.latest))
  },
)

paidTest("a probe without a payment asks the venue nothing", function* ({ call, productPorts }) {
  for (const headers of [{}, { "payment-signature": "bm90IGEgcGF5bWVudA==" }]) {
    strictEqual((yield* call("/v1/research?market=market-77", { headers })).status, 402)
  }
  strictEqual(yield* Ref.get(productPorts.venueRequests), 0)
})

paidTest(
  "beyond its lookups, an address gets 429 for an unknown slug and not a false 404",
  function* ({ pay, productPorts }) {
    const codes: Array<string> = []
    let limit = ""
    for (let n = 0; n <= lookupsOfClientMax; n++) {
      const response = yield* pay(products.research, `?market=invented-${n}`)
      limit = response.headers.get("ratelimit") ?? ""
      codes.push((yield* json(response)).error.code)
    }
    // Not that of invalid payments, which still has grants.
    match(limit, /^"calls";r=0;t=\d+$/)
    // Each call takes two seconds of the test clock: all are within one minute.
    equal(new Set(codes.slice(0, lookupsOfClientMax)), new Set(["market_not_found"]))
    strictEqual(codes.at(-1), "rate_limited")
    strictEqual(yield* Ref.get(productPorts.venueRequests), lookupsOfClientMax)
    equal(yield* taken, nothing)
  },
)
