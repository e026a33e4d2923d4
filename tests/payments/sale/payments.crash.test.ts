/**
 * A store that fails at every move of a sale, before or after its commit, and what becomes of the
 * money and of the buyer who comes again.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Fiber, Layer, Ref, Result } from "effect"
import type { SimulationOptions } from "../../../src/payments/simulated/facilitator.ts"
import { NotCharged } from "../../../src/payments/domain/failedSale.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Delivery } from "../../../src/payments/sale/responses.ts"
import type { Purchase } from "../../../src/payments/sale/sale.ts"
import { type Move, PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { test } from "../../support/effect.ts"
import { memoryPaymentStore } from "../../support/payments/memoryPayments.ts"
import {
  answering,
  gatedWork,
  inMarket,
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

/** The memory store, dying once, before or after the commit of one move. */
const dying = (at: At, when: When) =>
  Layer.effect(
    PaymentStore,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const left = yield* Ref.make(1)
      const around = <A>(event: At, effect: Effect.Effect<A>): Effect.Effect<A> =>
        Effect.flatMap(
          event === at ? Ref.getAndUpdate(left, (n) => n - 1) : Effect.succeed(0),
          (n) => {
            const death = Effect.die(`${at} died ${when} its commit`)
            if (n <= 0) return effect
            return when === "before" ? death : Effect.andThen(effect, death)
          },
        )
      return PaymentStore.of({
        ...store,
        claim: (...args) => around("insert", store.claim(...args)),
        move: (held, move) => around(move.event, store.move(held, move)),
      })
    }),
  ).pipe(Layer.provide(memoryPaymentStore))

const sale = Effect.fnUntraced(function* (bought: Purchase, work = answering()) {
  const { sell } = yield* Payments
  const fiber = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
  yield* passing(3)
  return outcome(yield* Fiber.join(fiber))
})

const outcome = (result: Result.Result<Delivery, { readonly _tag: string }>): string =>
  Result.isSuccess(result)
    ? result.success.replayed ? "delivered again" : "delivered"
    : result.failure instanceof NotCharged
    ? result.failure.code
    : result.failure._tag

interface Case {
  readonly at: At
  readonly when: When
  /** The buyer's outcome. */
  readonly reported: string
  /** Where the row is left. */
  readonly left: string | null
  /** Where the sweep brings it, once the leases have run out. */
  readonly swept: string | null
  readonly paid: boolean
  readonly work?: Parameters<typeof sale>[1]
  readonly simulation?: SimulationOptions
}

const failing = Effect.fail(new NotCharged({ code: "data_stale", message: "Stale" }))
const mute: SimulationOptions = { misbehave: (call) => call === "settle" ? "html" : null }

const cases: ReadonlyArray<Case> = [
  {
    at: "insert",
    when: "before",
    // It may have been known: nothing may be said of its money.
    reported: "Unresolved",
    left: null,
    swept: null,
    paid: false,
  },
  {
    at: "insert",
    when: "after",
    // It may have been known: nothing may be said of its money.
    reported: "Unresolved",
    left: "claimed",
    swept: "released",
    paid: false,
  },
  {
    at: "release",
    when: "before",
    // Another copy may have claimed it by then.
    reported: "Unresolved",
    left: "claimed",
    swept: "released",
    paid: false,
    work: failing,
  },
  {
    at: "release",
    when: "after",
    reported: "Unresolved",
    left: "released",
    swept: "released",
    paid: false,
    work: failing,
  },
  {
    at: "intend",
    when: "before",
    reported: "payments_unavailable",
    left: "claimed",
    swept: "released",
    paid: false,
  },
  {
    at: "intend",
    when: "after",
    reported: "payments_unavailable",
    left: "settling",
    swept: "unresolved",
    paid: false,
  },
  {
    at: "doubt",
    when: "before",
    reported: "Unresolved",
    left: "settling",
    swept: "unresolved",
    paid: false,
    simulation: mute,
  },
  {
    at: "doubt",
    when: "after",
    reported: "Unresolved",
    left: "unresolved",
    swept: "unresolved",
    paid: false,
    simulation: mute,
  },
  {
    at: "answer",
    when: "before",
    reported: "Unresolved",
    left: "settling",
    swept: "answered",
    paid: true,
  },
  {
    at: "answer",
    when: "after",
    reported: "delivered",
    left: "answered",
    swept: "answered",
    paid: true,
  },
]

for (const { at, when, reported, left, swept, paid, work, simulation } of cases) {
  test(`a store that dies ${when} the ${at} leaves ${left ?? "nothing"}: ${reported}, then ${swept}`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sweep } = yield* Payments
        const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
        equal(yield* sale(bought, work), reported)
        equal([yield* stateOf(bought), yield* taken], [left, paid ? once : nothing])
        yield* passing(95)
        yield* sweep
        equal(yield* stateOf(bought), swept)
        // Once the authorization has run out, nothing is left in doubt.
        yield* passing(60)
        yield* sweep
        const end = yield* stateOf(bought)
        ok([null, "void", "answered"].includes(end), String(end))
        equal(yield* taken, paid ? once : nothing)
        const again = yield* sale({ ...bought, validityFault: "The authorization has expired" })
        equal(again, paid ? "delivered again" : "payment_required")
        equal(yield* taken, paid ? once : nothing)
      }),
      simulation,
      dying(at, when),
    ))
}

/** A memory store that fails at one call from a given moment on. */
const deaf = Effect.gen(function* () {
  const down = yield* Ref.make<"claim" | "find" | null>(null)
  const layer = Layer.effect(
    PaymentStore,
    Effect.map(PaymentStore, (store) => {
      const or = <A>(question: "claim" | "find", effect: Effect.Effect<A>) =>
        Effect.flatMap(
          Ref.get(down),
          (at) => at === question ? Effect.die("The store is down") : effect,
        )
      return PaymentStore.of({
        ...store,
        claim: (...args) => or("claim", store.claim(...args)),
        find: (id) => or("find", store.find(id)),
      })
    }),
  ).pipe(Layer.provide(memoryPaymentStore))
  return { layer, fail: (at: "claim" | "find") => Ref.set(down, at) }
})

for (const at of ["claim", "find"] as const) {
  for (const late of [null, "The authorization has expired"]) {
    // A late payment is not claimed, so a store that only fails to claim is not noticed.
    const reported = late !== null && at === "claim" ? "delivered again" : "Unresolved"
    test(`a charged payment sent again${late === null ? "" : " late"} while ${at} fails: ${reported}`, () =>
      Effect.flatMap(deaf, ({ layer, fail }) =>
        inMarket(
          Effect.gen(function* () {
            const bought = yield* purchase({ secret: "a-secret-of-16-chars" })
            equal(yield* sale(bought), "delivered")
            yield* fail(at)
            equal(yield* sale({ ...bought, validityFault: late }), reported)
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
    const given = yield* purchase({ authorization: { nonce: nonce(1) } })
    equal(yield* sale(given, answering("nothing", false)), "delivered")
    const guests = yield* Effect.forEach(
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
    equal([yield* sale(fresh), yield* stateOf(fresh)], ["overloaded", null])
    equal([yield* sale(given), yield* stateOf(given)], ["overloaded", "released"])
    equal(yield* sale({ ...fresh, validityFault: "expired" }), "payment_required")
    equal(yield* sale(known), "delivered again")
    equal(yield* sale({ ...known, secret: null }), "payment_already_used")
    yield* Effect.forEach(guests, ({ open }) => open)
    yield* passing(2)
    yield* Effect.forEach(guests, ({ call }) => Fiber.await(call))
    equal(yield* sale(fresh), "delivered")
  })))

test("eight payments of one payer are processed at once; the ninth is not used, and sold later", () =>
  inMarket(Effect.gen(function* () {
    const { sell } = yield* Payments
    const guests = yield* Effect.forEach(
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
      ["overloaded", "released"],
    )
    equal(
      yield* sale(yield* purchase({ payer: 1, authorization: { nonce: nonce(9) } })),
      "delivered",
    )
    yield* Effect.forEach(guests, ({ open }) => open)
    yield* passing(2)
    yield* Effect.forEach(guests, ({ call }) => Fiber.await(call))
    equal(yield* sale(ninth), "delivered")
  })))
