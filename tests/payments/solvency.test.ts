/**
 * Settle-early products are sold only while the treasury covers the refunds of all open sales.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber } from "effect"
import { Chain, ChainUnavailable } from "../../src/payments/Chain.ts"
import { Payments } from "../../src/payments/Payments.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import type { Purchase, Work } from "../../src/payments/purchase.ts"
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
  useNonce,
  workOf,
} from "../support/payments/sales.ts"
import { nonce } from "../support/payments/terms.ts"

const { price } = early
const secret = "a-secret-of-16-chars"
const neverComputed = workOf(Effect.die("computed for an unsold answer"))

type Balance = bigint | "down" | "silent"

/**
 * A service with this treasury balance, which a test can change; it counts balance reads. A claim
 * takes `claimDelay`.
 */
const serviceWithTreasury = Effect.fnUntraced(function* (
  initial: Balance,
  claimDelay: Duration.Duration = Duration.zero,
) {
  const treasury = { balance: initial, reads: 0 }
  const chain = yield* Chain
  const balanceOf = () =>
    Effect.suspend(() => {
      treasury.reads += 1
      if (treasury.balance === "silent") return Effect.never
      return treasury.balance === "down"
        ? Effect.fail(new ChainUnavailable({ reason: "test" }))
        : Effect.succeed(treasury.balance)
    })
  const store = yield* PaymentStore
  const claim: typeof store.claim = (...args) => Effect.delay(store.claim(...args), claimDelay)
  const payments = yield* replica.pipe(
    Effect.provideService(Chain, { ...chain, balanceOf }),
    Effect.provideService(PaymentStore, { ...store, claim }),
  )
  const sell = (bought: Purchase, work: Work) =>
    Effect.forkChild(Effect.map(Effect.result(payments.sell(bought, work)), outcomeText))
  const sale = Effect.fnUntraced(function* (bought: Purchase, work: Work) {
    const call = yield* sell(bought, work)
    yield* passing(6)
    return yield* Fiber.join(call)
  })
  return { treasury, sell, sale }
})

/** The n-th sale of the settle-early product. */
const nth = (n: number) =>
  purchase({
    product: early,
    request: `request ${n}`,
    secret: `${secret}-${n}`,
    authorization: { nonce: nonce(n) },
  })

for (
  const [balance, outcome] of [
    [0n, "payments_unavailable"],
    [price - 1n, "payments_unavailable"],
    [price, "answer"],
    ["down", "payments_unavailable"],
    ["silent", "payments_unavailable"],
  ] as const
) {
  test(`a sale at ${price} with a treasury balance of ${balance}: ${outcome}`, () =>
    inMarket(Effect.gen(function* () {
      const { sale } = yield* serviceWithTreasury(balance)
      const bought = yield* nth(0)
      const sold = outcome === "answer"
      equal(yield* sale(bought, sold ? workOf(answering()) : neverComputed), outcome)
      equal(yield* stateOf(bought), sold ? "answered" : null)
    })))
}

test("an empty treasury does not stop compute-first sales", () =>
  inMarket(Effect.gen(function* () {
    const { treasury, sale } = yield* serviceWithTreasury(0n)
    equal(yield* sale(yield* purchase({ product }), workOf(answering())), "answer")
    equal(treasury.reads, 0)
  })))

test("a known payment gets its response whatever the balance; a new one waits", () =>
  inMarket(Effect.gen(function* () {
    const { treasury, sale } = yield* serviceWithTreasury(10n * price)
    const [answered, owed, fresh] = [yield* nth(0), yield* nth(1), yield* nth(2)]
    equal(yield* sale(answered, workOf(answering())), "answer")
    equal(yield* sale(owed, workOf(Effect.die("a bug"))), "RefundQueued: internal_error")
    for (const balance of [0n, "down"] as const) {
      yield* passing(10)
      treasury.balance = balance
      equal(yield* sale(answered, neverComputed), "answer again")
      equal(yield* sale({ ...answered, secret: null }, neverComputed), "payment_already_used")
      equal(yield* sale(owed, neverComputed), "payment_refunded")
      equal(yield* sale(fresh, neverComputed), "payments_unavailable")
      equal(yield* stateOf(fresh), null)
    }
    yield* passing(10)
    treasury.balance = 10n * price
    equal(yield* sale(fresh, workOf(answering())), "answer")
  })))

test("the balance that open sales may need does not cover another sale", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const { treasury, sale } = yield* serviceWithTreasury(2n * price - 1n)
    equal(yield* sale(yield* nth(0), workOf(Effect.die("a bug"))), "RefundQueued: internal_error")
    equal(yield* store.liability, price)
    equal(yield* sale(yield* nth(1), neverComputed), "payments_unavailable")
    treasury.balance = 2n * price
    yield* passing(10)
    equal(yield* sale(yield* nth(1), workOf(answering())), "answer")
    equal(yield* store.liability, price)
  })))

test("of many concurrent sales only those start that the treasury covers", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* serviceWithTreasury(3n * price)
    const { open, work } = yield* gatedWork
    const calls = yield* Effect.forEach(
      Array.from({ length: 10 }, (_, n) => n),
      (n) => Effect.flatMap(nth(n), (bought) => sell(bought, workOf(work))),
    )
    yield* passing(1)
    yield* open
    yield* passing(1)
    const outcomes = yield* Effect.forEach(calls, Fiber.join)
    equal(outcomes.filter((outcome) => outcome === "answer").length, 3)
    equal(outcomes.filter((outcome) => outcome === "payments_unavailable").length, 7)
  })))

test("a sale that another replica claims at the same moment is counted", () =>
  inMarket(Effect.gen(function* () {
    const slow = yield* serviceWithTreasury(price, Duration.seconds(2))
    const other = yield* serviceWithTreasury(price)
    const { open, work } = yield* gatedWork
    const [first, second] = [yield* nth(0), yield* nth(1)]
    const waiting = yield* slow.sell(first, neverComputed)
    yield* passing(1)
    const sold = yield* other.sell(second, workOf(work))
    yield* passing(2)
    yield* open
    yield* passing(1)
    equal([yield* Fiber.join(waiting), yield* Fiber.join(sold)], ["payments_unavailable", "answer"])
  })))

test("of two sales at the same moment the one that is covered is made", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* serviceWithTreasury(price, Duration.seconds(2))
    const [first, second] = [yield* nth(0), yield* nth(1)]
    const calls = [
      yield* sell(first, workOf(answering())),
      yield* sell(second, workOf(answering())),
    ]
    yield* passing(6)
    const outcomes = yield* Effect.forEach(calls, Fiber.join)
    equal(outcomes.toSorted(), ["answer", "payments_unavailable"])
  })))

for (
  const [what, fault] of [
    ["whose transaction reverted", "success_without_transaction"],
    ["that the facilitator declined", "failure_after_broadcast"],
  ] as const
) {
  test(`a settlement ${what} is read once, and gives its cover back`, () => {
    let reads = 0
    return inMarket(
      Effect.gen(function* () {
        const chain = yield* Chain
        const paymentProof: typeof chain.paymentProof = ({ transactionHint }) =>
          Effect.sync(() => (reads++, transactionHint)).pipe(
            Effect.map((hint) =>
              hint === null ? { proof: "not_yet" } : { proof: "not_yet", reverted: true }
            ),
          )
        const { sale } = yield* Effect.provideService(
          serviceWithTreasury(price),
          Chain,
          { ...chain, paymentProof },
        )
        const store = yield* PaymentStore
        const failed = yield* nth(0)
        equal(yield* sale(failed, neverComputed), "Unresolved")
        equal([yield* stateOf(failed), reads, yield* store.liability], ["unresolved", 1, 0n])
      }),
      { misbehave: (call) => call === "settle" ? fault : null },
    )
  })
}

test("an unknown settlement holds its cover until the chain shows that it can never be paid", () =>
  inMarket(
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const { sweep } = yield* Payments
      const { sale } = yield* serviceWithTreasury(price)
      // Anyone with the signature can settle it until it expires, however the sale ended.
      const cancelled = yield* nth(0)
      equal(yield* sale(cancelled, neverComputed), "Unresolved")
      yield* sweep
      equal(yield* store.liability, price)
      yield* useNonce(cancelled, null)
      yield* sweep
      equal([yield* stateOf(cancelled), yield* store.liability], ["void", 0n])
      const unused = yield* nth(1)
      equal(yield* sale(unused, neverComputed), "Unresolved")
      yield* sweep
      equal(yield* store.liability, price)
      yield* passing(200)
      yield* sweep
      equal([yield* stateOf(unused), yield* store.liability], ["void", 0n])
    }),
    { misbehave: (call) => call === "settle" ? "html" : null },
  ))

test("a sale that is refused, abandoned or answered leaves no reservation", () =>
  inMarket(Effect.gen(function* () {
    const { sell, sale } = yield* serviceWithTreasury(price)
    const failing = { check: Effect.die("a bug"), compute: Effect.die("computed") }
    equal(yield* sale(yield* nth(0), failing), "internal_error")
    const { began, work } = yield* gatedWork
    const abandoned = yield* sell(yield* nth(1), { check: Effect.asVoid(work), compute: work })
    yield* began
    yield* Fiber.interrupt(abandoned)
    yield* passing(1)
    equal(yield* sale(yield* nth(2), workOf(answering())), "answer")
    equal(yield* sale(yield* nth(3), workOf(answering())), "answer")
  })))

test("a sale in progress counts once, and a repeated payment does not count", () =>
  inMarket(Effect.gen(function* () {
    const store = yield* PaymentStore
    const { sell, sale } = yield* serviceWithTreasury(2n * price)
    const first = yield* nth(0)
    const { began, open, work } = yield* gatedWork
    const call = yield* sell(first, workOf(work))
    yield* began
    equal(yield* store.liability, price)
    const copy = yield* sell(first, neverComputed)
    yield* passing(0)
    equal(yield* sale(yield* nth(1), workOf(answering())), "answer")
    yield* open
    yield* passing(1)
    equal([yield* Fiber.join(call), yield* Fiber.join(copy)], ["answer", "payment_in_progress"])
  })))

test("the treasury's balance is cached for ten seconds", () =>
  inMarket(Effect.gen(function* () {
    const { treasury, sale } = yield* serviceWithTreasury(100n * price)
    for (const [n, reads] of [1, 1, 2, 2].entries()) {
      // Each sale takes six seconds.
      equal(yield* sale(yield* nth(n), workOf(answering())), "answer")
      equal(treasury.reads, reads)
    }
  })))
