/**
 * Compute-first sales: who is charged, for what, and how often, as the ledger shows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Fiber, Option, Result } from "effect"
import { recordOf } from "../../../src/payments/domain/payment.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { PaymentStore, StoreReadOnly } from "../../../src/payments/PaymentStore.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  chargedOf,
  inMarket,
  memoryStoreWith,
  nothing,
  once,
  passing,
  purchase,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"

const text = (delivery: Outcome) => new TextDecoder().decode(delivery.body)

/** Sells, lets this much time pass, and returns the outcome. */
const sale = Effect.fnUntraced(function* (
  bought: Purchase,
  work = answering(),
  seconds = 40,
) {
  const { sell } = yield* Payments
  const fiber = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
  yield* passing(seconds)
  return yield* Fiber.join(fiber)
})

const failure = (result: Result.Result<Outcome, { readonly _tag: string }>): string => {
  if (Result.isSuccess(result)) return "delivered"
  const { failure } = result
  return failure instanceof NotCharged ? failure.code : failure._tag
}

const fails = (code: NotCharged["code"]) =>
  Effect.fail(new NotCharged({ code, message: "The work failed" }))

test("sell() delivers the answer, charges its price once, and names the transaction", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    const delivery = Result.getOrThrow(yield* sale(bought))
    equal(text(delivery), "answer")
    equal(delivery.replayed, false)
    equal(delivery.receipt?.payer, bought.payment.authorization.from)
    equal(delivery.receipt?.network, "eip155:8453")
    ok(/^0x[0-9a-f]{64}$/.test(delivery.receipt?.transaction ?? ""))
    equal(yield* stateOf(bought), "answered")
    equal(yield* taken, once)
  })))

test("sell() charges nothing for an answer that is not worth its price", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    const delivery = Result.getOrThrow(yield* sale(bought, answering("nothing new", false)))
    equal([text(delivery), delivery.receipt], ["nothing new", null])
    equal(yield* stateOf(bought), "released")
    equal(yield* taken, nothing)
    const again = Result.getOrThrow(yield* sale(bought, answering("news")))
    equal([text(again), again.receipt !== null], ["news", true])
    equal(yield* taken, once)
  })))

for (
  const code of ["signal_not_found", "data_stale", "market_not_found", "internal_error"] as const
) {
  test(`sell() charges nothing when the work fails with ${code}, and the payment can be sent again`, () =>
    inMarket(Effect.gen(function* () {
      const bought = yield* purchase()
      equal(failure(yield* sale(bought, fails(code))), code)
      equal(yield* stateOf(bought), "released")
      equal(yield* taken, nothing)
      equal(failure(yield* sale(bought)), "delivered")
      equal(yield* taken, once)
    })))
}

test("sent() marks charged answers as delivered, and no others", () =>
  inMarket(Effect.gen(function* () {
    const { sent } = yield* Payments
    const store = yield* PaymentStore
    const marked = Effect.fnUntraced(function* (bought: Purchase, charge: boolean) {
      const delivery = Result.getOrThrow(yield* sale(bought, answering("answer", charge), 5))
      equal(recordOf(Option.getOrThrow(yield* store.find(delivery.paymentId))).sent, false)
      yield* sent(delivery)
      yield* passing(1)
      return recordOf(Option.getOrThrow(yield* store.find(delivery.paymentId))).sent
    })
    const bought = yield* purchase()
    equal(yield* marked(bought, false), false)
    equal(yield* marked(bought, true), true)
  })))

test("sell() refuses an expired payment, and claims nothing", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ validityFault: "The authorization has expired" })
    equal(failure(yield* sale(bought)), "payment_required")
    equal([yield* stateOf(bought), yield* taken], [null, nothing])
  })))

test("while the store accepts reads only a new payment is refused as not charged", () =>
  inMarket(
    Effect.gen(function* () {
      const refused = yield* sale(yield* purchase())
      equal([failure(refused), chargedOf(refused)], ["payments_unavailable", false])
      equal(yield* taken, nothing)
    }),
    {},
    memoryStoreWith(() => ({ claim: () => Effect.die(new StoreReadOnly()) })),
  ))

test("sell() stores nothing for a payment that the facilitator refuses, and computes nothing", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ authorization: { value: 200_000_000n } })
    let computed = 0
    const work = Effect.andThen(Effect.sync(() => computed++), answering())
    equal(failure(yield* sale(bought, work)), "payment_required")
    equal([computed, yield* stateOf(bought), yield* taken], [0, null, nothing])
  })))

const lateBroadcast = {
  misbehave: (call: "verify" | "settle") => call === "settle" ? "late_broadcast" as const : null,
  late: Duration.seconds(5),
}

test("a late broadcast is found by the sweep, and a repeated call returns the answer", () =>
  inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
      equal(failure(yield* sale(bought, answering(), 2)), "Unresolved")
      yield* passing(10)
      equal([yield* sweep, yield* stateOf(bought)], [1, "answered"])
      const delivery = Result.getOrThrow(yield* sale(bought, Effect.die("computed again")))
      equal([text(delivery), delivery.replayed, yield* taken], ["answer", true, once])
    }),
    lateBroadcast,
  ))

test("a payment that is found paid after HOLD is owed, not answered", () =>
  inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* purchase()
      equal(failure(yield* sale(bought, answering(), 2)), "Unresolved")
      yield* passing(700)
      equal([yield* sweep, yield* stateOf(bought)], [1, "refund_due"])
      equal(failure(yield* sale({ ...bought, validityFault: "expired" })), "payment_refunded")
    }),
    lateBroadcast,
  ))
