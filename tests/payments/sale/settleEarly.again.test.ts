/**
 * Settle-early payments whose worker or whose settlement was lost: taken up by their buyer, or given
 * back.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { paymentOf } from "../../../src/payments/domain/payment.ts"
import type { SimulationOptions } from "../../../src/payments/simulated/facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Purchase } from "../../../src/payments/sale/sale.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  calling,
  early,
  gatedWork,
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

const secret = "a-secret-of-16-chars"
const recoverSeconds = Duration.toSeconds(timing.recoveryWindow)
const unasked = workOf(Effect.die("computed for somebody else"))

/** Settlement is brought to the chain a while after the facilitator went silent about it. */
const lateSettlement: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "late_broadcast" : null,
  late: Duration.seconds(10),
}

/** A payment whose settlement was not seen when its buyer was answered, and was made after. */
const leftUnresolved = Effect.fnUntraced(function* (changes: Partial<Purchase> = {}) {
  const bought = yield* purchase({ product: early, secret, ...changes })
  equal(yield* buying(bought, unasked), "Unresolved")
  equal([yield* stateOf(bought), yield* taken], ["unresolved", nothing])
  yield* passing(10)
  equal([yield* stateOf(bought), yield* taken], ["unresolved", once])
  return bought
})

test("an unresolved settlement is computed for the buyer who comes again with the secret", () =>
  inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* leftUnresolved()
      equal([yield* sweep, yield* stateOf(bought)], [0, "unresolved"])
      equal(yield* buying(bought, workOf(answering())), "answer")
      equal([yield* stateOf(bought), yield* taken], ["answered", once])
      equal(yield* buying(bought, unasked), "answer again")
    }),
    lateSettlement,
  ))

test("an unresolved settlement reveals nothing without the secret, and is refunded in the end", () =>
  inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* leftUnresolved()
      for (const other of [null, "another-secret-of-16"]) {
        equal(yield* buying({ ...bought, secret: other }, unasked), "Unresolved")
      }
      yield* passing(recoverSeconds)
      equal([yield* sweep, yield* stateOf(bought)], [1, "refund_due"])
      equal(yield* buying(bought, unasked), "payment_refunded")
      equal(yield* taken, once)
    }),
    lateSettlement,
  ))

for (const who of ["the sweep", "the buyer who comes too late"] as const) {
  test(`after the recovery window, ${who} finds the payment refunded`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sweep } = yield* Payments
        const bought = yield* leftUnresolved()
        yield* passing(recoverSeconds - 16)
        equal([yield* sweep, yield* stateOf(bought)], [0, "unresolved"])
        yield* passing(2)
        if (who === "the sweep") equal(yield* sweep, 1)
        else {equal(
            yield* buying({ ...bought, validityFault: "expired" }, unasked),
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
      const bought = yield* leftUnresolved()
      const { began, open, work } = yield* gatedWork
      const first = yield* calling(bought, workOf(work))
      yield* began
      const second = yield* calling(bought, unasked)
      yield* passing(0)
      yield* open
      yield* passing(2)
      equal([yield* Fiber.join(first), yield* Fiber.join(second)], ["answer", "answer again"])
      equal(yield* taken, once)
    }),
    lateSettlement,
  ))

test("a payment whose work fails in the repeated call is refunded", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* leftUnresolved()
      equal(yield* buying(bought, workOf(Effect.die("a bug"))), "RefundQueued: internal_error")
      equal([yield* stateOf(bought), yield* taken], ["refund_due", once])
    }),
    lateSettlement,
  ))

for (const trouble of ["silent", "down"] as const) {
  test(`a chain that is ${trouble} delays no repeated call`, () => {
    let troubled = false
    return inMarket(
      Effect.gen(function* () {
        const bought = yield* leftUnresolved()
        troubled = true
        const call = yield* calling(bought, unasked)
        yield* passing(20)
        equal(call.pollUnsafe() === undefined ? "hangs" : yield* Fiber.join(call), "Unresolved")
        troubled = false
        equal(yield* buying(bought, workOf(answering())), "answer")
      }),
      {
        ...lateSettlement,
        ...trouble === "down" ? { chainDown: () => troubled } : { chainSilent: () => troubled },
      },
    )
  })
}

test("a worker that exceeds its lease loses its payment and its late answer", () =>
  inMarket(Effect.gen(function* () {
    const { sweep } = yield* Payments
    const store = yield* PaymentStore
    const bought = yield* purchase({ product: early, secret })
    const { began, open, work } = yield* gatedWork
    const call = yield* calling(bought, workOf(work))
    yield* began
    // As the sweep of another replica does that sees the lease run out.
    const rowBefore = yield* rowOf(bought)
    if (rowBefore === null) return
    yield* store.move(Result.getOrThrow(paymentOf(rowBefore)), {
      event: "owe",
      reason: "lease_lost",
      paidAt: null,
    })
    yield* open
    yield* passing(1)
    equal(yield* Fiber.join(call), "RefundQueued: upstream_timeout")
    const row = yield* rowOf(bought)
    equal([row?.state, row?.refund?.reason, row?.answer], ["refund_due", "lease_lost", null])
    equal([yield* sweep, yield* taken], [0, once])
  })))

test("of two replicas one sells; the other waits with the secret, and returns no answer without it", () =>
  inMarket(Effect.gen(function* () {
    const there = yield* replica
    const bought = yield* purchase({ product: early, secret })
    const { began, open, work } = yield* gatedWork
    const here = yield* calling(bought, workOf(work))
    yield* began
    const again = yield* Effect.forkChild(Effect.result(there.sell(bought, unasked)))
    const plain = yield* Effect.result(there.sell({ ...bought, secret: null }, unasked))
    equal(outcomeText(plain), "payment_in_progress")
    yield* open
    yield* passing(1)
    equal([yield* Fiber.join(here), outcomeText(yield* Fiber.join(again))], [
      "answer",
      "answer again",
    ])
    equal(yield* taken, once)
  })))

test("a sale that another replica resumed delivers the one stored answer", () =>
  inMarket(
    Effect.gen(function* () {
      const there = yield* replica
      const store = yield* PaymentStore
      const bought = yield* purchase({ product: early, secret })
      const slow = yield* calling(bought, workOf(answering("the slow one's")))
      yield* TestClock.adjust(Duration.millis(300))
      const rowBefore = yield* rowOf(bought)
      if (rowBefore === null) return
      yield* store.move(Result.getOrThrow(paymentOf(rowBefore)), {
        event: "doubt",
        reason: "lease_lost",
        transactionHint: null,
      })
      yield* TestClock.adjust(Duration.millis(400))
      const fast = yield* Effect.forkChild(
        Effect.result(there.sell(bought, workOf(answering("the fast one's")))),
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
    const there = yield* replica
    const bought = yield* purchase({ product: early, secret })
    const { began, work } = yield* gatedWork
    yield* calling(bought, workOf(work))
    yield* began
    yield* passing(50)
    equal([yield* there.sweep, yield* stateOf(bought)], [0, "settled"])
    yield* passing(45)
    // The work has timed out by itself: a worker that lives never loses its lease.
    equal([yield* there.sweep, yield* stateOf(bought)], [0, "refund_due"])
    equal((yield* rowOf(bought))?.refund?.reason, "upstream_timeout")
  })))

for (const product of [early, latest]) {
  const hold = Duration.toSeconds(timing.answerWindow)
  test(`an answer sold ${product.settlementOrder} that is not delivered is deleted after HOLD, and owed`, () =>
    inMarket(Effect.gen(function* () {
      const { sweep, sell } = yield* Payments
      const bought = yield* purchase({ product, secret })
      equal(yield* buying(bought, workOf(answering()), 1), "answer")
      yield* passing(hold - 2)
      equal([yield* sweep, yield* stateOf(bought)], [0, "answered"])
      equal(yield* buying(bought, unasked, 0), "answer again")
      yield* passing(2)
      equal(yield* sweep, 1)
      const row = yield* rowOf(bought)
      equal([row?.state, row?.refund?.reason, row?.answer], ["refund_due", "unsent", null])
      const refused = yield* Effect.flip(sell({ ...bought, validityFault: "expired" }, unasked))
      equal(refused._tag === "NotCharged" ? [refused.code, refused.refund?.state] : refused._tag, [
        "payment_refunded",
        "queued",
      ])
    })))

  test(`a buyer who comes after HOLD, before any sweep, gets no answer sold ${product.settlementOrder}`, () =>
    inMarket(Effect.gen(function* () {
      const bought = yield* purchase({ product, secret })
      equal(yield* buying(bought, workOf(answering())), "answer")
      yield* passing(hold)
      equal(yield* buying({ ...bought, validityFault: "expired" }, unasked), "payment_refunded")
    })))

  test(`an answer sold ${product.settlementOrder} that was delivered stays, and is returned again`, () =>
    inMarket(Effect.gen(function* () {
      const { sell, sent, sweep } = yield* Payments
      const bought = yield* purchase({ product, secret })
      const call = yield* Effect.forkChild(sell(bought, workOf(answering())))
      yield* passing(1)
      yield* sent(yield* Fiber.join(call))
      yield* passing(2 * hold)
      equal([yield* sweep, yield* stateOf(bought)], [0, "answered"])
      equal(yield* buying({ ...bought, validityFault: "expired" }, unasked), "answer again")
    })))
}
