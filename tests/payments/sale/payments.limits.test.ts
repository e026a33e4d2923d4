/**
 * What callers who do not pay can occupy: the places for verification, the waits for a payment, and
 * rows of the store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Deferred, Effect, Fiber, Ref } from "effect"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { PaymentOptions } from "../../../src/payments/sell.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  heldSale,
  inMarket,
  outcomeText,
  passing,
  product,
  purchase,
  replica,
  replicaWith,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const attacker = { client: "2001:db8:1:1::/64", site: "2001:db8:1::/48" }
const neverComputed = workOf(Effect.die("computed"))

/** A service whose facilitator gives its verdict when `open` runs; it counts its verifications. */
const slowFacilitator = Effect.fnUntraced(function* (options: Partial<PaymentOptions> = {}) {
  const gate = yield* Deferred.make<void>()
  const verifying = yield* Ref.make(0)
  const facilitator = yield* Facilitator
  const payments = yield* Effect.provideService(replicaWith(options), Facilitator, {
    ...facilitator,
    verify: (request) =>
      Ref.update(verifying, (n) => n + 1).pipe(
        Effect.andThen(Deferred.await(gate)),
        Effect.andThen(facilitator.verify(request)),
        Effect.ensuring(Ref.update(verifying, (n) => n - 1)),
      ),
  })
  const selling = (bought: Purchase, work = workOf(answering())) =>
    Effect.forkChild(Effect.map(Effect.result(payments.sell(bought, work)), outcomeText), {
      startImmediately: true,
    })
  return { selling, verifying: Ref.get(verifying), open: Deferred.succeed(gate, undefined) }
})

/** The n-th payment of its own payer, whose balance does not cover it. */
const unfunded = (n: number, changes: Partial<Purchase> = {}) =>
  purchase({
    payer: n,
    authorization: { nonce: nonce(n), value: 200_000_000n },
    client: attacker,
    ...changes,
  })

const outcomes = (fibers: ReadonlyArray<Fiber.Fiber<string>>) =>
  Effect.map(Effect.forEach(fibers, Fiber.join), (all) => Object.groupBy(all, (text) => text))

test("one address has 16 payments verified at once and 64 in the queue; another one is sold to", () =>
  inMarket(Effect.gen(function* () {
    const { selling, verifying, open } = yield* slowFacilitator()
    const attack = yield* Effect.forEach(
      Array.from({ length: 100 }, (_, n) => n + 1),
      (n) => Effect.flatMap(unfunded(n), (bought) => selling(bought)),
    )
    yield* passing(0)
    equal(yield* verifying, 16)
    const honest = yield* selling(yield* purchase())
    yield* passing(0)
    equal(yield* verifying, 17)
    yield* open
    yield* passing(2)
    equal(yield* Fiber.join(honest), "answer")
    const { payment_required = [], rate_limited = [] } = yield* outcomes(attack)
    equal([payment_required.length, rate_limited.length], [80, 20])
  })))

test("an IPv6 site has 64 payments verified at once and 256 in the queue, however many networks it uses", () =>
  inMarket(Effect.gen(function* () {
    const { selling, verifying, open } = yield* slowFacilitator()
    const attack = yield* Effect.forEach(
      Array.from({ length: 330 }, (_, n) => n + 1),
      (n) =>
        Effect.flatMap(
          unfunded(n, { client: { ...attacker, client: `2001:db8:1:${n}::/64` } }),
          (bought) => selling(bought),
        ),
    )
    yield* passing(0)
    equal(yield* verifying, 64)
    yield* open
    yield* passing(5)
    const { payment_required = [], rate_limited = [] } = yield* outcomes(attack)
    equal([payment_required.length, rate_limited.length], [320, 10])
  })))

for (const demand of [3, 9, 10, 30]) {
  test(`of ${demand} payments 3 are verified at once, 6 wait, and the rest are refused uncharged`, () =>
    inMarket(Effect.gen(function* () {
      const { selling, verifying, open } = yield* slowFacilitator({ verificationsMax: 3 })
      const calls = yield* Effect.forEach(
        Array.from({ length: demand }, (_, n) => n + 1),
        (payer) =>
          Effect.flatMap(
            purchase({ payer, client: { client: `192.0.2.${payer}`, site: null } }),
            (bought) => selling(bought),
          ),
      )
      yield* passing(0)
      equal(yield* verifying, 3)
      yield* open
      yield* passing(1)
      const { answer = [], overloaded = [] } = yield* outcomes(calls)
      equal([answer.length, overloaded.length], [Math.min(demand, 9), Math.max(0, demand - 9)])
    })))
}

test("a payment that waits two seconds for its verification is refused, and leaves the queue", () =>
  inMarket(Effect.gen(function* () {
    const { selling, verifying, open } = yield* slowFacilitator({ verificationsMax: 1 })
    const first = yield* selling(yield* purchase())
    const late = yield* selling(yield* purchase({ payer: 1 }))
    yield* passing(2)
    equal(yield* Fiber.join(late), "overloaded")
    yield* open
    yield* passing(1)
    equal([yield* Fiber.join(first), yield* verifying], ["answer", 0])
  })))

test("callers who hang up before the verdict keep their places, are counted, and leave no row", () =>
  inMarket(Effect.gen(function* () {
    const { selling, verifying, open } = yield* slowFacilitator()
    const counted = yield* Ref.make(0)
    const onAbandoned = () => Ref.update(counted, (n) => n + 1)
    const payments = yield* Effect.forEach([1, 2, 3], (n) => unfunded(n, { onAbandoned }))
    const funded = yield* purchase({ client: attacker, onAbandoned })
    const calls = yield* Effect.forEach(
      [...payments, funded],
      (bought) => selling(bought, neverComputed),
    )
    yield* passing(0)
    yield* Fiber.interruptAll(calls)
    equal([yield* verifying, yield* Ref.get(counted)], [4, 0])
    yield* open
    yield* passing(1)
    equal([yield* verifying, yield* Ref.get(counted)], [0, 4])
    equal(yield* Effect.forEach([...payments, funded], stateOf), [null, null, null, null])
  })))

test("of many copies with the secret one waits for the sale, and the others get 409 at once", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
    const copy = Effect.forkChild(
      Effect.map(Effect.result(sell(bought, neverComputed)), outcomeText),
      { startImmediately: true },
    )
    const { end } = yield* heldSale(bought)
    const copies = yield* Effect.forEach(Array.from({ length: 50 }), () => copy)
    yield* passing(0)
    equal(copies.filter((fiber) => fiber.pollUnsafe() === undefined).length, 1)
    equal(yield* end, "answer")
    const { payment_in_progress = [], ...others } = yield* outcomes(copies)
    equal([payment_in_progress.length, Object.keys(others)], [49, ["answer again"]])
  })))

test("of many copies of an unresolved payment one reads the chain", () => {
  let reads = 0
  return inMarket(
    Effect.gen(function* () {
      const chain = yield* Chain
      const { sell } = yield* Effect.provideService(replica, Chain, {
        ...chain,
        paymentProof: () => Effect.andThen(Effect.sync(() => reads++), Effect.never),
      })
      const bought = yield* purchase()
      const call = yield* Effect.forkChild(sell(bought, workOf(answering())))
      yield* passing(50)
      yield* Effect.result(Fiber.join(call))
      equal(yield* stateOf(bought), "unresolved")
      reads = 0
      const copies = yield* Effect.forEach(
        Array.from({ length: 50 }),
        () => Effect.forkChild(Effect.map(Effect.result(sell(bought, neverComputed)), outcomeText)),
      )
      yield* passing(0)
      equal(reads, 1)
      yield* passing(10)
      equal(Object.keys(yield* outcomes(copies)), ["Unresolved"])
    }),
    { misbehave: (call) => call === "settle" ? "silence" : null },
  )
})

test("a payment that another replica settles during its verification never gets a 402", () =>
  inMarket(Effect.gen(function* () {
    const { selling, open } = yield* slowFacilitator()
    const { sell } = yield* Payments
    const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
    const late = yield* selling(bought, neverComputed)
    yield* passing(0)
    const sold = yield* Effect.forkChild(Effect.result(sell(bought, workOf(answering()))))
    yield* passing(1)
    equal(outcomeText(yield* Fiber.join(sold)), "answer")
    yield* open
    yield* passing(1)
    equal(yield* Fiber.join(late), "answer again")
    equal((yield* taken).spent, product.price)
  })))
