/**
 * findOutcome() in every state: it follows the rules of a repeated payment.
 *
 * @module
 */
import { testKey } from "../../support/signing/key.ts"
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Layer, Option, Ref, Result } from "effect"
import { type Payment, paymentOf, recordOf } from "../../../src/payments/domain/payment.ts"
import { type Move, PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { makeReceipts, type PaymentOutcome } from "../../../src/payments/sale/responses.ts"
import { etagOf, type Purchase } from "../../../src/payments/purchase.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { test } from "../../support/effect.ts"
import { paths } from "../paymentStore.laws.ts"
import { memoryPayments } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  calling,
  early,
  gatedWork,
  inMarket,
  once,
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
import { nonce, terms, token } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"
const wrongSecrets = [null, "", "another-secret-of-16", `${secret} `, secret.toUpperCase()]
const allPaths = {
  "compute-first": { ...paths["compute-first"], refunded: paths["compute-first"].refund_due },
  "settle-early": { ...paths["settle-early"], refunded: paths["settle-early"].refund_due },
}

const idOf = Effect.fnUntraced(function* ({ payment }: Purchase) {
  return (yield* Signatures).paymentId({ ...token, ...payment.authorization })
})

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

const receipt = (row: Payment) => ({
  payer: row.authorization.from,
  transaction: "0xaa",
  network: "eip155:8453",
})

/** The expected outcome for a caller with and without the secret. */
function expected(row: Payment, hasSecret: boolean): PaymentOutcome {
  switch (row.state) {
    case "answered": {
      const { paymentId, answer } = row
      if (!hasSecret || answer === null) return { state: "used", receipt: receipt(row) }
      const signed = makeReceipts(testKey.sign, terms).ofSale(row, answer.body)
      const etag = etagOf(row.authorization.from, row.request, answer.body)
      const money = { receipt: signed, replayed: true, unchanged: false }
      return { state: "answered", delivery: { paymentId, body: answer.body, etag, ...money } }
    }
    case "refund_due":
    case "refunded":
      return {
        state: "refunded",
        refund: {
          id: row.paymentId,
          state: row.state === "refunded" ? "confirmed" : "queued",
          amountUsd: "0.01",
          to: row.authorization.from,
          paymentTransaction: "0xaa",
        },
      }
    case "released":
    case "void":
      return { state: row.state }
    default:
      return { state: "underway" }
  }
}

test("in every state only the secret of the purchase returns the answer, and nothing moves", () => {
  const memory = memoryPayments()
  return inMarket(
    Effect.gen(function* () {
      const { findOutcome } = yield* Payments
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
              equal(
                yield* findOutcome(paymentId, presented),
                expected(row, hasSecret),
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
    const { findOutcome } = yield* Payments
    const bought = yield* purchase()
    equal(yield* findOutcome(yield* idOf(bought), secret), { state: "unknown" })
    equal(yield* stateOf(bought), null)
  })))

test("a delivered answer is returned byte for byte, without a time limit", () =>
  inMarket(Effect.gen(function* () {
    const { findOutcome, sell, sent } = yield* Payments
    const bought = yield* purchase({ secret })
    const paymentId = yield* idOf(bought)
    const first = yield* sell(bought, workOf(answering()))
    const again = yield* findOutcome(paymentId, secret)
    ok(again.state === "answered")
    equal(again.delivery, { ...first, replayed: true })
    equal((yield* rowOf(bought))?.sent, false, "it was not reported as delivered")
    yield* sent(again.delivery)
    yield* passing(1)
    equal((yield* rowOf(bought))?.sent, true)
    yield* passing(Duration.toSeconds(timing.answerWindow) * 3)
    equal(yield* findOutcome(paymentId, secret), again)
    equal(yield* taken, once)
  })))

test("an answer that is not fetched within HOLD is refunded, even before a sweep", () =>
  inMarket(Effect.gen(function* () {
    const { findOutcome, sell } = yield* Payments
    const bought = yield* purchase({ secret })
    const paymentId = yield* idOf(bought)
    yield* sell(bought, workOf(answering()))
    yield* passing(Duration.toSeconds(timing.answerWindow) - 1)
    equal((yield* findOutcome(paymentId, secret)).state, "answered")
    yield* passing(1)
    equal((yield* findOutcome(paymentId, null)).state, "used")
    equal(yield* stateOf(bought), "answered", "a caller without the secret moves nothing")
    const late = yield* findOutcome(paymentId, secret)
    ok(late.state === "refunded")
    equal([late.refund.state, yield* stateOf(bought)], ["queued", "refund_due"])
    equal((yield* rowOf(bought))?.answer, null)
  })))

test("a payment whose answer is being computed is underway, and computed once", () =>
  inMarket(Effect.gen(function* () {
    const { findOutcome } = yield* Payments
    const bought = yield* purchase({ secret })
    const paymentId = yield* idOf(bought)
    const { began, open, work } = yield* gatedWork
    yield* calling(bought, workOf(work))
    yield* began
    equal(yield* findOutcome(paymentId, secret), { state: "underway" })
    yield* open
    yield* passing(1)
    equal((yield* findOutcome(paymentId, secret)).state, "answered")
    equal(yield* taken, once)
  })))

test("an unresolved payment is read on the chain only for the caller with its secret", () =>
  inMarket(Effect.gen(function* () {
    const { findOutcome } = yield* Payments
    const bought = yield* purchase({ secret })
    const { paymentId } = yield* claimAndMove(bought, paths["compute-first"].unresolved, secret)
    equal(yield* findOutcome(paymentId, secret), { state: "underway" })
    yield* useNonce(bought, bought.product.price)
    equal(yield* findOutcome(paymentId, null), { state: "underway" })
    equal(yield* stateOf(bought), "unresolved")
    equal((yield* findOutcome(paymentId, secret)).state, "answered")
    equal(yield* stateOf(bought), "answered")
  })))

test("a payment that was not charged is released, and can be sent again", () =>
  inMarket(Effect.gen(function* () {
    const { findOutcome } = yield* Payments
    const bought = yield* purchase({ secret })
    equal(yield* buying(bought, workOf(answering("nothing", false))), "nothing")
    equal(yield* findOutcome(yield* idOf(bought), secret), { state: "released" })
    equal(yield* buying(bought, workOf(answering())), "answer")
  })))

test("an answer that is no longer stored is reported as used", () => {
  const memory = memoryPayments()
  const find = (id: Payment["paymentId"]) =>
    Effect.map(
      memory.store.find(id),
      Option.map((row) =>
        Result.getOrThrow(paymentOf({ ...recordOf(row), sent: true, answer: null }))
      ),
    )
  return inMarket(
    Effect.gen(function* () {
      const { findOutcome } = yield* Payments
      const bought = yield* purchase({ secret })
      const path = paths["compute-first"].answered
      const row = yield* claimAndMove(bought, path, secret)
      equal(yield* findOutcome(row.paymentId, secret), { state: "used", receipt: receipt(row) })
    }),
    {},
    Layer.succeed(PaymentStore, { ...memory.store, find }),
  )
})

test("a store that is down gives the outcome underway", () =>
  Effect.gen(function* () {
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
        const { findOutcome } = yield* Payments
        const bought = yield* purchase({ secret })
        equal(yield* buying(bought, workOf(answering())), "answer")
        yield* Ref.set(up, false)
        equal(yield* findOutcome(yield* idOf(bought), secret), { state: "underway" })
      }),
      {},
      Layer.succeed(PaymentStore, store),
    )
  }))
