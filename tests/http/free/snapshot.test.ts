/**
 * The polled bodies: read once a second for all requests, new after a refresh, the same bytes for the
 * same feed.
 *
 * @module
 */
import { ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { makeSnapshot } from "../../../src/http/free/snapshot.ts"
import { Digest } from "../../../src/digest/Digest.ts"
import { FeedChain } from "../../../src/feed/FeedChain.ts"
import { StoreClock } from "../../../src/core/StoreClock.ts"
import { Feed } from "../../../src/feed/Feed.ts"
import { TrackRecord } from "../../../src/track-record/TrackRecord.ts"
import { test } from "../../support/effect.ts"
import { PaymentHealth } from "../../../src/payments/PaymentHealth.ts"
import { healthyPayments, makeService, makeWorld } from "../../support/http/httpService.ts"
import { sampleHead } from "../../support/catalog/samples.ts"

const options = {
  publicBaseUrl: "https://feed.example",
  version: "1.0.0",
  commit: null,
  paymentMode: "simulated",
  venueMode: "simulated",
  chainId: 8453,
} as const

/** A feed whose index is the number of its calls. */
const countingFeed = Effect.gen(function* () {
  const calls = yield* Ref.make(0)
  const index = Effect.gen(function* () {
    const count = yield* Ref.updateAndGet(calls, (before) => before + 1)
    return {
      status: "live" as const,
      index: count,
      lastUpdated: 0,
      todayByType: { mover: 0, whale_entry: 0, predetermined: 0 },
      lastTickAt: 0,
      head: sampleHead,
      asOf: { mover: null, whale_entry: null, predetermined: null },
      walletsFresh: true,
    }
  })
  const layer = Layer.mergeAll(
    Layer.mock(FeedChain, { dailyHeads: Effect.succeed([]) }),
    Layer.mock(Feed, { index, pulse: Effect.succeed([]) }),
    Layer.mock(TrackRecord, { scorecard: Effect.never }),
    Layer.succeed(StoreClock, { disagreement: Effect.succeed(null) }),
    Layer.mock(Digest, { latest: Effect.succeedNone }),
    Layer.mock(PaymentHealth, { current: Effect.succeed(healthyPayments) }),
  )
  return { calls, layer }
})

test("the index is computed once a second, for any number of requests", () =>
  Effect.gen(function* () {
    const feed = yield* countingFeed
    const snapshot = yield* makeSnapshot(options).pipe(Effect.provide(feed.layer))
    const before = yield* Ref.get(feed.calls)
    for (let n = 0; n < 1_000; n++) ok(snapshot.index() !== null)
    strictEqual(yield* Ref.get(feed.calls), before)
    yield* TestClock.adjust("1 second")
    strictEqual(yield* Ref.get(feed.calls), before + 1)
  }))

test("a body depends on the feed only: the same feed gives the same bytes", () =>
  Effect.gen(function* () {
    const service = yield* makeService(yield* makeWorld(3))
    let client = 0
    const text = Effect.fnUntraced(function* (path: string) {
      const headers = { "x-forwarded-for": `203.0.113.${client++}` }
      const response = yield* service.get(path, { headers })
      strictEqual(response.status, 200)
      return yield* Effect.promise(() => response.text())
    })
    for (const path of ["/v1/index", "/v1/pulse", "/v1/track-record"]) {
      const before = yield* text(path)
      yield* TestClock.adjust("5 seconds")
      strictEqual(yield* text(path), before)
    }
  }))
