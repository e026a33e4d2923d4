/**
 * Settle-early sales, and what both orders share: who is charged, what is refunded, and that no
 * buyer is both refused and charged, as the ledger shows.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber } from "effect"
import type { Misbehaviour } from "../../support/payments/simulated.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Work, WorkResult } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  calling,
  early,
  inMarket,
  type Market,
  nothing,
  once,
  passing,
  product,
  purchase,
  rowOf,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"

const secret = "a-secret-of-16-chars"
const fails = (code: NotCharged["code"]) =>
  Effect.fail(new NotCharged({ code, message: "It failed" }))

/** A work with this check, which must not be computed. */
const checkOnly = (check: Work["check"]): Work => ({ check, compute: Effect.die("computed") })

/** The states, the reason and the stored answer of a payment with a refund. */
const refundFieldsOf = Effect.fnUntraced(function* (bought: Parameters<typeof rowOf>[0]) {
  const row = yield* rowOf(bought)
  return [row?.state, row?.refund?.state, row?.refund?.reason, row?.answer]
})

test("an answer is checked, settled, then computed; it is delivered and charged once", () =>
  inMarket(Effect.gen(function* () {
    const bought = yield* purchase({ product: early, secret })
    const services = yield* Effect.context<Market>()
    const steps: Array<[string, unknown, unknown]> = []
    const recorded = (name: string) =>
      Effect.gen(function* () {
        steps.push([name, yield* stateOf(bought), (yield* taken).received])
      }).pipe(Effect.provideContext(services))
    const { sell } = yield* Payments
    const delivery = yield* sell(bought, {
      check: recorded("check"),
      compute: Effect.andThen(recorded("work"), answering()),
    })
    equal(steps, [["check", null, 0n], ["work", "settled", early.price]])
    equal(delivery.receipt?.payer, bought.payment.authorization.from)
    equal(delivery.receipt?.transaction, (yield* rowOf(bought))?.paidAt?.transaction)
    equal([yield* stateOf(bought), yield* taken], ["answered", once])
    equal(yield* buying(bought, workOf(Effect.die("computed again"))), "answer again")
    equal(yield* buying({ ...bought, secret: null }, workOf(answering())), "payment_already_used")
    equal(yield* taken, once)
  })))

for (
  const [name, check, outcome] of [
    ["fails", fails("market_not_found"), "market_not_found"],
    ["dies", Effect.die("a bug"), "internal_error"],
    ["takes too long", Effect.never, "upstream_timeout"],
  ] as const
) {
  test(`a check that ${name} leaves the payment unused, which buys the answer when it is sent again`, () =>
    inMarket(Effect.gen(function* () {
      const bought = yield* purchase({ product: early })
      equal(yield* buying(bought, checkOnly(check), 15), outcome)
      equal([yield* stateOf(bought), yield* taken], [null, nothing])
      equal(yield* buying(bought, workOf(answering())), "answer")
      equal(yield* taken, once)
    })))
}

const works: ReadonlyArray<[string, Effect.Effect<WorkResult, NotCharged>, string]> = [
  ["fails", fails("venue_error"), "venue_error"],
  ["dies", Effect.die("a bug"), "internal_error"],
  ["takes too long", Effect.never, "upstream_timeout"],
  ["is not worth its price", answering("little", false), "below_threshold"],
]
for (const [name, work, code] of works) {
  test(`a work that ${name} after settlement is a refund with ${code}, for every repeated call`, () =>
    inMarket(Effect.gen(function* () {
      const bought = yield* purchase({ product: early, secret })
      equal(yield* buying(bought, workOf(work), 65), `RefundQueued: ${code}`)
      equal(yield* refundFieldsOf(bought), ["refund_due", "queued", code, null])
      equal(yield* taken, once)
      for (
        const again of [bought, { ...bought, secret: null }, {
          ...bought,
          validityFault: "expired",
        }]
      ) {
        equal(yield* buying(again, workOf(Effect.die("computed again"))), "payment_refunded")
      }
      equal(yield* taken, once)
    })))
}

test("a payment that cannot be verified is neither charged nor computed", () =>
  inMarket(
    Effect.gen(function* () {
      const bought = yield* purchase({ product: early })
      equal(yield* buying(bought, checkOnly(Effect.void), 30), "facilitator_error")
      equal([yield* stateOf(bought), yield* taken], [null, nothing])
    }),
    { misbehave: (call) => call === "verify" ? "silence" : null },
  ))

/** The buyer's outcome for each fault of settlement, and whether the payment was made. */
const settlements: Readonly<Record<Misbehaviour, readonly [outcome: string, paid: boolean]>> = {
  success_without_transaction: ["Unresolved", false],
  failure_after_broadcast: ["answer", true],
  double_broadcast: ["answer", true],
  late_broadcast: ["answer", true],
  error_after_broadcast: ["answer", true],
  html: ["Unresolved", false],
  garbage: ["Unresolved", false],
  silence: ["Unresolved", false],
  silence_after_broadcast: ["answer", true],
}
for (const sold of [product, early]) {
  for (const [misbehaviour, [outcome, paid]] of Object.entries(settlements)) {
    test(`${sold.settlementOrder}: a settle that is ${misbehaviour} is ${outcome}: only the chain decides`, () =>
      inMarket(
        Effect.gen(function* () {
          const { sweep } = yield* Payments
          const bought = yield* purchase({ product: sold })
          const late = { ...bought, validityFault: "expired" }
          const work = sold === early && !paid ? checkOnly(Effect.void) : workOf(answering())
          equal(yield* buying(bought, work, 45), outcome)
          equal(yield* taken, paid ? once : nothing)
          equal(yield* stateOf(bought), paid ? "answered" : "unresolved")
          // An expired copy is not refused while the outcome is unknown.
          if (!paid) equal(yield* buying(late, work, 1), "Unresolved")
          yield* passing(90)
          yield* sweep
          equal(yield* stateOf(bought), paid ? "answered" : "void")
          equal(yield* taken, paid ? once : nothing)
          if (!paid) equal(yield* buying(late, work, 1), "payment_required")
        }),
        {
          misbehave: (call) => call === "settle" ? misbehaviour as Misbehaviour : null,
          late: Duration.millis(700),
        },
      ))
  }
}

for (
  const [sold, when, seconds] of [
    [early, "check", 0],
    [early, "verify", 3],
    [product, "verify", 1],
  ] as const
) {
  test(`a ${sold.settlementOrder} buyer who hangs up during the ${when} is not charged`, () =>
    inMarket(
      Effect.gen(function* () {
        const bought = yield* purchase({ product: sold })
        const check = Effect.sleep(Duration.seconds(2))
        const call = yield* calling(bought, checkOnly(check))
        yield* passing(seconds)
        yield* Fiber.interrupt(call)
        yield* passing(10)
        equal([yield* stateOf(bought), yield* taken], [null, nothing])
      }),
      { delay: Duration.seconds(2) },
    ))
}

for (
  const [sold, when, seconds] of [
    [early, "settlement", 3],
    [early, "work", 5],
    [product, "settlement", 5],
  ] as const
) {
  test(`a ${sold.settlementOrder} buyer who hangs up during the ${when} gets the stored answer later`, () =>
    inMarket(
      Effect.gen(function* () {
        const bought = yield* purchase({ product: sold, secret })
        const work = Effect.delay(answering(), Duration.seconds(2))
        const call = yield* calling(bought, workOf(work))
        yield* passing(seconds)
        equal(yield* stateOf(bought), when === "work" ? "settled" : "settling")
        yield* Fiber.interrupt(call)
        yield* passing(10)
        equal([yield* stateOf(bought), yield* taken], ["answered", once])
        equal(yield* buying(bought, workOf(Effect.die("computed again"))), "answer again")
      }),
      { delay: Duration.seconds(2) },
    ))
}
