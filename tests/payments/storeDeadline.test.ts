/**
 * Sales while the payment store does not respond, and after it responds again.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Effect, Fiber, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { Payments } from "../../src/payments/Payments.ts"
import { storeDeadline } from "../../src/core/deadline.ts"
import { test } from "../support/effect.ts"
import {
  answering,
  inMarket,
  memoryStoreWith,
  nothing,
  once,
  passing,
  purchase,
  taken,
  workOf,
} from "../support/payments/sales.ts"
import { nonce } from "../support/payments/terms.ts"

/** The memory store; while `silent`, its calls take effect but never return. */
const silentStore = (silent: Ref.Ref<boolean>) =>
  memoryStoreWith((store) => {
    const silence = <A>(effect: Effect.Effect<A>) =>
      Effect.flatMap(
        Ref.get(silent),
        (isSilent) => isSilent ? Effect.andThen(effect, Effect.never) : effect,
      )
    return {
      claim: (...args) => silence(store.claim(...args)),
      find: (...args) => silence(store.find(...args)),
    }
  })

test("sell() is unresolved within the deadline when the store is silent, and sells afterwards", () =>
  Effect.gen(function* () {
    const silent = yield* Ref.make(true)
    const sales = Effect.gen(function* () {
      const { sell } = yield* Payments
      const first = yield* purchase({ authorization: { nonce: nonce(1) } })
      const fiber = yield* Effect.forkChild(Effect.result(sell(first, workOf(answering()))))
      yield* TestClock.adjust(storeDeadline)
      const outcome = yield* Fiber.join(fiber)
      ok(Result.isFailure(outcome))
      equal(outcome.failure._tag, "Unresolved")
      equal(yield* taken, nothing)

      yield* Ref.set(silent, false)
      const second = yield* purchase({ authorization: { nonce: nonce(2) } })
      const sold = yield* Effect.forkChild(sell(second, workOf(answering())))
      yield* passing(1)
      ok((yield* Fiber.join(sold)).receipt !== null)
      equal(yield* taken, once)
    })
    yield* inMarket(sales, {}, silentStore(silent))
  }))
