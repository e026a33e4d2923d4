/**
 * A store that fails at every move of a sale, before or after its commit: the money, and the
 * outcome for a buyer who sends the payment again.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Fiber, Ref, Result } from "effect"
import type { SimulationOptions } from "../../../src/payments/simulated/facilitator.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import type { Move } from "../../../src/payments/PaymentStore.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  calling,
  gatedWork,
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
import { nonce } from "../../support/payments/terms.ts"

type At = "insert" | Move["event"]
type When = "before" | "after"

/** The memory store, which fails once before or after the commit of one move. */
const storeFailingOnce = (at: At, when: When) =>
  memoryStoreWith((store) => {
    let failuresLeft = 1
    const around = <A>(event: At, effect: Effect.Effect<A>): Effect.Effect<A> =>
      Effect.suspend(() => {
        if (event !== at || failuresLeft-- <= 0) return effect
        const failure = Effect.die(`${at} failed ${when} its commit`)
        return when === "before" ? failure : Effect.andThen(effect, failure)
      })
    return {
      claim: (...args) => around("insert", store.claim(...args)),
      move: (payment, move) => around(move.event, store.move(payment, move)),
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

interface Case {
  readonly at: At
  readonly when: When
  /** The outcome for the buyer. */
  readonly outcome: string
  /** The state of the row after the call. */
  readonly left: string | null
  /** The state after the first sweep, when the leases have expired. */
  readonly swept: string | null
  readonly paid: boolean
  readonly work?: Parameters<typeof sale>[1]
  readonly simulation?: SimulationOptions
}

const failing = Effect.fail(new NotCharged({ code: "data_stale", message: "Stale" }))
const withoutSettlement: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "html" : null,
}

const cases: ReadonlyArray<Case> = [
  {
    at: "insert",
    when: "before",
    // The payment may be known, so the response does not report whether it was charged.
    outcome: "Unresolved",
    left: null,
    swept: null,
    paid: false,
  },
  {
    at: "insert",
    when: "after",
    // The payment may be known, so the response does not report whether it was charged.
    outcome: "Unresolved",
    left: "claimed",
    swept: "released",
    paid: false,
  },
  {
    at: "release",
    when: "before",
    // Another copy may have claimed it meanwhile.
    outcome: "Unresolved",
    left: "claimed",
    swept: "released",
    paid: false,
    work: failing,
  },
  {
    at: "release",
    when: "after",
    outcome: "Unresolved",
    left: "released",
    swept: "released",
    paid: false,
    work: failing,
  },
  {
    at: "intend",
    when: "before",
    outcome: "payments_unavailable",
    left: "claimed",
    swept: "released",
    paid: false,
  },
  {
    at: "intend",
    when: "after",
    outcome: "payments_unavailable",
    left: "settling",
    swept: "unresolved",
    paid: false,
  },
  {
    at: "doubt",
    when: "before",
    outcome: "Unresolved",
    left: "settling",
    swept: "unresolved",
    paid: false,
    simulation: withoutSettlement,
  },
  {
    at: "doubt",
    when: "after",
    outcome: "Unresolved",
    left: "unresolved",
    swept: "unresolved",
    paid: false,
    simulation: withoutSettlement,
  },
  {
    at: "answer",
    when: "before",
    outcome: "Unresolved",
    left: "settling",
    swept: "answered",
    paid: true,
  },
  {
    at: "answer",
    when: "after",
    outcome: "delivered",
    left: "answered",
    swept: "answered",
    paid: true,
  },
]

for (const { at, when, outcome, left, swept, paid, work, simulation } of cases) {
  test(`a store that fails ${when} the ${at} leaves ${left ?? "nothing"}: ${outcome}, then ${swept}`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sweep, sweepReleased } = yield* Payments
        const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
        equal(yield* sale(bought, work), outcome)
        equal([yield* stateOf(bought), yield* taken], [left, paid ? once : nothing])
        yield* passing(95)
        yield* sweep
        equal(yield* stateOf(bought), swept)
        // When the authorization has expired, the outcome is final.
        yield* passing(60)
        yield* Effect.andThen(sweep, sweepReleased)
        const end = yield* stateOf(bought)
        ok([null, "void", "answered"].includes(end), String(end))
        equal(yield* taken, paid ? once : nothing)
        const again = yield* sale({ ...bought, validityFault: "The authorization has expired" })
        equal(again, paid ? "delivered again" : "payment_required")
        equal(yield* taken, paid ? once : nothing)
      }),
      simulation,
      storeFailingOnce(at, when),
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
        const bought = yield* purchase({ payer: n, authorization: { nonce: nonce(n) } })
        const call = yield* Effect.forkChild(sell(bought, workOf(work)))
        yield* began
        return { open, call }
      }),
    )
    const fresh = yield* purchase({ authorization: { nonce: nonce(514) } })
    const waiting = yield* Effect.forEach(
      [fresh, released],
      (bought) => calling(bought, workOf(answering())),
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
