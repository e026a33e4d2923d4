/**
 * What a call occupies is free again at whatever step the call is interrupted.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Scheduler } from "effect"
import { makePlacesByKey } from "../../../src/core/places.ts"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import { test } from "../../support/effect.ts"

const paymentId = PaymentId.make(`0x${"ab".repeat(32)}`)
const stepsMax = 60

/** Interrupts the effect at every step at which its fiber can give way to others. */
const interruptedEverywhere = (call: (steps: number) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    for (let steps = 2; steps < stepsMax; steps++) {
      const fiber = yield* Effect.forkChild(
        Effect.provideService(call(steps), Scheduler.MaxOpsBeforeYield, steps),
      )
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
    }
  })

test("a payment is free for the next call", function* () {
  const places = makePlacesByKey({ places: 1, waiting: 0, waitMax: Duration.zero })
  const run = places.run(paymentId)("taken")
  yield* interruptedEverywhere(() => run(Effect.never))
  equal(yield* run(Effect.succeed(1)), 1)
})

test("an idle key is forgotten", function* () {
  const places = makePlacesByKey({ places: 2, waiting: 2, waitMax: Duration.seconds(5) })
  yield* interruptedEverywhere((n) => places.run(`key ${n}`)("refused")(Effect.never))
  equal(places.size(), 0)
})
