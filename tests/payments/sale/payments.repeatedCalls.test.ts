/**
 * Repeated payments, buyers who hang up and lost leases: one authorization buys one answer.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Context, Duration, Effect, Exit, Fiber, Layer, Option, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { PaymentState, PaymentTicket } from "../../../src/payments/domain/payment.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { type Move, PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  gatedWork,
  inMarket,
  market,
  nothing,
  once,
  passing,
  purchase,
  replica,
  startSeconds,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce, token } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"

const outcome = (result: Result.Result<Outcome, { readonly _tag: string }>): string => {
  if (Result.isSuccess(result)) {
    const { body, replayed } = result.success
    return `${new TextDecoder().decode(body)}${replayed ? " again" : ""}`
  }
  return result.failure instanceof NotCharged ? result.failure.code : result.failure._tag
}

const sale = Effect.fnUntraced(function* (bought: Purchase, work = answering()) {
  const { sell } = yield* Payments
  const fiber = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
  yield* passing(15)
  return outcome(yield* Fiber.join(fiber))
})

test("an answered payment returns its answer again only to a caller with the secret", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    equal(yield* sale(bought), "answer")
    equal(yield* sale(bought, answering("another")), "answer again")
    equal(yield* sale({ ...bought, secret: null }), "payment_already_used")
    equal(yield* sale({ ...bought, secret: "another-secret-of-16" }), "payment_already_used")
    equal(yield* taken, once)
  })))

test("an answered payment without a secret never returns its answer again", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    equal(yield* sale(bought), "answer")
    equal(yield* sale(bought), "payment_already_used")
    equal(yield* sale({ ...bought, secret }), "payment_already_used")
  })))

test("a payment for another request is a conflict, in every state", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    const other = { ...bought, request: 'signal?[["index",1]]' }
    equal(yield* sale(bought, answering("nothing", false)), "nothing")
    equal([yield* stateOf(bought), yield* sale(other)], ["released", "payment_conflict"])
    equal(yield* sale(bought), "answer")
    equal([yield* stateOf(bought), yield* sale(other)], ["answered", "payment_conflict"])
    equal(yield* taken, once)
  })))

/** The error of a call, and whether it reports that the payment was taken. */
const failureOf = Effect.fnUntraced(function* (bought: Purchase) {
  const { sell } = yield* Payments
  const failure = yield* Effect.flip(sell(bought, workOf(Effect.die("computed"))))
  return failure instanceof NotCharged ? [failure.code, failure.taken] : [failure._tag]
})

test("a conflict reports whether the payment was taken, in every state", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const { paymentId } = yield* Signatures
    const lease = Duration.seconds(60)
    const paidAt = { transaction: "0xaa", block: 7n, logIndex: 3, finality: "latest" } as const
    const intend: Move = { event: "intend", answer: { body: new Uint8Array() }, lease }
    const doubt: Move = { event: "doubt", reason: "timeout", transactionHint: null }
    const owe: Move = { event: "owe", reason: "paid_undelivered", paidAt }
    const paths: ReadonlyArray<[PaymentState, boolean | null, ReadonlyArray<Move>]> = [
      ["claimed", null, []],
      ["released", false, [{ event: "release", reason: "test" }]],
      ["settling", null, [intend]],
      ["unresolved", null, [intend, doubt]],
      ["answered", true, [intend, { event: "answer", answer: null, paidAt }]],
      ["refund_due", true, [intend, doubt, owe]],
      ["void", false, [intend, { event: "void", reason: "expired" }]],
    ]
    for (const [n, [state, taken, path]] of paths.entries()) {
      const bought = yield* purchase({ authorization: { nonce: nonce(n) } })
      const { authorization, signature } = bought.payment
      const ticket: PaymentTicket = {
        paymentId: paymentId({ ...token, ...authorization }),
        token,
        authorization,
        signature,
        amount: bought.product.price,
        settlementOrder: bought.product.settlementOrder,
        productId: bought.product.id,
        request: bought.request,
      }
      let row = (yield* store.claim(ticket, null, lease)).payment
      for (const move of path) row = Option.getOrThrow(yield* store.move(row, move))
      equal(row.state, state)
      const other = { ...bought, request: 'signal?[["index",1]]' }
      equal([state, ...yield* failureOf(other)], [state, "payment_conflict", taken])
    }
  })))

test("the same authorization with another signature of its payer is a conflict", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    equal(yield* sale(bought), "answer")
    // The same nonce with a later expiry: the contract sees one authorization, and so do we.
    const { authorization } = bought.payment
    const longer = { ...authorization, validBefore: authorization.validBefore + 1n }
    const signature = yield* sign(buyer(0), longer)
    const again = { ...bought, payment: { ...bought.payment, authorization: longer, signature } }
    equal(yield* sale(again), "payment_conflict")
  })))

test("a known payment with a forged signature is a conflict, and an unknown one gets a 402", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const other = yield* purchase({ authorization: { nonce: nonce(1) } })
    const forged = { ...bought, payment: { ...bought.payment, signature: other.payment.signature } }
    equal(yield* failureOf(forged), ["payment_required", undefined])
    const { began, open, work } = yield* gatedWork
    const first = yield* Effect.forkChild(sell(bought, workOf(work)))
    yield* began
    equal(yield* failureOf(forged), ["payment_conflict", null])
    yield* open
    yield* passing(1)
    yield* Fiber.join(first)
    equal(yield* failureOf(forged), ["payment_conflict", true])
    equal(yield* failureOf({ ...forged, validityFault: "expired" }), ["payment_conflict", true])
  })))

test("of two concurrent copies one computes; the one with the secret waits for the same answer", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const { began, open, work } = yield* gatedWork
    const first = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
    yield* began
    // Only one copy may wait. One without the secret comes first, and takes no place.
    const stranger = yield* Effect.forkChild(
      Effect.result(sell({ ...bought, secret: null }, workOf(Effect.die("computed thrice")))),
    )
    yield* passing(0)
    const second = yield* Effect.forkChild(
      Effect.result(sell(bought, workOf(Effect.die("computed twice")))),
    )
    yield* open
    yield* passing(1)
    equal(outcome(yield* Fiber.join(stranger)), "payment_in_progress")
    equal(outcome(yield* Fiber.join(first)), "answer")
    equal(outcome(yield* Fiber.join(second)), "answer again")
    equal(yield* taken, once)
  })))

test("a second copy stops waiting after its limit", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const { began, open, work } = yield* gatedWork
    const first = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
    yield* began
    const second = yield* Effect.forkChild(Effect.result(sell(bought, workOf(answering()))))
    yield* passing(2)
    equal(outcome(yield* Fiber.join(second)), "payment_in_progress")
    yield* open
    yield* passing(2)
    equal(outcome(yield* Fiber.join(first)), "answer")
  })))

test("a sale that lost its payment to another replica is unresolved, and sells nothing", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const other = yield* replica
    const store = yield* PaymentStore
    const { paymentId } = yield* Signatures
    const bought = yield* purchase({ secret })
    const { began, open, work } = yield* gatedWork
    const stalled = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
    yield* began
    const id = paymentId({ ...token, ...bought.payment.authorization })
    const row = Option.getOrThrow(yield* store.find(id))
    yield* store.move(row, { event: "release", reason: "lease_lost" })
    const next = yield* Effect.forkChild(
      Effect.result(other.sell(bought, workOf(answering("the next's")))),
    )
    yield* passing(1)
    equal(outcome(yield* Fiber.join(next)), "the next's")
    yield* open
    yield* passing(1)
    equal([outcome(yield* Fiber.join(stalled)), yield* taken], ["Unresolved", once])
  })))

test("a buyer who hangs up while the answer is computed is not charged, and can send the payment again", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const { began, work } = yield* gatedWork
    const call = yield* Effect.forkChild(sell(bought, workOf(work)))
    yield* began
    yield* Fiber.interrupt(call)
    yield* passing(1)
    equal([yield* stateOf(bought), yield* taken], ["released", nothing])
    equal(yield* sale(bought), "answer")
  })))

test("a service that closes waits until its payments end", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startSeconds * 1_000)
    const memory = memoryPayments()
    const bought = yield* purchase()
    const scope = yield* Scope.make()
    const service = yield* Layer.buildWithScope(
      market({ delay: Duration.seconds(1) }, Layer.succeed(PaymentStore, memory.store)),
      scope,
    )
    const { sell } = Context.get(service, Payments)
    const call = yield* Effect.forkChild(Effect.result(sell(bought, workOf(answering()))))
    yield* passing(1)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* passing(1)
    yield* Fiber.join(closing)
    equal(outcome(yield* Fiber.join(call)), "answer")
    equal([...memory.countByState().keys()], ["answered"])
  }))
