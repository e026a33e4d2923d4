/**
 * Settle-early is sold only while the treasury could give all of it back.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber } from "effect"
import { Chain, ChainUnavailable } from "../../src/payments/Chain.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import type { Purchase, Work } from "../../src/payments/sale/sale.ts"
import { test } from "../support/effect.ts"
import {
  answering,
  early,
  gatedWork,
  inMarket,
  outcomeText,
  passing,
  product,
  purchase,
  replica,
  stateOf,
  workOf,
} from "../support/payments/sales.ts"
import { nonce } from "../support/payments/terms.ts"

const { price } = early
const secret = "a-secret-of-16-chars"
const unasked = workOf(Effect.die("computed for an unsold answer"))

type Float = bigint | "down" | "silent"

/** A service whose treasury holds what the test says, and how often that was asked. */
const treasury = Effect.fnUntraced(function* (first: Float) {
  const known = { float: first, asked: 0, verified: 0 }
  const chain = yield* Chain
  const facilitator = yield* Facilitator
  const balanceOf = () =>
    Effect.suspend(() => {
      known.asked += 1
      if (known.float === "silent") return Effect.never
      return known.float === "down"
        ? Effect.fail(new ChainUnavailable({ reason: "test" }))
        : Effect.succeed(known.float)
    })
  const payments = yield* replica.pipe(
    Effect.provideService(Chain, { ...chain, balanceOf }),
    Effect.provideService(Facilitator, {
      ...facilitator,
      verify: (request) =>
        Effect.andThen(Effect.sync(() => known.verified += 1), facilitator.verify(request)),
    }),
  )
  const sell = (bought: Purchase, task: Work) =>
    Effect.forkChild(Effect.map(Effect.result(payments.sell(bought, task)), outcomeText))
  const sale = Effect.fnUntraced(function* (bought: Purchase, task: Work) {
    const call = yield* sell(bought, task)
    yield* passing(6)
    return yield* Fiber.join(call)
  })
  return { known, sell, sale }
})

/** The n-th sale of the settle-early product. */
const nth = (n: number) => purchase({ product: early, secret, authorization: { nonce: nonce(n) } })

for (
  const [float, reported] of [
    [0n, "payments_unavailable"],
    [price - 1n, "payments_unavailable"],
    [price, "answer"],
    ["down", "payments_unavailable"],
    ["silent", "payments_unavailable"],
  ] as const
) {
  test(`a treasury of ${float} for a price of ${price}: ${reported}`, () =>
    inMarket(Effect.gen(function* () {
      const { known, sale } = yield* treasury(float)
      const bought = yield* nth(0)
      const sold = reported === "answer"
      equal(yield* sale(bought, sold ? workOf(answering()) : unasked), reported)
      // Refused before anything is claimed, and before anyone else saw the payment.
      equal([yield* stateOf(bought), known.verified], sold ? ["answered", 1] : [null, 0])
    })))
}

test("an empty treasury does not stop compute-first sales", () =>
  inMarket(Effect.gen(function* () {
    const { known, sale } = yield* treasury(0n)
    equal(yield* sale(yield* purchase({ product }), workOf(answering())), "answer")
    equal(known.asked, 0)
  })))

test("a known payment gets its response whatever the balance; a released one waits", () =>
  inMarket(Effect.gen(function* () {
    const { known, sale } = yield* treasury(10n * price)
    const [answered, owed, released] = [yield* nth(0), yield* nth(1), yield* nth(2)]
    equal(yield* sale(answered, workOf(answering())), "answer")
    equal(yield* sale(owed, workOf(Effect.die("a bug"))), "RefundQueued: internal_error")
    const refused = { check: Effect.die("a bug"), compute: Effect.die("computed") }
    equal(yield* sale(released, refused), "internal_error")
    for (const float of [0n, "down"] as const) {
      yield* passing(10)
      known.float = float
      equal(yield* sale(answered, unasked), "answer again")
      equal(yield* sale({ ...answered, secret: null }, unasked), "payment_already_used")
      equal(yield* sale(owed, unasked), "payment_refunded")
      equal(yield* sale(released, unasked), "payments_unavailable")
      equal(yield* stateOf(released), "released")
    }
    yield* passing(10)
    known.float = 10n * price
    equal(yield* sale(released, workOf(answering())), "answer")
  })))

test("the balance that open sales may need does not cover another sale", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const { known, sale } = yield* treasury(2n * price - 1n)
    equal(yield* sale(yield* nth(0), workOf(Effect.die("a bug"))), "RefundQueued: internal_error")
    equal(yield* store.liability, price)
    equal(yield* sale(yield* nth(1), unasked), "payments_unavailable")
    known.float = 2n * price
    yield* passing(10)
    equal(yield* sale(yield* nth(1), workOf(answering())), "answer")
    equal(yield* store.liability, price)
  })))

test("of many concurrent sales only those start that the treasury covers", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* treasury(3n * price)
    const { open, work } = yield* gatedWork
    const calls = yield* Effect.forEach(
      Array.from({ length: 10 }, (_, n) => n),
      (n) => Effect.flatMap(nth(n), (bought) => sell(bought, workOf(work))),
    )
    yield* passing(1)
    yield* open
    yield* passing(1)
    const reported = yield* Effect.forEach(calls, Fiber.join)
    equal(reported.filter((one) => one === "answer").length, 3)
    equal(reported.filter((one) => one === "payments_unavailable").length, 7)
  })))

test("a sale that is refused, abandoned or answered frees its reservation", () =>
  inMarket(Effect.gen(function* () {
    const { sell, sale } = yield* treasury(price)
    const failing = { check: Effect.die("a bug"), compute: Effect.die("computed") }
    equal(yield* sale(yield* nth(0), failing), "internal_error")
    const { began, work } = yield* gatedWork
    const gone = yield* sell(yield* nth(1), { check: Effect.asVoid(work), compute: work })
    yield* began
    equal(yield* sale(yield* nth(2), unasked), "payments_unavailable")
    yield* Fiber.interrupt(gone)
    yield* passing(1)
    equal(yield* sale(yield* nth(2), workOf(answering())), "answer")
    equal(yield* sale(yield* nth(3), workOf(answering())), "answer")
  })))

test("a sale in progress counts once, and a repeated payment does not count", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const { sell, sale } = yield* treasury(2n * price)
    const first = yield* nth(0)
    const { began, open, work } = yield* gatedWork
    const call = yield* sell(first, workOf(work))
    yield* began
    equal(yield* store.liability, price)
    const copy = yield* sell(first, unasked)
    yield* passing(0)
    equal(yield* sale(yield* nth(1), workOf(answering())), "answer")
    yield* open
    yield* passing(1)
    equal([yield* Fiber.join(call), yield* Fiber.join(copy)], ["answer", "payment_in_progress"])
  })))

test("the treasury's balance is cached for ten seconds", () =>
  inMarket(Effect.gen(function* () {
    const { known, sale } = yield* treasury(100n * price)
    for (const [n, asked] of [1, 1, 2, 2].entries()) {
      // Each sale takes six seconds.
      equal(yield* sale(yield* nth(n), workOf(answering())), "answer")
      equal(known.asked, asked)
    }
  })))
