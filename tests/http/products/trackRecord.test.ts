/**
 * /v1/track-record over HTTP: free, a 200 without data, and consistent with /v1/whales.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Ref, References, Schema } from "effect"
import { TestClock } from "effect/testing"
import { freeRows } from "../../../src/catalog/domain/freeRow.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import { test } from "../../support/effect.ts"
import { makeService, makeWorld, paymentFor, type World } from "../../support/http/httpService.ts"
import { faultOf } from "../../support/http/shape.ts"
import { scoredEntry } from "../../support/track-record/whaleItems.ts"
import { type KnownWallet, storeOf, wonOf40 } from "../../support/whales/whales.ts"

const path = "/v1/track-record"
const noon = Date.parse("2026-11-21T12:00:00.000Z")

const stock = Effect.fnUntraced(
  function* ({ productPorts }: World, known: ReadonlyArray<KnownWallet>) {
    const store = storeOf(known)
    yield* Ref.set(productPorts.tracked, store.tracked)
    yield* Ref.set(productPorts.walletRecords, store.sums)
    yield* Ref.set(productPorts.whales, store.whales)
  },
)

const open = Effect.fnUntraced(function* (known: ReadonlyArray<KnownWallet>) {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(3)
  yield* stock(world, known)
  const service = yield* makeService(world)
  let client = 0
  const get = Effect.fnUntraced(function* (init: RequestInit = {}) {
    const headers = { "x-forwarded-for": `198.51.100.${client++}`, ...init.headers }
    const response = yield* service.get(path, { ...init, headers })
    strictEqual(yield* faultOf(path, init.method ?? "GET", response), null)
    return response
  })
  return { world, service, get }
})

const bodyOf = (response: Response) =>
  Effect.map(
    Effect.promise(() => response.json()),
    Schema.decodeUnknownSync(freeRows.track_record.body),
  )

test("a verdict on a feed item, hit or miss, changes the body and its tag within five seconds", function* () {
  const { world, get } = yield* open(wonOf40([25]))
  const before = yield* get()
  yield* Ref.set(world.productPorts.verdicts, {
    mover_1h: { persisted: 2, reverted: 3, unknown: 1, open: 4 },
    mover_6h: { persisted: 1, open: 9 },
    mover_24h: { open: 10 },
    predetermined: { correct: 1, wrong: 1, uneven: 1, cancelled: 1, open: 1 },
    contested: { correct: 3, wrong: 1, open: 1 },
  })
  // 80 moves of as many events: half continued by 4 cents, half reversed by 6.
  const [s, ss] = [40 * (800 - 1_200), 40 * (800 ** 2 + 1_200 ** 2)]
  const sums = { clusters: 80, n: 80, s, nn: 80, ns: s, ss, ff: 0 }
  yield* Ref.set(world.productPorts.moves, [{
    horizon: "24h",
    phase: "settled",
    kept: 48,
    martingaleKept: 56,
    byEvent: sums,
    byDay: sums,
    byEventAndDay: sums,
  }])
  yield* TestClock.adjust("5 seconds")
  const after = yield* get()
  ok(after.headers.get("etag") !== before.headers.get("etag"))
  const { movers: { drift, ...movers }, predetermined } = yield* bodyOf(after)
  equal(movers, {
    emitted: 10,
    ...{ judgedAfter1h: 5, persistedAfter1h: 2, unknownAfter1h: 1 },
    ...{ judgedAfter6h: 1, persistedAfter6h: 1, unknownAfter6h: 0 },
    ...{ judgedAfter24h: 0, persistedAfter24h: 0, unknownAfter24h: 0 },
  })
  equal([drift.after24h.settled.moves, drift.after24h.running.moves], [80, 0])
  equal([predetermined.emitted, predetermined.byKind.proposal.record?.upheldRate], [10, 0.75])
})

test("/v1/track-record has the score of published entries by label", function* () {
  const { world, get } = yield* open([])
  yield* Ref.set(
    world.productPorts.published,
    Array.from({ length: 12 }, (_, n) => scoredEntry(n, { feeRate: 0, payout: 0.55 })),
  )
  yield* TestClock.adjust("2 minutes")
  const { whaleEntries: { follow, fade } } = yield* bodyOf(yield* get())
  equal([follow.published, follow.resolved, fade.published], [12, 12, 0])
})

test("a new wallet is counted within a minute, without a changed calibration", function* () {
  const { world, get } = yield* open(wonOf40([25]))
  strictEqual((yield* bodyOf(yield* get())).coverage.trackedWallets, 1)
  const { tracked } = storeOf(wonOf40([25, 0]))
  yield* Ref.set(world.productPorts.tracked, tracked)
  yield* TestClock.adjust("1 minute")
  const { coverage } = yield* bodyOf(yield* get())
  equal([coverage.trackedWallets, coverage.leftOut.tooFew], [2, 1])
})

test("/v1/track-record has the same wallet figures as /v1/whales", function* () {
  const { service, get } = yield* open(wonOf40([25, 15, 20]))
  const { topWallets, computedAt, method } = yield* bodyOf(yield* get())
  const headers = { "payment-signature": yield* paymentFor(products.whales) }
  const sold = yield* service.get(products.whales.path, { headers })
  const table = Schema.decodeUnknownSync(products.whales.body)(
    yield* Effect.promise(() => sold.json()),
  )
  strictEqual(computedAt, table.computedAt)
  equal(
    topWallets,
    table.data.wallets.map((row) => ({
      pseudonym: row.pseudonym,
      wallet: row.wallet,
      resolvedEntries: row.resolved,
      stakeUsd: row.stakeUsd,
      meanEntryPrice: row.meanEntryPrice,
      winRate: row.winRate,
      label: row.label,
    })),
  )
  match(method.reading, /neutral/)
})

test("/v1/track-record is a 503 after 15 seconds without its stores, and recovers", () =>
  Effect.gen(function* () {
    const { world, service } = yield* open(wonOf40([25]))
    const call = () => service.get(path, { headers: { "x-forwarded-for": "203.0.113.9" } })
    strictEqual((yield* call()).status, 200)
    yield* Ref.set(world.productPorts.whalesUp, false)
    yield* TestClock.adjust("14 seconds")
    strictEqual((yield* call()).status, 200)
    yield* TestClock.adjust("1 second")
    const refused = yield* call()
    equal([refused.status, yield* faultOf(path, "GET", refused)], [503, null])
    yield* Ref.set(world.productPorts.whalesUp, true)
    yield* TestClock.adjust("1 second")
    strictEqual((yield* call()).status, 200)
  }).pipe(Effect.provideService(References.MinimumLogLevel, "None")))
