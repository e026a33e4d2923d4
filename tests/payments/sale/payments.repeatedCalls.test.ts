/**
 * Repeated payments, buyers who hang up and lost leases: one authorization buys one answer.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Context, Duration, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { PaymentState } from "../../../src/payments/domain/payment.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { buyer, sign } from "../../support/payments/buyers.ts"
import { test } from "../../support/effect.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  heldSale,
  idOf,
  inMarket,
  market,
  nothing,
  once,
  outcomeText,
  passing,
  purchase,
  replica,
  startSeconds,
  stateOf,
  storeClaimed,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"
import { paths } from "../paymentStore.laws.ts"

const secret = "a-secret-of-16-chars"
const answer = workOf(answering())

test("an answered payment returns its answer again only to a caller with the secret", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    equal(yield* buying(bought, answer), "answer")
    equal(yield* buying(bought, workOf(answering("another"))), "answer again")
    equal(yield* buying({ ...bought, secret: null }, answer), "payment_already_used")
    equal(
      yield* buying({ ...bought, secret: "another-secret-of-16" }, answer),
      "payment_already_used",
    )
    equal(yield* taken, once)
  })))

/** The error of a call, and whether it reports that the payment was taken. */
const failureOf = Effect.fnUntraced(function* (bought: Purchase) {
  const { sell } = yield* Payments
  const failure = yield* Effect.flip(sell(bought, workOf(Effect.die("computed"))))
  return failure instanceof NotCharged ? [failure.code, failure.taken] : [failure._tag]
})

test("a payment for another request is a conflict that reports whether it was taken, in every state", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const wasTaken = {
      ...{ claimed: null, released: false, settling: null, unresolved: null },
      ...{ answered: true, refund_due: true, void: false },
    } as const
    for (const [n, [state, taken]] of Object.entries(wasTaken).entries()) {
      const bought = yield* purchase({ authorization: { nonce: nonce(n) } })
      let row = yield* storeClaimed(bought)
      for (const move of paths["compute-first"][state as PaymentState] ?? []) {
        row = Option.getOrThrow(yield* store.move(row, move))
      }
      equal(row.state, state)
      const other = { ...bought, request: 'signal?[["index",1]]' }
      equal([state, ...yield* failureOf(other)], [state, "payment_conflict", taken])
    }
  })))

test("the same authorization with another signature of its payer is a conflict", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    equal(yield* buying(bought, answer), "answer")
    // The same nonce with a later expiry: the contract sees one authorization, and so do we.
    const { authorization } = bought.payment
    const longer = { ...authorization, validBefore: authorization.validBefore + 1n }
    const signature = yield* sign(buyer(0), longer)
    const again = { ...bought, payment: { ...bought.payment, authorization: longer, signature } }
    equal(yield* buying(again, answer), "payment_conflict")
  })))

test("a known payment with a forged signature is a conflict, and an unknown one gets a 402", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    const other = yield* purchase({ authorization: { nonce: nonce(1) } })
    const forged = { ...bought, payment: { ...bought.payment, signature: other.payment.signature } }
    equal(yield* failureOf(forged), ["payment_required", undefined])
    const first = yield* heldSale(bought)
    equal(yield* failureOf(forged), ["payment_conflict", null])
    yield* first.end
    equal(yield* failureOf(forged), ["payment_conflict", true])
    equal(yield* failureOf({ ...forged, validityFault: "expired" }), ["payment_conflict", true])
  })))

test("of two concurrent copies one computes; the one with the secret waits for the same answer", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const first = yield* heldSale(bought)
    // Only one copy may wait. One without the secret comes first, and takes no place.
    const stranger = yield* Effect.forkChild(
      Effect.result(sell({ ...bought, secret: null }, workOf(Effect.die("computed thrice")))),
    )
    yield* passing(0)
    const second = yield* Effect.forkChild(
      Effect.result(sell(bought, workOf(Effect.die("computed twice")))),
    )
    equal(outcomeText(yield* Fiber.join(stranger)), "payment_in_progress")
    equal(yield* first.end, "answer")
    equal(outcomeText(yield* Fiber.join(second)), "answer again")
    equal(yield* taken, once)
  })))

test("a second copy stops waiting after its limit", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const first = yield* heldSale(bought)
    const second = yield* Effect.forkChild(Effect.result(sell(bought, workOf(answering()))))
    yield* passing(2)
    equal(outcomeText(yield* Fiber.join(second)), "payment_in_progress")
    equal(yield* first.end, "answer")
  })))

test("a sale that lost its payment to another replica is unresolved, and sells nothing", () =>
  inMarket(Effect.gen(function* () {
    const other = yield* replica
    const store = yield* PaymentStore
    const bought = yield* purchase({ secret })
    const stalled = yield* heldSale(bought)
    const row = Option.getOrThrow(yield* store.find(yield* idOf(bought)))
    yield* store.move(row, { event: "release", reason: "lease_lost" })
    const next = yield* Effect.forkChild(
      Effect.result(other.sell(bought, workOf(answering("the next's")))),
    )
    yield* passing(1)
    equal(outcomeText(yield* Fiber.join(next)), "the next's")
    equal([yield* stalled.end, yield* taken], ["Unresolved", once])
  })))

test("a buyer who hangs up while the answer is computed is not charged, and can send the payment again", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    const { call } = yield* heldSale(bought)
    yield* Fiber.interrupt(call)
    yield* passing(1)
    equal([yield* stateOf(bought), yield* taken], ["released", nothing])
    equal(yield* buying(bought, answer), "answer")
  })))

test("a service that closes waits until its payments end", function* () {
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
  equal(outcomeText(yield* Fiber.join(call)), "answer")
  equal([...memory.countByState().keys()], ["answered"])
})
