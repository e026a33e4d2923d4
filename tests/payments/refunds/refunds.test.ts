/**
 * The metrics of owed money match the payment store.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Layer, Metric } from "effect"
import { layer as paymentStore } from "../../../src/payments/postgres/paymentStore.ts"
import { queueLayer } from "../../../src/payments/postgres/refundStore.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { measureOwed, RefundQueue } from "../../../src/payments/refunds/Refunds.ts"
import { claimAndMove, paths, paymentIn, ticket, transferOf } from "../paymentStore.laws.ts"
import { onEveryStore } from "../../support/stores.ts"

const metricValues = Effect.map(
  Metric.snapshot,
  (metrics) =>
    new Map(
      metrics.flatMap(({ id, attributes, state }) =>
        "value" in state ? [[[id, ...Object.values(attributes ?? {})].join(" "), state.value]] : []
      ),
    ),
)

onEveryStore("the metrics of owed money", (law) => {
  law(
    "publish the liability and the refunds of each queue and state",
    Effect.gen(function* () {
      const measure = measureOwed(yield* PaymentStore, yield* RefundQueue)
      yield* measure
      equal((yield* metricValues).get("payments_liability_usdc"), 0)
      yield* paymentIn(0, "refund_due")
      yield* claimAndMove(1, "settle-early", paths["settle-early"].settled ?? [])
      yield* (yield* PaymentStore).insertUnmatched({ ...transferOf(2), value: 2_500_000n })
      const { liability, refunds } = yield* measure
      const after = yield* metricValues
      equal(after.get("payments_liability_usdc"), 2 * Number(ticket(0).amount) / 1_000_000)
      const states = ["sales queued", "sales needs_review", "unmatched queued"]
      equal(states.map((state) => after.get(`refunds ${state}`)), [1, 0, 1])
      equal(after.get("payments_unmatched_usdc"), 2.5)
      equal(liability, 2n * ticket(0).amount)
      const owing = refunds.filter(({ amount }) => amount > 0n)
      equal(owing.map(({ queue, state, amount }) => [queue, state, amount]), [
        ["sales", "queued", ticket(0).amount],
        ["unmatched", "queued", 2_500_000n],
      ])
    }).pipe(
      Effect.provide(
        Layer.merge(queueLayer, paymentStore),
      ),
      Effect.provideService(Metric.MetricRegistry, new Map()),
    ),
  )
})
