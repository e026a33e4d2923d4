/**
 * A store that fails in a sale or its repetition, and limits of payments in progress: the money, and
 * the outcome for a buyer who sends the payment again.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, Ref, type Scope } from "effect"
import type { SimulationOptions } from "../../support/payments/simulated.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  calling,
  heldSales,
  inMarket,
  type Market,
  memoryStoreWith,
  nothing,
  passing,
  purchase,
  replicaWith,
  stateOf,
  taken,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"
const answer = workOf(answering())

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

const withoutSettlement: SimulationOptions = {
  misbehave: (call) => call === "settle" ? "html" : null,
}

// The other moves are in the fault matrix.
for (const [when, left] of [["before", "settling"], ["after", "unresolved"]] as const) {
  test(`a store that fails ${when} the doubt leaves ${left}: Unresolved, then unresolved`, () =>
    inMarket(
      Effect.gen(function* () {
        const { sweep, sweepReleased } = yield* Payments
        const bought = yield* purchase({ secret })
        equal(yield* buying(bought, answer, 3), "Unresolved")
        equal([yield* stateOf(bought), yield* taken], [left, nothing])
        yield* passing(95)
        yield* sweep
        equal(yield* stateOf(bought), "unresolved")
        // When the authorization has expired, the outcome is final.
        yield* passing(60)
        yield* Effect.andThen(sweep, sweepReleased)
        equal(yield* stateOf(bought), "void")
        const again = yield* buying({ ...bought, validityFault: "expired" }, answer, 3)
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
    const outcome = at === "claim" ? "answer again" : "Unresolved"
    test(`a charged payment sent again${late === null ? "" : " late"} while ${at} fails: ${outcome}`, () =>
      Effect.flatMap(storeToFail, ({ layer, fail }) =>
        inMarket(
          Effect.gen(function* () {
            const bought = yield* purchase({ secret })
            equal(yield* buying(bought, answer, 3), "answer")
            yield* fail(at)
            equal(yield* buying({ ...bought, validityFault: late }, answer, 3), outcome)
          }),
          {},
          layer,
        )))
  }
}

/** In a market whose service has 16 places for sales. */
const withFewPlaces = <A, E>(body: Effect.Effect<A, E, Market | Scope.Scope>) =>
  inMarket(Effect.provideServiceEffect(body, Payments, replicaWith({ salesMax: 16 })))

/** The purchases from `from` up to `to`, each of a payer of its own. */
const purchases = (
  from: number,
  to: number,
  changes: (n: number) => Parameters<typeof purchase>[0],
) =>
  Effect.forEach(
    Array.from({ length: to - from }, (_, n) => from + n),
    (n) => purchase({ payer: n, authorization: { nonce: nonce(n) }, ...changes(n) }),
  )

test("a service at its limit refuses new and released payments, and answers known ones", () =>
  withFewPlaces(Effect.gen(function* () {
    const known = yield* purchase({ secret })
    equal(yield* buying(known, answer, 3), "answer")
    const released = yield* purchase({ authorization: { nonce: nonce(1) } })
    equal(yield* buying(released, workOf(answering("nothing", false)), 3), "nothing")
    const end = yield* heldSales(
      yield* purchases(2, 18, (n) => ({ client: { client: `192.0.2.${n % 4}`, site: null } })),
    )
    const fresh = yield* purchase({ authorization: { nonce: nonce(18) } })
    const elsewhere = { client: "192.0.2.9", site: null }
    const waiting = yield* Effect.forEach(
      [fresh, released],
      (bought) => calling({ ...bought, client: elsewhere }, answer),
    )
    yield* passing(6)
    equal(yield* Effect.forEach(waiting, Fiber.join), ["overloaded", "overloaded"])
    equal([yield* stateOf(fresh), yield* stateOf(released)], [null, "released"])
    equal(yield* buying({ ...fresh, validityFault: "expired" }, answer, 3), "payment_required")
    equal(yield* buying(known, answer, 3), "answer again")
    equal(yield* buying({ ...known, secret: null }, answer, 3), "payment_already_used")
    yield* end
    equal(yield* buying(fresh, answer, 3), "answer")
  })))

test("an address has a quarter of the places for sales, and a network half of them", () =>
  withFewPlaces(Effect.gen(function* () {
    const site = "2001:db8::/48"
    const end = yield* heldSales(
      yield* purchases(0, 8, (n) => ({ client: { client: `client ${n % 2}`, site } })),
    )
    const [ofClient, ofSite, other] = yield* purchases(20, 23, (n) => ({
      client: { client: `client ${n === 20 ? 0 : n}`, site: n === 21 ? site : null },
    }))
    const calls = yield* Effect.forEach(
      [ofClient, ofSite, other].flatMap((one) => one ?? []),
      (one) => calling(one, answer),
    )
    yield* passing(10)
    const refused = ["rate_limited", "rate_limited", "answer"]
    equal(yield* Effect.forEach(calls, Fiber.join), refused)
    yield* end
  })))

test("512 payments wait for a place among the sales; the next one is refused at once", () =>
  withFewPlaces(Effect.gen(function* () {
    const elsewhere = (n: number) => ({ client: { client: `192.0.2.${n}`, site: null } })
    const end = yield* heldSales(yield* purchases(0, 16, elsewhere))
    const calls = yield* Effect.forEach(
      yield* purchases(16, 529, elsewhere),
      (one) => calling(one, answer),
    )
    yield* passing(1)
    const ended = calls.filter((call) => call.pollUnsafe() !== undefined)
    equal(yield* Effect.forEach(ended, Fiber.join), ["overloaded"])
    yield* end
  })))

test("eight payments of one payer run at once; the ninth is refused, and sold later", () =>
  inMarket(Effect.gen(function* () {
    const end = yield* heldSales(yield* purchases(0, 8, () => ({ payer: 0 })))
    const ninth = yield* purchase({ authorization: { nonce: nonce(8) } })
    equal(yield* buying(ninth, workOf(Effect.die("computed")), 0), "overloaded")
    equal(yield* stateOf(ninth), null)
    const other = yield* purchase({ payer: 1, authorization: { nonce: nonce(9) } })
    equal(yield* buying(other, answer, 3), "answer")
    yield* end
    equal(yield* buying(ninth, answer, 3), "answer")
  })))
