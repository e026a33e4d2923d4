/**
 * What an operator watches: what is owed, and how long the oldest of it has waited.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import { refundStates } from "./domain/refund.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { RefundStore } from "./refunds/RefundStore.ts"

const usdcUnits = 1_000_000

const liability = Metric.gauge("payments_liability_usdc", {
  description: "What may still have to be refunded, in USDC",
})
const refunds = Metric.gauge("refunds", { description: "Refunds by state" })
const oldest = Metric.gauge("refunds_oldest_seconds", {
  description: "How long ago the oldest refund of a state was first owed",
})

/** Makes what reads them once from the store. */
export const moneyGauges = Effect.gen(function* () {
  const payments = yield* PaymentStore
  const store = yield* RefundStore
  return Effect.gen(function* () {
    yield* Metric.update(liability, Number(yield* payments.liability) / usdcUnits)
    const standing = yield* store.standing
    for (const state of refundStates) {
      const { refunds: count, oldestAgoMs } = standing.get(state) ?? { refunds: 0, oldestAgoMs: 0 }
      yield* Metric.update(Metric.withAttributes(refunds, { state }), count)
      yield* Metric.update(Metric.withAttributes(oldest, { state }), oldestAgoMs / 1_000)
    }
  })
})
