/**
 * The `payments_total` metric counts every sale once, by its outcome, also when the buyer hangs up.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Duration, Effect, Fiber, Metric } from "effect"
import { Payments } from "../../../src/payments/Payments.ts"
import { test } from "../../support/effect.ts"
import {
  answering,
  buying,
  heldSale,
  inMarket,
  passing,
  purchase,
  workOf,
} from "../../support/payments/sales.ts"
import { nonce } from "../../support/payments/terms.ts"

const secret = "a-secret-of-16-chars"
const answer = workOf(answering())

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

test("every sale is counted once, by its outcome", () =>
  counting(Effect.gen(function* () {
    const bought = yield* purchase({ secret })
    yield* buying(bought, answer)
    yield* buying(bought, answer)
    yield* buying({ ...bought, secret: null }, answer)
    yield* buying({ ...bought, request: "another" }, answer)
    yield* buying(
      yield* purchase({ authorization: { nonce: nonce(1) } }),
      workOf(answering("", false)),
    )
    yield* buying(
      yield* purchase({ authorization: { nonce: nonce(2) } }),
      workOf(Effect.die("a bug")),
    )
    yield* buying(
      yield* purchase({ authorization: { nonce: nonce(3) }, validityFault: "expired" }),
      answer,
    )
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
      const call = yield* Effect.forkChild(sell(bought, answer))
      yield* passing(3)
      yield* Fiber.interrupt(call)
      equal(yield* counts, {})
      yield* passing(3)
      equal(yield* counts, { charged: 1 })
      yield* buying(bought, answer)
      equal(yield* counts, { charged: 1, replayed: 1 })
    }),
    true,
  ))

test("a sale whose buyer hung up before the intent is counted as hung_up", () =>
  counting(Effect.gen(function* () {
    const { call } = yield* heldSale(yield* purchase())
    yield* Fiber.interrupt(call)
    yield* passing(1)
    equal(yield* counts, { hung_up: 1 })
  })))
