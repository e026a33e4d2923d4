/**
 * Compute-first sales: who is charged, for what, and how often, as the ledger shows.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect } from "effect"
import { listingOf } from "../../../src/payments/domain/x402/challenge.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import { StoreReadOnly } from "../../../src/payments/PaymentStore.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  chargedOf,
  inMarket,
  memoryStoreWith,
  nothing,
  once,
  outcomeText,
  passing,
  product,
  purchase,
  refusing,
  replica,
  startSeconds,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { terms } from "../../support/payments/terms.ts"

const computed = workOf(Effect.die("computed"))
const text = (delivery: Outcome) => new TextDecoder().decode(delivery.body)

test("sell() delivers the answer, charges its price once, and names the transaction", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase()
    const { sell } = yield* Payments
    const delivery = yield* sell(bought, workOf(answering()))
    equal(text(delivery), "answer")
    equal(delivery.replayed, false)
    equal(delivery.receipt?.payer, bought.payment.authorization.from)
    equal(delivery.receipt?.network, "eip155:8453")
    ok(/^0x[0-9a-f]{64}$/.test(delivery.receipt?.transaction ?? ""))
    equal(yield* stateOf(bought), "answered")
    equal(yield* taken, once)
  })))

for (
  const [name, work, outcome] of [
    ["an answer that is not worth its price", answering("nothing new", false), "nothing new"],
    ["a work that fails", refusing("signal_not_found"), "signal_not_found"],
  ] as const
) {
  test(`sell() charges nothing for ${name}, and the payment can be sent again, in time`, () =>
    inMarket(Effect.gen(function* () {
      const bought = yield* purchase()
      equal(yield* buying(bought, workOf(work)), outcome)
      equal(yield* buying({ ...bought, validityFault: "too late" }, computed), "payment_required")
      equal([yield* stateOf(bought), yield* taken], ["released", nothing])
      equal(yield* buying(bought, workOf(answering())), "answer")
      equal(yield* taken, once)
    })))
}

test("a settlement names its product, so that catalogues list it", () =>
  inMarket(Effect.gen(function* () {
    const facilitator = yield* Facilitator
    const named: Array<unknown> = []
    const recording = Facilitator.of({
      ...facilitator,
      settle: (request) =>
        Effect.suspend(() => (named.push(request.listing), facilitator.settle(request))),
    })
    const { sell } = yield* Effect.provideService(replica, Facilitator, recording)
    yield* sell(yield* purchase(), workOf(answering()))
    equal(named, [listingOf(product, terms)])
  })))

test("sell() refuses an expired payment, and claims nothing", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ validityFault: "The authorization has expired" })
    equal(yield* buying(bought, computed), "payment_required")
    equal([yield* stateOf(bought), yield* taken], [null, nothing])
  })))

test("a payment that just came too late is not refused while an earlier call may be on its way", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    // 35 s for the sale and 6 s for the clocks: the last call is at 10 s.
    const authorization = { validBefore: BigInt(startSeconds) + 51n }
    const bought = yield* purchase({ authorization, validityFault: "It expires too soon" })
    yield* passing(10)
    for (const seconds of [0, 25]) {
      yield* passing(seconds)
      const late = yield* Effect.result(sell(bought, computed))
      equal([outcomeText(late), chargedOf(late)], ["payment_in_progress", null])
    }
    yield* passing(1)
    equal(yield* buying(bought, computed, 0), "payment_required")
    equal([yield* stateOf(bought), yield* taken], [null, nothing])
  })))

test("while the store accepts reads only a new payment is refused as not charged", () =>
  inMarket(
    Effect.gen(function* () {
      const { sell } = yield* Payments
      const refused = yield* Effect.result(sell(yield* purchase(), computed))
      equal([outcomeText(refused), chargedOf(refused)], ["payments_unavailable", false])
      equal(yield* taken, nothing)
    }),
    {},
    memoryStoreWith(() => ({ claim: () => Effect.die(new StoreReadOnly()) })),
  ))

test("sell() stores nothing for a payment that the facilitator refuses, and computes nothing", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ authorization: { value: 200_000_000n } })
    equal(yield* buying(bought, computed), "payment_required")
    equal([yield* stateOf(bought), yield* taken], [null, nothing])
  })))

test("a payment that is found paid after HOLD is owed, not answered", () =>
  inMarket(
    Effect.gen(function* () {
      const { sweep } = yield* Payments
      const bought = yield* purchase()
      equal(yield* buying(bought, workOf(answering()), 2), "Unresolved")
      yield* passing(700)
      equal([yield* sweep, yield* stateOf(bought)], [1, "refund_due"])
      equal(yield* buying({ ...bought, validityFault: "expired" }, computed), "payment_refunded")
    }),
    {
      misbehave: (call) => call === "settle" ? "late_broadcast" : null,
      late: Duration.seconds(5),
    },
  ))
