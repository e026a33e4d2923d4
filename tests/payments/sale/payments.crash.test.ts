/**
 * A store that fails in a sale or its repetition, and limits of payments in progress: the money, and
 * the outcome for a buyer who sends the payment again.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, Ref, Result } from "effect"
import type { SimulationOptions } from "../../support/payments/simulated.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  calling,
  gatedWork,
  inMarket,
  memoryStoreWith,
  nothing,
  passing,
  purchase,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

/** The memory store, which fails once before or after the commit of the doubt. */
const storeFailingDoubt = (when: "before" | "after") =>
  memoryStoreWith((store) => {
    let failuresLeft = 1
    const failure = Effect.die(`The doubt failed ${when} its commit`)
    return {
      move: (payment, move) => {
        const moved = store.move(payment, move)
        if (move.event !== "doubt" || failuresLeft-- <= 0) return moved
        return when === "before" ? failure : Effect.andThen(moved, failure)
      },
    }
  })

const sale = Effect.fnUntraced(function* (bought: Purchase, work = answering()) {
  const { sell } = yield* Payments
  const fiber = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
  yield* passing(3)
  return outcomeOf(yield* Fiber.join(fiber))
})

const outcomeOf = (result: Result.Result<Outcome, { readonly _tag: string }>): string =>
  Result.isSuccess(result)
    ? result.success.replayed ? "delivered again" : "delivered"
    : result.failure instanceof NotCharged
    ? result.failure.code
    : result.failure._tag

const withoutSettlement: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "html" : null,
}

// The other moves are in the fault matrix.
for (const [when, left] of [["before", "settling"], ["after", "unresolved"]] as const) {
  test(`a store that fails ${when} the doubt leaves ${left}: Unresolved, then unresolved`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sweep, sweepReleased } = yield* Payments
        const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
        equal(yield* sale(bought), "Unresolved")
        equal([yield* stateOf(bought), yield* taken], [left, nothing])
        yield* passing(95)
        yield* sweep
        equal(yield* stateOf(bought), "unresolved")
        // When the authorization has expired, the outcome is final.
        yield* passing(60)
        yield* Effect.andThen(sweep, sweepReleased)
        equal(yield* stateOf(bought), "void")
        const again = yield* sale({ ...bought, validityFault: "The authorization has expired" })
        equal([again, yield* taken], ["payment_required", nothing])
      }),
      withoutSettlement,
      storeFailingDoubt(when),
    ))
}

/** The memory store, and a function that makes one of its calls fail from then on. */
const storeToFail = Effect.map(
  Ref.make<"claim" | "findWithKey" | null>(null),
  (down) => {
    const layer = memoryStoreWith((store) => {
      const unlessDown = <A>(call: "claim" | "findWithKey", effect: Effect.Effect<A>) =>
        Effect.flatMap(
          Ref.get(down),
          (at) => at === call ? Effect.die("The store is down") : effect,
        )
      return {
        claim: (...args) => unlessDown("claim", store.claim(...args)),
        findWithKey: (...args) => unlessDown("findWithKey", store.findWithKey(...args)),
      }
    })
    return { layer, fail: (at: "claim" | "findWithKey") => Ref.set(down, at) }
  },
)

for (const at of ["claim", "findWithKey"] as const) {
  for (const late of [null, "The authorization has expired"]) {
    // A known payment is not claimed, so a failing claim does not matter.
    const outcome = at === "claim" ? "delivered again" : "Unresolved"
    test(`a charged payment sent again${late === null ? "" : " late"} while ${at} fails: ${outcome}`, () =>
      Effect.flatMap(storeToFail, ({ layer, fail }) =>
        inMarket(
          Effect.gen(function* () {
            const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
            equal(yield* sale(bought), "delivered")
            yield* fail(at)
            equal(yield* sale({ ...bought, validityFault: late }), outcome)
          }),
          {},
          layer,
        )))
  }
}

test("a service at its limit refuses new and released payments, and answers known ones", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const known = yield* purchase({ secret: "a-secret-of-16-chars" })
    equal(yield* sale(known), "delivered")
    const released = yield* purchase({ authorization: { nonce: nonce(1) } })
    equal(yield* sale(released, answering("nothing", false)), "delivered")
    const openSales = yield* Effect.forEach(
      Array.from({ length: 512 }, (_, n) => n + 2),
      Effect.fnUntraced(function* (n) {
        const { began, open, work } = yield* gatedWork
        const bought = yield* purchase({
          payer: n,
          authorization: { nonce: nonce(n) },
          client: { client: `192.0.2.${n % 4}`, site: null },
        })
        const call = yield* Effect.forkChild(sell(bought, workOf(work)))
        yield* began
        return { open, call }
      }),
    )
    const fresh = yield* purchase({ authorization: { nonce: nonce(514) } })
    const elsewhere = { client: "192.0.2.9", site: null }
    const waiting = yield* Effect.forEach(
      [fresh, released],
      (bought) => calling({ ...bought, client: elsewhere }, workOf(answering())),
    )
    yield* passing(6)
    equal(yield* Effect.forEach(waiting, Fiber.join), ["overloaded", "overloaded"])
    equal([yield* stateOf(fresh), yield* stateOf(released)], [null, "released"])
    equal(yield* sale({ ...fresh, validityFault: "expired" }), "payment_required")
    equal(yield* sale(known), "delivered again")
    equal(yield* sale({ ...known, secret: null }), "payment_already_used")
    yield* Effect.forEach(openSales, ({ open }) => open)
    yield* passing(2)
    yield* Effect.forEach(openSales, ({ call }) => Fiber.await(call))
    equal(yield* sale(fresh), "delivered")
  })))

test("an address has a quarter of the places for sales, and a network half of them", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const site = "2001:db8::/48"
    const bought = (n: number, client: number, of: string | null = site) =>
      purchase({
        payer: n,
        authorization: { nonce: nonce(n) },
        client: { client: `client ${client}`, site: of },
      })
    const openSales = yield* Effect.forEach(
      Array.from({ length: 256 }, (_, n) => n),
      Effect.fnUntraced(function* (n) {
        const { began, open, work } = yield* gatedWork
        const call = yield* Effect.forkChild(sell(yield* bought(n, n % 2), workOf(work)))
        yield* began
        return { open, call }
      }),
    )
    const calls = yield* Effect.forEach(
      [yield* bought(300, 0, null), yield* bought(301, 5), yield* bought(302, 6, null)],
      (one) => calling(one, workOf(answering())),
    )
    yield* passing(10)
    const refused = ["rate_limited", "rate_limited", "answer"]
    equal(yield* Effect.forEach(calls, Fiber.join), refused)
    yield* Effect.forEach(openSales, ({ open }) => open)
    yield* passing(2)
    yield* Effect.forEach(openSales, ({ call }) => Fiber.await(call))
  })))

test("eight payments of one payer run at once; the ninth is refused, and sold later", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const openSales = yield* Effect.forEach(
      Array.from({ length: 8 }, (_, n) => n),
      Effect.fnUntraced(function* (n) {
        const { began, open, work } = yield* gatedWork
        const bought = yield* purchase({ authorization: { nonce: nonce(n) } })
        const call = yield* Effect.forkChild(sell(bought, workOf(work)))
        yield* began
        return { open, call }
      }),
    )
    const ninth = yield* purchase({ authorization: { nonce: nonce(8) } })
    const refused = yield* Effect.flip(sell(ninth, workOf(Effect.die("computed"))))
    equal(
      [refused._tag === "NotCharged" && refused.code, yield* stateOf(ninth)],
      ["overloaded", null],
    )
    equal(
      yield* sale(yield* purchase({ payer: 1, authorization: { nonce: nonce(9) } })),
      "delivered",
    )
    yield* Effect.forEach(openSales, ({ open }) => open)
    yield* passing(2)
    yield* Effect.forEach(openSales, ({ call }) => Fiber.await(call))
    equal(yield* sale(ninth), "delivered")
  })))
