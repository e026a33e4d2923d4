/**
 * Only the chain ends a payment: cancelled, spent elsewhere, late, or settled without us.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { recordOf } from "../../support/payments/record.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  idOf,
  inMarket,
  nothing,
  once,
  outcomeText,
  passing,
  product,
  purchase,
  replica,
  stateOf,
  taken,
  useNonce,
  workOf,
} from "../../support/payments/sales.ts"

const answer = workOf(answering())

test("a worker that lost its lease before the intent does not settle", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const move: typeof store.move = (row, next) =>
      next.event === "intend" ? Effect.succeedNone : store.move(row, next)
    const { sell } = yield* replica.pipe(
      Effect.provideService(PaymentStore, { ...store, move }),
    )
    const bought = yield* purchase()
    const call = yield* Effect.forkChild(Effect.flip(sell(bought, answer)))
    yield* passing(5)
    equal([(yield* Fiber.join(call))._tag, yield* taken], ["Unresolved", nothing])
  })))

test("a chain that cannot be read proves nothing; once it can, the payment is resolved", () => {
  let down = false
  return inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* purchase()
      equal(yield* buying(bought, answer), "Unresolved")
      equal([yield* sweep, yield* stateOf(bought)], [0, "unresolved"])
      down = false
      equal([yield* sweep, yield* stateOf(bought)], [1, "answered"])
      equal(yield* taken, once)
    }),
    { chainDown: () => down, misbehave: (call) => (down = call === "settle", null) },
  )
})

test("a payment that is on the chain before its intent buys nothing, whatever the facilitator reports", () =>
  Effect.forEach([null, product.price], (value) =>
    inMarket(
      Effect.gen(function* () {
        const { scan, sweep } = yield* Payments
        yield* scan
        yield* passing(20)
        const bought = yield* purchase()
        yield* useNonce(bought, value)
        // The caller may have copied it from the chain.
        equal(yield* buying(bought, answer), "payment_required")
        equal(yield* stateOf(bought), null)
        yield* passing(130)
        yield* Effect.andThen(scan, sweep)
        equal(yield* stateOf(bought), value === null ? null : "refund_due")
      }),
      { misbehave: (call) => call === "verify" ? "success_without_transaction" : null },
    )))

test("nothing is settled when the chain cannot be read before the intent", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* purchase()
      equal(yield* buying(bought, answer), "payments_unavailable")
      equal([yield* stateOf(bought), yield* taken], [null, nothing])
    }),
    { chainDown: () => true },
  ))

test("a released payment that a facilitator settles after all is owed to its payer", () =>
  inMarket(Effect.gen(function* () {
    const { sweepReleased: sweep } = yield* Payments
    const store = yield* PaymentStore
    const bought = yield* purchase()
    equal(yield* buying(bought, workOf(answering("nothing", false))), "nothing")
    yield* useNonce(bought, bought.product.price)
    equal([yield* sweep, yield* stateOf(bought)], [0, "released"])
    yield* passing(130)
    equal([yield* sweep, yield* stateOf(bought)], [1, "refund_due"])
    equal(
      recordOf(Option.getOrThrow(yield* store.find(yield* idOf(bought)))).refund?.state,
      "queued",
    )
    equal(yield* buying({ ...bought, validityFault: "expired" }, answer), "payment_refunded")
  })))

test("a chain that never responds blocks neither a sale nor a sweep", () => {
  let silent = false
  return inMarket(
    Effect.gen(function* () {
      const { sell, sweep } = yield* Payments
      const bought = yield* purchase()
      const call = yield* Effect.forkChild(Effect.result(sell(bought, answer)))
      yield* passing(16)
      const outcomeOrHang = call.pollUnsafe() === undefined
        ? "hangs"
        : outcomeText(yield* Fiber.join(call))
      const sweeping = yield* Effect.forkChild(sweep)
      yield* passing(16)
      const swept = sweeping.pollUnsafe() === undefined ? "hangs" : yield* Fiber.join(sweeping)
      equal([outcomeOrHang, yield* stateOf(bought), swept], ["Unresolved", "unresolved", 0])
      silent = false
      equal([yield* sweep, yield* stateOf(bought)], [1, "answered"])
    }),
    { chainSilent: () => silent, misbehave: (call) => (silent = call === "settle", null) },
  )
})

test("a sale that a sweep overtakes delivers the answer that the sweep found paid", () =>
  inMarket(
    Effect.gen(function* () {
      const { sell, sweep } = yield* Payments
      const store = yield* PaymentStore
      const bought = yield* purchase()
      const call = yield* Effect.forkChild(Effect.result(sell(bought, answer)))
      yield* TestClock.adjust(Duration.millis(800))
      const row = Option.getOrThrow(yield* store.find(yield* idOf(bought)))
      equal(row.state, "settling")
      yield* store.move(row, { event: "doubt", reason: "lease_lost", transactionHint: null })
      equal([yield* sweep, yield* stateOf(bought)], [1, "answered"])
      yield* passing(1)
      // Without a secret the buyer cannot get the charged answer later.
      equal([outcomeText(yield* Fiber.join(call)), yield* taken], ["answer", once])
    }),
    {
      misbehave: (call) => call === "settle" ? "late_broadcast" : null,
      late: Duration.millis(700),
    },
  ))
