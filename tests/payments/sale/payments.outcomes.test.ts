/**
 * The `payments_total` metric counts every sale once, by its outcome, also when the buyer hangs up.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Metric } from "effect"
import { Payments } from "../../../src/payments/Payments.ts"
import type { Purchase } from "../../../src/payments/purchase.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  gatedWork,
  inMarket,
  passing,
  purchase,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"

/** The number of sales by outcome. */
const counts = Effect.map(Metric.snapshot, (metrics) =>
  Object.fromEntries(
    metrics.flatMap((metric) =>
      metric.id === "payments_total" && metric.type === "Counter"
        ? [[metric.attributes?.["outcome"] ?? "", Number(metric.state.count)]]
        : []
    ).sort(),
  ))

const counting = (body: Parameters<typeof inMarket<void, unknown>>[0], slow = false) =>
  inMarket(body, slow ? { delay: Duration.seconds(2) } : {}).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
  )

const sale = Effect.fnUntraced(function* (bought: Purchase, work = answering()) {
  const { sell } = yield* Payments
  const fiber = yield* Effect.forkChild(Effect.result(sell(bought, workOf(work))))
  yield* passing(5)
  yield* Fiber.join(fiber)
})

test("every sale is counted once, by its outcome", () =>
  counting(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    yield* sale(bought)
    yield* sale(bought)
    yield* sale({ ...bought, secret: null })
    yield* sale({ ...bought, request: "another" })
    yield* sale(yield* purchase({ authorization: { nonce: nonce(1) } }), answering("", false))
    yield* sale(yield* purchase({ authorization: { nonce: nonce(2) } }), Effect.die("a bug"))
    yield* sale(yield* purchase({ authorization: { nonce: nonce(3) }, validityFault: "expired" }))
    equal(yield* counts, {
      charged: 1,
      not_charged: 1,
      internal_error: 1,
      payment_already_used: 1,
      payment_conflict: 1,
      payment_required: 1,
      replayed: 1,
    })
  })))

test("a sale whose buyer hung up is counted by its outcome, and a second copy separately", () =>
  counting(
    Effect.gen(function* () {
      const { sell } = yield* Payments
      const bought = yield* purchase({ secret })
      const call = yield* Effect.forkChild(sell(bought, workOf(answering())))
      yield* passing(3)
      yield* Fiber.interrupt(call)
      equal(yield* counts, {})
      yield* passing(3)
      equal(yield* counts, { charged: 1 })
      yield* sale(bought)
      equal(yield* counts, { charged: 1, replayed: 1 })
    }),
    true,
  ))

test("a sale whose buyer hung up before the intent is counted as hung_up", () =>
  counting(Effect.gen(function* () {
    const { sell } = yield* Payments
    const { began, work } = yield* gatedWork
    const call = yield* Effect.forkChild(sell(yield* purchase(), workOf(work)))
    yield* began
    yield* Fiber.interrupt(call)
    yield* passing(1)
    equal(yield* counts, { hung_up: 1 })
  })))
