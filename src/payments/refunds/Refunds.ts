/**
 * The service's view of refunds: what is owed, and for how long.
 *
 * The service only reads. The database queues a refund in the statement that makes its payment
 * owed, and the refund worker pays it (`RefundWorker.ts`) in its own process and with its own
 * database role. The state of a single refund is read with its payment (`Payments.status`) in one
 * statement, so that the two agree.
 *
 * @module
 */
import { Context, Effect, Layer, Metric } from "effect"
import { type RefundState, refundStates } from "../domain/refund.ts"
import { inUsdc } from "../gauges.ts"
import { PaymentStore } from "../PaymentStore.ts"

/** The totals of the refunds in one state. */
export interface RefundTotals {
  readonly refunds: number
  readonly amount: bigint
  /** Milliseconds since the oldest of them was first owed. */
  readonly oldestAgoMs: number
}

/** The port to the refund queue, limited to what the service's database role may read. */
export class RefundQueue extends Context.Service<RefundQueue, {
  /** The totals by state; a state without refunds is absent. */
  readonly totalsByState: Effect.Effect<ReadonlyMap<RefundState, RefundTotals>>
  /** Atomic units of the open refunds of unmatched transfers. */
  readonly unmatchedOwed: Effect.Effect<bigint>
}>()("bellwether/payments/RefundQueue") {}

export interface OwedTotals {
  /** Atomic units that sales may still have to refund, including sales whose outcome is open. */
  readonly liability: bigint
  /** Atomic units of the open refunds of unmatched transfers. */
  readonly unmatched: bigint
  readonly byState: ReadonlyMap<RefundState, RefundTotals>
}

export class Refunds extends Context.Service<Refunds, {
  /** What is owed now, with an entry for every state. */
  readonly owed: Effect.Effect<OwedTotals>
  /** Updates the gauges of what is owed, and returns it. */
  readonly measure: Effect.Effect<OwedTotals>
}>()("bellwether/payments/Refunds") {
  static readonly layer: Layer.Layer<Refunds, never, PaymentStore | RefundQueue> = Layer.effect(
    Refunds,
    Effect.gen(function* () {
      const payments = yield* PaymentStore
      const queue = yield* RefundQueue
      const owed = Effect.gen(function* () {
        const liability = yield* payments.liability
        const unmatched = yield* queue.unmatchedOwed
        return { liability, unmatched, byState: yield* totalsOfEveryState(queue) }
      })
      return Refunds.of({ owed, measure: Effect.tap(owed, updateGauges) })
    }),
  )
}

const noRefunds: RefundTotals = { refunds: 0, amount: 0n, oldestAgoMs: 0 }

/** The totals, with an entry for every state. */
export const totalsOfEveryState = ({ totalsByState }: RefundQueue["Service"]) =>
  Effect.map(
    totalsByState,
    (totals) => new Map(refundStates.map((state) => [state, totals.get(state) ?? noRefunds])),
  )

const liabilityUsdc = Metric.gauge("payments_liability_usdc", {
  description: "The amount that sales may still have to refund, in USDC",
})
const unmatchedUsdc = Metric.gauge("payments_unmatched_usdc", {
  description: "The open refunds of unmatched transfers, in USDC",
})
const refundsByState = Metric.gauge("refunds", { description: "Refunds by state" })
const usdcByState = Metric.gauge("refunds_usdc", {
  description: "The sum of the refunds in each state, in USDC",
})
const oldestSeconds = Metric.gauge("refunds_oldest_seconds", {
  description: "Seconds since the oldest refund of each state was first owed",
})

const updateGauges = Effect.fnUntraced(function* ({ liability, unmatched, byState }: OwedTotals) {
  yield* Metric.update(liabilityUsdc, inUsdc(liability))
  yield* Metric.update(unmatchedUsdc, inUsdc(unmatched))
  yield* updateRefundGauges(byState)
})

/** Updates the gauges of refunds; the refund worker has these too. */
export const updateRefundGauges = Effect.fnUntraced(function* (byState: OwedTotals["byState"]) {
  for (const [state, { refunds, amount, oldestAgoMs }] of byState) {
    yield* Metric.update(Metric.withAttributes(refundsByState, { state }), refunds)
    yield* Metric.update(Metric.withAttributes(usdcByState, { state }), inUsdc(amount))
    yield* Metric.update(Metric.withAttributes(oldestSeconds, { state }), oldestAgoMs / 1_000)
  }
})
