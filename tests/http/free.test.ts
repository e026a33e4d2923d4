/**
 * The free answers: those with parameters, the heads of the feed, /health, the terms, and how a
 * polled value is kept.
 *
 * @module
 */
import { Effect, Logger, Option, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { createHash } from "node:crypto"
import { freeRows, VenueMode } from "../../src/catalog/domain/freeRow.ts"
import { products } from "../../src/catalog/domain/product.ts"
import { sha256 } from "../../src/core/sha256.ts"
import { proofFault } from "../../src/feed/domain/chain.ts"
import { makePolled } from "../../src/http/free/reads.ts"
import { termsAnswers } from "../../src/http/free/terms.ts"
import type { Site } from "../../src/http/site.ts"
import { VenueRefusals } from "../../src/markets/VenueClient.ts"
import type { HealthOfPayments } from "../../src/payments/domain/paymentHealth.ts"
import { test } from "../support/effect.ts"
import { headOf, proofOf } from "../support/feed/chain.ts"
import {
  healthyPayments,
  makeService,
  makeWorld,
  serviceOptions,
} from "../support/http/httpService.ts"
import { faultOf } from "../support/http/shape.ts"

const noon = Date.parse("2026-11-21T12:00:00.000Z")

const open = Effect.fnUntraced(function* (items: number) {
  yield* TestClock.setTime(noon)
  const world = yield* makeWorld(items)
  const { get } = yield* makeService(world)
  const read = Effect.fnUntraced(function* (path: string) {
    const response = yield* get(path)
    const body: unknown = yield* Effect.promise(() => response.json())
    return { status: response.status, headers: response.headers, body: Object(body) }
  })
  return { world, read }
})

test("/v1/feed/proof leads from the head in /v1/index to the item, and to the newest without an index", function* () {
  const { world, read } = yield* open(30)
  const items = yield* Ref.get(world.items)
  const index = yield* read("/v1/index")
  equal(index.body.head, headOf(items))
  for (const [query, at] of [["?index=4", 4], ["", 30]] as const) {
    const { status, body } = yield* read(`/v1/feed/proof${query}`)
    const { success, feedIndex, ...proof } = body
    equal([status, success, feedIndex], [200, true, at])
    equal(proof, Option.getOrThrow(proofOf(items, at)))
    strictEqual(proofFault(proof, sha256), null)
    equal(proof.head, index.body.head)
  }
})

test("an item that is not in the feed has no proof, and a wrong index says what is expected", function* () {
  const { read } = yield* open(3)
  const missing = yield* read("/v1/feed/proof?index=4")
  equal([missing.status, missing.body.error.code], [404, "signal_not_found"])
  strictEqual(missing.body.error.charged, false)
  for (const wrong of ["0", "x", "", "1&index=2"]) {
    const { status, body } = yield* read(`/v1/feed/proof?index=${wrong}`)
    equal([status, body.error.code, body.error.charged], [400, "invalid_parameter", false])
    strictEqual(body.error.details[0].param, "index")
  }
})

test("an empty feed has no proof, and a head of zeros", function* () {
  const { read } = yield* open(0)
  const { status, body: { error } } = yield* read("/v1/feed/proof")
  equal([status, error.retryable, error.retryAfterSeconds], [404, true, 10])
  equal((yield* read("/.well-known/feed-heads")).body, {
    success: true,
    head: { index: 0, hash: "0".repeat(64) },
    days: [],
  })
  equal((yield* read("/v1/outcomes?since=5")).body, {
    success: true,
    since: 5,
    count: 0,
    data: [],
  })
})

const reason = "All products that are settled early are not sold: the treasury does not cover them"

const without = (verdict: "degraded" | "failing"): HealthOfPayments => ({
  ...healthyPayments,
  verdict,
  parts: { ...healthyPayments.parts, treasury: { verdict, reason } },
})

test("/health is degraded while the venue refuses how it is asked", function* () {
  const refusals = new Map([["proposals", "several items in one request are refused"]])
  const service = yield* makeService(yield* makeWorld(3)).pipe(
    Effect.provideService(VenueRefusals, refusals),
  )
  const health = Effect.gen(function* () {
    yield* TestClock.adjust("1 second")
    const response = yield* service.get("/health")
    const { status, checks } = yield* Effect.promise(() => response.json())
    return [status, checks.venue]
  })
  equal(yield* health, ["degraded", "failing"])
  refusals.clear()
  equal(yield* health, ["live", "ok"])
})

for (const verdict of ["degraded", "failing"] as const) {
  test(`/health is degraded, with the reason, while payments are ${verdict}`, function* () {
    const world = yield* makeWorld(3)
    const service = yield* makeService(world)
    const health = Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      const response = yield* service.get("/health")
      strictEqual(response.status, 200)
      strictEqual(yield* faultOf("/health", "GET", response.clone()), null)
      const { status, checks, payments } = yield* Effect.promise(() => response.json())
      return [status, checks.payments, payments, checks.clock]
    })
    equal(yield* health, ["live", "ok", { reasons: [], listing: null }, "ok"])
    const listing = { status: "rejected", reason: "no example" }
    yield* Ref.set(world.paymentHealth, { ...without(verdict), listing })
    yield* Ref.set(world.clockFault, "the clocks disagree")
    equal(yield* health, ["degraded", verdict, {
      reasons: [reason],
      listing: "rejected: no example",
    }, "failing"])
  })
}

const utf8 = new TextDecoder()
const decodeTerms = Schema.decodeUnknownSync(Schema.fromJsonString(freeRows.terms.body))

const termsOf = (options: Partial<Site>) => {
  const { text, json } = termsAnswers({ ...serviceOptions, ...options })
  return { text: utf8.decode(text.bytes), json: decodeTerms(utf8.decode(json.bytes)) }
}

Deno.test("the terms name the data source, in text and in JSON", () => {
  const expected = {
    simulated: /[Ss]imulated market/,
    polymarket: /^Public/,
  }
  for (const venueMode of VenueMode.literals) {
    const { text, json } = termsOf({ venueMode })
    equal(json.dataSources.length, 1)
    match(json.dataSources[0] ?? "", expected[venueMode])
    ok(text.includes(json.dataSources[0] ?? "nothing"))
    strictEqual(json.textSha256, createHash("sha256").update(text).digest("hex"))
  }
})

Deno.test("the terms state that no money moves while payments are simulated", () => {
  const { text, json } = termsOf({ paymentMode: "simulated" })
  match(json.payment.settlement, /no money moves/)
  match(text, /no money moves/)
  const live = termsOf({ paymentMode: "live" })
  match(live.json.payment.settlement, /only when the answer is ready/)
  match(live.json.payment.refunds, /fails before it is settled is not charged/)
  ok(!/no money moves/.test(live.text))
})

Deno.test("the terms name every settle-early path and promise a refund", () => {
  const { settlement, refunds } = termsOf({ paymentMode: "live" }).json.payment
  for (const { path, settlementOrder } of Object.values(products)) {
    strictEqual(settlement.includes(path), settlementOrder === "settle-early", path)
  }
  match(refunds, /refunded in full/)
})

test("/health names the venue mode of the feed", function* () {
  const service = yield* makeService(yield* makeWorld(1))
  const response = yield* service.get("/health")
  const body = yield* Effect.promise(() => response.json())
  equal([body.paymentMode, body.venue], ["simulated", { mode: "simulated" }])
})

for (
  const [name, outage] of [
    ["fails", Effect.die("down")],
    ["takes too long", Effect.never],
  ] as const
) {
  test(`a value whose computation ${name} is served until it is too old, and the outage logged once`, function* () {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(message))
    const isDown = yield* Ref.make(false)
    const { current } = yield* makePolled(
      Effect.flatMap(Ref.get(isDown), (down) => down ? outage : Effect.succeed(1)),
      "Cannot compute it",
    ).pipe(Effect.provide(Logger.layer([logger])))
    const seen = []
    for (
      const [down, after] of [
        [false, "0 seconds"],
        [true, "4 seconds"],
        [true, "40 seconds"],
        [false, "2 seconds"],
        [true, "40 seconds"],
      ] as const
    ) {
      yield* Ref.set(isDown, down)
      yield* TestClock.adjust(after)
      seen.push([current(), lines.length])
    }
    equal(seen, [[1, 0], [1, 0], [null, 1], [1, 1], [null, 2]])
  })
}
