/**
 * Settle-early payments whose sale or settlement was lost: a repeated call resumes them, or they
 * are refunded.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { paymentOf } from "../../../src/payments/domain/payment.ts"
import type { SimulationOptions } from "../../support/payments/simulated.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  calling,
  early,
  gatedWork,
  heldSale,
  inMarket,
  nothing,
  once,
  outcomeText,
  passing,
  product as latest,
  purchase,
  replica,
  rowOf,
  stateOf,
  taken,
  timing,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"
const recoveryWindowSeconds = Duration.toSeconds(timing.recoveryWindow)
const neverComputed = workOf(Effect.die("computed for another caller"))

/** The facilitator does not respond, and broadcasts the settlement later. */
const lateSettlement: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "late_broadcast" : null,
  late: Duration.seconds(10),
}

/** A payment whose settlement is broadcast after its sale ended as unresolved. */
const unresolvedPurchase = Effect.fnUntraced(function* (changes: Partial<Purchase> = {}) {
  const bought = yield* purchase({ product: early, secret, ...changes })
  equal(yield* buying(bought, neverComputed), "Unresolved")
  equal([yield* stateOf(bought), yield* taken], ["unresolved", nothing])
  yield* passing(10)
  equal([yield* stateOf(bought), yield* taken], ["unresolved", once])
  return bought
})

test("an unresolved settlement is computed for a repeated call with the secret", () =>
  inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* unresolvedPurchase()
      equal([yield* sweep, yield* stateOf(bought)], [0, "unresolved"])
      equal(yield* buying(bought, workOf(answering())), "answer")
      equal([yield* stateOf(bought), yield* taken], ["answered", once])
      equal(yield* buying(bought, neverComputed), "answer again")
    }),
    lateSettlement,
  ))

test("an unresolved settlement reveals nothing without the secret", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* unresolvedPurchase()
      for (const other of [null, "another-secret-of-16"]) {
        equal(yield* buying({ ...bought, secret: other }, neverComputed), "Unresolved")
      }
    }),
    lateSettlement,
  ))

for (const who of ["the sweep", "a late repeated call"] as const) {
  test(`after the recovery window, ${who} finds the payment refunded`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sweep } = yield* Payments
        const bought = yield* unresolvedPurchase()
        yield* passing(recoveryWindowSeconds - 16)
        equal([yield* sweep, yield* stateOf(bought)], [0, "unresolved"])
        yield* passing(2)
        if (who === "the sweep") equal(yield* sweep, 1)
        else {equal(
            yield* buying({ ...bought, validityFault: "expired" }, neverComputed),
            "payment_refunded",
          )}
        const row = yield* rowOf(bought)
        equal([row?.state, row?.refund?.reason], ["refund_due", "paid_undelivered"])
      }),
      lateSettlement,
    ))
}

test("two concurrent repeated calls with the secret get one answer, computed once", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* unresolvedPurchase()
      const first = yield* heldSale(bought)
      const second = yield* calling(bought, neverComputed)
      yield* passing(0)
      equal([yield* first.end, yield* Fiber.join(second)], ["answer", "answer again"])
      equal(yield* taken, once)
    }),
    lateSettlement,
  ))

test("a payment whose work fails in the repeated call is refunded", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* unresolvedPurchase()
      equal(yield* buying(bought, workOf(Effect.die("a bug"))), "RefundQueued: internal_error")
      equal([yield* stateOf(bought), yield* taken], ["refund_due", once])
    }),
    lateSettlement,
  ))

for (const fault of ["silent", "down"] as const) {
  test(`a chain that is ${fault} delays no repeated call`, () => {
    let isFaulty = false
    return inMarket(
      Effect.gen(function* () {
        const bought = yield* unresolvedPurchase()
        isFaulty = true
        const call = yield* calling(bought, neverComputed)
        yield* passing(20)
        equal(call.pollUnsafe() === undefined ? "hangs" : yield* Fiber.join(call), "Unresolved")
        isFaulty = false
        equal(yield* buying(bought, workOf(answering())), "answer")
      }),
      {
        ...lateSettlement,
        ...fault === "down" ? { chainDown: () => isFaulty } : { chainSilent: () => isFaulty },
      },
    )
  })
}

test("a sale that exceeds its lease loses its payment and its late answer", () =>
  inMarket(Effect.gen(function* () {
    const { sweep } = yield* Payments
    const store = yield* PaymentStore
    const bought = yield* purchase({ product: early, secret })
    const call = yield* heldSale(bought)
    // The sweep of another replica makes this move when the lease has expired.
    const claimed = yield* rowOf(bought)
    if (claimed === null) return
    yield* store.move(Result.getOrThrow(paymentOf(claimed)), {
      event: "owe",
      reason: "lease_lost",
      paidAt: null,
    })
    equal(yield* call.end, "RefundQueued: upstream_timeout")
    const row = yield* rowOf(bought)
    equal([row?.state, row?.refund?.reason, row?.answer], ["refund_due", "lease_lost", null])
    equal([yield* sweep, yield* taken], [0, once])
  })))

test("of two replicas one sells; the other waits with the secret, and returns no answer without it", () =>
  inMarket(Effect.gen(function* () {
    const otherReplica = yield* replica
    const bought = yield* purchase({ product: early, secret })
    const call = yield* heldSale(bought)
    const again = yield* Effect.forkChild(Effect.result(otherReplica.sell(bought, neverComputed)))
    const plain = yield* Effect.result(
      otherReplica.sell({ ...bought, secret: null }, neverComputed),
    )
    equal(outcomeText(plain), "payment_in_progress")
    equal([yield* call.end, outcomeText(yield* Fiber.join(again))], [
      "answer",
      "answer again",
    ])
    equal(yield* taken, once)
  })))

test("a sale that another replica resumed delivers the one stored answer", () =>
  inMarket(
    Effect.gen(function* () {
      const otherReplica = yield* replica
      const store = yield* PaymentStore
      const bought = yield* purchase({ product: early, secret })
      const slow = yield* calling(bought, workOf(answering("the slow one's")))
      yield* TestClock.adjust(Duration.millis(300))
      const claimed = yield* rowOf(bought)
      if (claimed === null) return
      yield* store.move(Result.getOrThrow(paymentOf(claimed)), {
        event: "doubt",
        reason: "lease_lost",
        transactionHint: null,
      })
      yield* TestClock.adjust(Duration.millis(400))
      const fast = yield* Effect.forkChild(
        Effect.result(otherReplica.sell(bought, workOf(answering("the fast one's")))),
      )
      yield* passing(3)
      equal(outcomeText(yield* Fiber.join(fast)), "the fast one's")
      equal([yield* Fiber.join(slow), yield* taken], ["the fast one's", once])
    }),
    {
      misbehave: (call) => call === "settle" ? "late_broadcast" : null,
      late: Duration.millis(650),
    },
  ))

test("the sweep of one replica skips payments in progress at the other, and refunds abandoned ones", () =>
  inMarket(Effect.gen(function* () {
    const otherReplica = yield* replica
    const bought = yield* purchase({ product: early, secret })
    yield* heldSale(bought)
    yield* passing(50)
    equal([yield* otherReplica.sweep, yield* stateOf(bought)], [0, "settled"])
    yield* passing(45)
    // The work has timed out: a live sale never loses its lease.
    equal([yield* otherReplica.sweep, yield* stateOf(bought)], [0, "refund_due"])
    equal((yield* rowOf(bought))?.refund?.reason, "upstream_timeout")
  })))

for (const product of [early, latest]) {
  const answerWindowSeconds = Duration.toSeconds(timing.answerWindow)
  test(`a ${product.settlementOrder} answer that is not delivered is deleted after HOLD, and refunded`, () =>
    inMarket(Effect.gen(function* () {
      const { sweep, sell } = yield* Payments
      const bought = yield* purchase({ product, secret })
      equal(yield* buying(bought, workOf(answering()), 1), "answer")
      yield* passing(answerWindowSeconds - 2)
      equal([yield* sweep, yield* stateOf(bought)], [0, "answered"])
      equal(yield* buying(bought, neverComputed, 0), "answer again")
      yield* passing(2)
      equal(yield* sweep, 1)
      const row = yield* rowOf(bought)
      equal([row?.state, row?.refund?.reason, row?.answer], ["refund_due", "unsent", null])
      const refused = yield* Effect.flip(
        sell({ ...bought, validityFault: "expired" }, neverComputed),
      )
      equal(refused._tag === "NotCharged" ? [refused.code, refused.refund?.state] : refused._tag, [
        "payment_refunded",
        "queued",
      ])
    })))

  test(`a repeated call after HOLD, before any sweep, gets no ${product.settlementOrder} answer`, () =>
    inMarket(Effect.gen(function* () {
      const bought = yield* purchase({ product, secret })
      equal(yield* buying(bought, workOf(answering())), "answer")
      yield* passing(answerWindowSeconds)
      equal(
        yield* buying({ ...bought, validityFault: "expired" }, neverComputed),
        "payment_refunded",
      )
    })))
}

test("a payment that is resumed by its key with another signature is no conflict for itself", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* unresolvedPurchase()
      const again = yield* purchase({ product: early, secret, authorization: { nonce: nonce(1) } })
      const resuming = yield* heldSale(again)
      const repeated = yield* calling(bought, neverComputed)
      yield* passing(0)
      equal(yield* resuming.end, "answer")
      equal(yield* Fiber.join(repeated), "answer again")
      equal(yield* taken, once)
    }),
    lateSettlement,
  ))

test("an unresolved payment of a payer with too many in progress is not called unused", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* unresolvedPurchase()
      const { open, work } = yield* gatedWork
      for (let n = 1; n <= 8; n++) {
        yield* calling(yield* purchase({ authorization: { nonce: nonce(n) } }), workOf(work))
      }
      yield* passing(0)
      equal(yield* buying(bought, neverComputed, 0), "Unresolved")
      yield* open
      yield* passing(60)
    }),
    lateSettlement,
  ))
