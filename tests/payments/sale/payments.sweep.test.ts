/**
 * One sweep moves every payment that can be moved, in a bounded number of rounds.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, Ref } from "effect"
import { Payments } from "../../../src/payments/Payments.ts"
import { paymentIn } from "../paymentStore.laws.ts"
import { test } from "../../support/effect.ts"
import { inMarket, memoryStoreWith, passing } from "../../support/payments/sales.ts"

/** The memory store, which counts its calls of `waiting`, one a round. */
const countingStore = Effect.gen(function* () {
  const rounds = yield* Ref.make(0)
  const layer = memoryStoreWith((store) => ({
    waiting: (...args) => Effect.andThen(Ref.update(rounds, (n) => n + 1), store.waiting(...args)),
  }))
  return { layer, rounds }
})

/** Releases payments, lets them expire, and sweeps; returns the moved payments and the rounds. */
const sweeping = (rows: number, chainDown: boolean, sweeps: number) =>
  Effect.flatMap(countingStore, ({ layer, rounds }) =>
    inMarket(
      Effect.gen(function* () {
        const { sweepReleased: sweep } = yield* Payments
        for (let n = 0; n < rows; n++) {
          yield* paymentIn(n, "released")
        }
        yield* passing(130)
        const moved: Array<[moved: number, rounds: number]> = []
        for (let n = 0; n < sweeps; n++) {
          const fiber = yield* Effect.forkChild(sweep)
          yield* passing(1)
          moved.push([yield* Fiber.join(fiber), yield* Ref.getAndSet(rounds, 0)])
        }
        return moved
      }),
      { chainDown: () => chainDown },
      layer,
    ))

test("a sweep continues while its rounds are full, so that a flood of rows delays no other row", function* () {
  equal(yield* sweeping(0, false, 1), [[0, 1]])
  equal(yield* sweeping(199, false, 1), [[199, 1]])
  equal(yield* sweeping(450, false, 2), [[450, 3], [0, 1]])
})

test("a sweep skips rows that cannot be moved, and ends after all rows", function* () {
  equal(yield* sweeping(250, true, 1), [[0, 2]])
  equal(yield* sweeping(400, true, 1), [[0, 3]])
})
