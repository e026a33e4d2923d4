/**
 * One key, one charge: a new signature of the same payer with the same key and request is never
 * charged while the first payment with the key is live or answered.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Duration, Effect, Fiber, Layer, Option, Result } from "effect"
import { NotCharged, type Unresolved } from "../../../src/payments/domain/failedSale.ts"
import type { Payment } from "../../../src/payments/domain/payment.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  early,
  heldSale,
  idOf,
  inMarket,
  once,
  outcomeText,
  passing,
  product,
  purchase,
  replica,
  stateOf,
  taken,
  timing,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"
const computedTwice = workOf(Effect.die("computed twice"))

/** The n-th signature of one purchase. */
const signed = (n: number, changes: Parameters<typeof purchase>[0] = {}) =>
  purchase({ secret, authorization: { nonce: nonce(n) }, ...changes })

const twice = { spent: 2n * product.price, received: 2n * product.price }

for (const sold of [product, early]) {
  const order = sold.settlementOrder

  test(`${order}: a new signature with the same key gets the stored answer, and is not charged`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sell } = yield* Payments
        const first = yield* sell(yield* signed(0, { product: sold }), workOf(answering()))
        for (const n of [1, 2, 3]) {
          const again = yield* signed(n, { product: sold })
          const delivery = yield* sell(again, computedTwice)
          equal(delivery, { ...first, replayed: true }, "with the first payment's id and receipt")
          equal(yield* stateOf(again), null, "it leaves no row")
        }
        equal(yield* taken, once)
      }),
      // The facilitator is unreachable after the first sale: the answer needs no verification.
      {
        misbehave: (() => {
          let calls = 0
          return (call: string) => call === "verify" && calls++ > 0 ? "html" as const : null
        })(),
      },
    ))

  test(`${order}: concurrent signatures with one key are charged once, on two replicas`, () =>
    inMarket(
      Effect.gen(function* () {
        const services = [yield* Payments, yield* replica]
        const calls: Array<Fiber.Fiber<string>> = []
        for (let n = 0; n < 8; n++) {
          const bought = yield* signed(n, { product: sold })
          const { sell } = services[n % 2] ?? services[0] ?? (yield* Payments)
          const call = Effect.map(Effect.result(sell(bought, workOf(answering()))), outcomeText)
          calls.push(yield* Effect.forkChild(call))
        }
        yield* passing(10)
        const outcomes = yield* Effect.forEach(calls, Fiber.join)
        equal(outcomes.filter((outcome) => outcome === "answer"), ["answer"])
        const others = new Set(outcomes.filter((outcome) => outcome !== "answer"))
        equal([...others].filter((o) => o !== "answer again" && o !== "payment_in_progress"), [])
        equal(yield* taken, once)
      }),
      { delay: Duration.seconds(1) },
    ))

  test(`${order}: a new signature waits while the first is in progress, then 409 names the first`, () =>
    inMarket(Effect.gen(function* () {
      const { sell } = yield* Payments
      const bought = yield* signed(0, { product: sold })
      const first = yield* heldSale(bought)
      const call = Effect.result(sell(yield* signed(1, { product: sold }), computedTwice))
      const impatient = yield* Effect.forkChild(call)
      yield* passing(2)
      yield* namesFirst(bought, yield* Fiber.join(impatient), "payment_in_progress")
      const patient = yield* Effect.forkChild(
        Effect.result(sell(yield* signed(2, { product: sold }), computedTwice)),
      )
      equal(yield* first.end, "answer")
      equal(outcomeText(yield* Fiber.join(patient)), "answer again")
      equal(yield* taken, once)
    })))
}

/** Checks that a failure has this code and names the status address of the first payment. */
const namesFirst = Effect.fnUntraced(function* (
  first: Purchase,
  result: Result.Result<unknown, { readonly _tag: string }>,
  code: string,
) {
  const error = Result.isFailure(result) ? result.failure : null
  equal(error instanceof NotCharged ? error.code : error?._tag, code)
  const text = error instanceof NotCharged ? error.hint : (error as Unresolved).message
  match(String(text), new RegExp(`GET /v1/payments/${yield* idOf(first)} `))
})

test("another key, request or payer, and no key, are other purchases", () =>
  inMarket(Effect.gen(function* () {
    equal(yield* buying(yield* signed(0), workOf(answering())), "answer")
    const others = [
      { secret: "another-secret-of-16" },
      { request: 'latest?[["index",1]]' },
      { secret: null },
      { payer: 1 },
    ]
    for (const [n, other] of others.entries()) {
      const bought = yield* signed(n + 1, other)
      equal(yield* buying(bought, workOf(answering("other"))), "other", JSON.stringify(other))
    }
  })))

test("a stranger who knows the key gets nothing without the payer's signature", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* signed(0)
    equal(yield* buying(bought, workOf(answering())), "answer")
    const stranger = yield* signed(1, { payer: 1 })
    const { authorization } = (yield* signed(1)).payment
    const forged = { ...stranger, payment: { ...stranger.payment, authorization } }
    equal(yield* buying(forged, computedTwice), "payment_required")
    equal(yield* taken, once)
  })))

test("the key is free again when the first payment is released, refunded or void", () => {
  const memory = memoryPayments()
  return inMarket(
    Effect.gen(function* () {
      const first = yield* signed(0)
      equal(yield* buying(first, workOf(answering("nothing", false))), "nothing")
      equal(yield* stateOf(first), "released")
      equal(yield* buying(yield* signed(1), workOf(answering("second"))), "second")
      equal(yield* buying(first, computedTwice), "second again", "the first one is not sold again")
      equal(yield* taken, once)
      // The second is not delivered within HOLD, so it is refunded.
      yield* passing(Duration.toSeconds(timing.answerWindow))
      const { authorization } = first.payment
      const now = authorization.validBefore + BigInt(Duration.toSeconds(timing.answerWindow))
      const third = yield* signed(2, { authorization: { nonce: nonce(2), validBefore: now } })
      equal(yield* buying(third, workOf(answering("third"))), "third")
      equal(yield* taken, twice)
    }),
    {},
    Layer.succeed(PaymentStore, memory.store),
  )
})

test("a released payment with a key is sold again by its own signature", () =>
  inMarket(Effect.gen(function* () {
    const first = yield* signed(0)
    equal(yield* buying(first, workOf(answering("nothing", false))), "nothing")
    equal(yield* buying(first, workOf(answering())), "answer")
    equal(yield* buying(yield* signed(1), computedTwice), "answer again")
    equal(yield* taken, once)
  })))

test("a new signature while the first payment is unresolved is 503 and names the first", () =>
  inMarket(
    Effect.gen(function* () {
      const { sell } = yield* Payments
      const first = yield* signed(0)
      equal(yield* buying(first, workOf(answering()), 60), "Unresolved")
      equal(yield* stateOf(first), "unresolved")
      const call = yield* Effect.forkChild(Effect.result(sell(yield* signed(1), computedTwice)))
      yield* passing(30)
      yield* namesFirst(first, yield* Fiber.join(call), "Unresolved")
    }),
    { misbehave: (call) => call === "settle" ? "html" : null },
  ))

test("a new signature for an answer that is no longer stored is 409, and names the first", () => {
  const memory = memoryPayments()
  const withoutAnswer = (row: Payment): Payment =>
    row.state === "answered" ? { ...row, sent: true, answer: null } : row
  const findWithKey: PaymentStore["Service"]["findWithKey"] = (...args) =>
    Effect.map(memory.store.findWithKey(...args), ({ payment, holder }) => ({
      payment,
      holder: Option.map(holder, withoutAnswer),
    }))
  return inMarket(
    Effect.gen(function* () {
      const { sell } = yield* Payments
      const first = yield* signed(0)
      equal(yield* buying(first, workOf(answering())), "answer")
      const result = yield* Effect.result(sell(yield* signed(1), computedTwice))
      yield* namesFirst(first, result, "payment_already_used")
    }),
    {},
    Layer.succeed(PaymentStore, { ...memory.store, findWithKey }),
  )
})
