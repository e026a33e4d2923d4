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
import { Context, Effect, Metric } from "effect"
import { type QueueName, refundQueues, type RefundState, refundStates } from "../domain/refund.ts"
import { inUsdc } from "../observedPorts.ts"
import type { PaymentStore } from "../PaymentStore.ts"

/** The totals of the refunds of one queue in one state. */
export interface RefundTotals {
  readonly queue: QueueName
  readonly state: RefundState
  readonly refunds: number
  readonly amount: bigint
  /** Milliseconds since the oldest of them was first owed. */
  readonly oldestAgoMs: number
}

/** The port to the refund queue, limited to what the service's database role may read. */
export class RefundQueue extends Context.Service<RefundQueue, {
  /** The totals by queue and state, without `UnmatchedRefundMin`; those without refunds are absent. */
  readonly totals: Effect.Effect<ReadonlyArray<RefundTotals>>
}>()("bellwether/payments/RefundQueue") {}

export interface OwedTotals {
  /** Atomic units that sales may still have to refund, including sales whose outcome is open. */
  readonly liability: bigint
  readonly refunds: ReadonlyArray<RefundTotals>
}

/** What is owed now, with an entry for every queue and state. Updates the gauges of it. */
export const measureOwed = Effect.fnUntraced(function* (
  payments: PaymentStore["Service"],
  queue: RefundQueue["Service"],
) {
  const owed: OwedTotals = {
    liability: yield* payments.liability,
    refunds: yield* allTotals(queue),
  }
  yield* updateGauges(owed)
  return owed
})

/** The totals, with an entry for every queue and state. */
const allTotals = ({ totals }: RefundQueue["Service"]) =>
  Effect.map(
    totals,
    (found) =>
      refundQueues.flatMap((queue) =>
        refundStates.map((state): RefundTotals =>
          found.find((total) => total.queue === queue && total.state === state) ??
            { queue, state, refunds: 0, amount: 0n, oldestAgoMs: 0 }
        )
      ),
  )

const finalStates: ReadonlyArray<RefundState> = ["confirmed", "cancelled", "settled_by_hand"]

/** Whether the refunds of this state are still owed. */
export const isOwed = ({ state }: RefundTotals) => !finalStates.includes(state)

const liabilityUsdc = Metric.gauge("payments_liability_usdc", {
  description: "The amount that sales may still have to refund, in USDC",
})
const unmatchedUsdc = Metric.gauge("payments_unmatched_usdc", {
  description: "The open refunds of unmatched transfers, in USDC",
})
const refundsCount = Metric.gauge("refunds", { description: "Refunds by queue and state" })
const refundsUsdc = Metric.gauge("refunds_usdc", {
  description: "The sum of the refunds of each queue and state, in USDC",
})
const oldestSeconds = Metric.gauge("refunds_oldest_seconds", {
  description: "Seconds since the oldest refund of each queue and state was first owed",
})

const updateGauges = Effect.fnUntraced(function* ({ liability, refunds }: OwedTotals) {
  const unmatched = refunds.filter((totals) => totals.queue === "unmatched" && isOwed(totals))
  yield* Metric.update(liabilityUsdc, inUsdc(liability))
  yield* Metric.update(
    unmatchedUsdc,
    inUsdc(unmatched.reduce((sum, { amount }) => sum + amount, 0n)),
  )
  for (const { queue, state, refunds: count, amount, oldestAgoMs } of refunds) {
    const of = Metric.withAttributes({ queue, state })
    yield* Metric.update(of(refundsCount), count)
    yield* Metric.update(of(refundsUsdc), inUsdc(amount))
    yield* Metric.update(of(oldestSeconds), oldestAgoMs / 1_000)
  }
})
