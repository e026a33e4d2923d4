/**
 * findOutcome() in every state: it follows the rules of a repeated payment.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Layer, Option, Ref, Result } from "effect"
import { type Payment, type PaymentId } from "../../../src/payments/domain/payment.ts"
import { type Move, PaymentStore } from "../../../src/payments/PaymentStore.ts"
import type { Outcome, Purchase } from "../../../src/payments/purchase.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { FailedSale } from "../../../src/payments/domain/failedSale.ts"
import { test } from "../../support/effect.ts"
import { paths } from "../paymentStore.laws.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  early,
  idOf,
  inMarket,
  once,
  outcomeText,
  passing,
  product,
  purchase,
  rowOf,
  stateOf,
  storeClaimed,
  taken,
  timing,
  useNonce,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"
const wrongSecrets = [null, "", "another-secret-of-16", `${secret} `, secret.toUpperCase()]
const allPaths = {
  "compute-first": { ...paths["compute-first"], refunded: paths["compute-first"].refund_due },
  "settle-early": { ...paths["settle-early"], refunded: paths["settle-early"].refund_due },
}

/** Claims a payment with this secret, and makes these moves. */
const claimAndMove = Effect.fnUntraced(function* (
  bought: Purchase,
  path: ReadonlyArray<Move> = [],
  secret: string | null = null,
) {
  const store = yield* PaymentStore
  let row = yield* storeClaimed({ ...bought, secret })
  for (const move of path) row = Option.getOrThrow(yield* store.move(row, move))
  return row
})

/** What a caller finds, as text: the answer, the code of the error, or that nothing was taken. */
const finding = Effect.fnUntraced(function* (paymentId: PaymentId, presented: string | null) {
  const { findOutcome } = yield* Payments
  const found = yield* Effect.result(findOutcome(paymentId, presented))
  return Result.isSuccess(found) && found.success === null
    ? "nothing taken"
    : outcomeText(found as Result.Result<Outcome, FailedSale>)
})

/** The expected outcome for a caller with and without the secret. */
const expected: Readonly<Record<Payment["state"], string>> = {
  claimed: "payment_in_progress",
  settling: "payment_in_progress",
  settled: "payment_in_progress",
  unresolved: "Unresolved",
  answered: "payment_already_used",
  refund_due: "payment_refunded",
  refunded: "payment_refunded",
  released: "nothing taken",
  void: "payment_required",
}

test("in every state only the secret of the purchase returns the answer, and nothing moves", () => {
  const memory = memoryPayments()
  return inMarket(
    Effect.gen(function* () {
      const store = yield* PaymentStore
      let n = 0
      for (const order of ["compute-first", "settle-early"] as const) {
        for (const [state, path] of Object.entries(allPaths[order])) {
          for (const claimedWith of [secret, null]) {
            const sold = order === "compute-first" ? product : early
            const authorization = { nonce: nonce(n++) }
            const bought = yield* purchase({ product: sold, authorization })
            const { paymentId } = yield* claimAndMove(bought, path, claimedWith)
            if (state === "refunded") memory.endRefund(paymentId, "refund")
            const row = Option.getOrThrow(yield* store.find(paymentId))
            equal(row.state, state)
            for (const presented of [...wrongSecrets, secret]) {
              const hasSecret = claimedWith !== null && presented === claimedWith
              const isAnswer = hasSecret && row.state === "answered"
              equal(
                yield* finding(paymentId, presented),
                isAnswer
                  ? `${new TextDecoder().decode(row.answer?.body)} again`
                  : expected[row.state],
                `${state} ${presented}`,
              )
              equal(Option.getOrThrow(yield* store.find(paymentId)), row, "nothing moved")
            }
          }
        }
      }
      equal(n, 34)
      equal(yield* taken, { spent: 0n, received: 0n })
    }),
    {},
    Layer.succeed(PaymentStore, memory.store),
  )
})

test("a payment that was never sent is unknown, and stays unknown", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    equal(yield* finding(yield* idOf(bought), secret), "nothing taken")
    equal(yield* stateOf(bought), null)
  })))

test("a delivered answer is returned byte for byte, without a time limit", () =>
  inMarket(Effect.gen(function* () {
    const { findOutcome, sell, sent } = yield* Payments
    const bought = yield* purchase({ secret })
    const paymentId = yield* idOf(bought)
    const first = yield* sell(bought, workOf(answering()))
    const again = yield* findOutcome(paymentId, secret)
    equal(again, { ...first, replayed: true })
    equal((yield* rowOf(bought))?.sent, false, "it was not reported as delivered")
    yield* sent(first)
    yield* passing(1)
    equal((yield* rowOf(bought))?.sent, true)
    yield* passing(Duration.toSeconds(timing.answerWindow) * 3)
    equal(yield* findOutcome(paymentId, secret), again)
    equal(yield* taken, once)
  })))

test("an answer that is not fetched within HOLD is refunded, even before a sweep", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const paymentId = yield* idOf(bought)
    yield* sell(bought, workOf(answering()))
    yield* passing(Duration.toSeconds(timing.answerWindow) - 1)
    equal(yield* finding(paymentId, secret), "answer again")
    yield* passing(1)
    equal(yield* finding(paymentId, null), "payment_already_used")
    equal(yield* stateOf(bought), "answered", "a caller without the secret moves nothing")
    equal(yield* finding(paymentId, secret), "payment_refunded")
    equal(yield* stateOf(bought), "refund_due")
    equal((yield* rowOf(bought))?.answer, null)
  })))

test("an unresolved payment is read on the chain only for the caller with its secret", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    const { paymentId } = yield* claimAndMove(bought, paths["compute-first"].unresolved, secret)
    equal(yield* finding(paymentId, secret), "Unresolved")
    yield* useNonce(bought, bought.product.price)
    equal(yield* finding(paymentId, null), "Unresolved")
    equal(yield* stateOf(bought), "unresolved")
    equal(yield* finding(paymentId, secret), '{"success":true} again')
    equal(yield* stateOf(bought), "answered")
  })))

test("a store that is down says that nothing is known", function* () {
  const up = yield* Ref.make(true)
  const memory = memoryPayments()
  const store = PaymentStore.of({
    ...memory.store,
    find: (id) =>
      Effect.flatMap(
        Ref.get(up),
        (isUp) => isUp ? memory.store.find(id) : Effect.die("The store is down"),
      ),
  })
  yield* inMarket(
    Effect.gen(function* () {
      const bought = yield* purchase({ secret })
      equal(yield* buying(bought, workOf(answering())), "answer")
      yield* Ref.set(up, false)
      equal(yield* finding(yield* idOf(bought), secret), "Unresolved")
    }),
    {},
    Layer.succeed(PaymentStore, store),
  )
})
