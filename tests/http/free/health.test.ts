/**
 * /health says which part of payments does not work, and nothing secret.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import type { HealthOfPayments } from "../../../src/payments/domain/paymentHealth.ts"
import { VenueRefusals } from "../../../src/markets/VenueClient.ts"
import { test } from "../../support/effect.ts"
import { healthyPayments, makeService, makeWorld } from "../../support/http/httpService.ts"
import { faultOf } from "../../support/http/shape.ts"

const reason = "All products that are settled early are not sold: the treasury does not cover them"

const without = (verdict: "degraded" | "failing"): HealthOfPayments => ({
  ...healthyPayments,
  verdict,
  parts: { ...healthyPayments.parts, treasury: { verdict, reason } },
})

test("/health is degraded while the venue refuses how it is asked", () =>
  Effect.gen(function* () {
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
  }))

for (const verdict of ["degraded", "failing"] as const) {
  test(`/health is degraded, with the reason, while payments are ${verdict}`, () =>
    Effect.gen(function* () {
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
    }))
}
