/**
 * The metrics of the refund caps, in the refund worker's process: the service's login cannot read
 * when a refund was signed.
 *
 * @module
 */
import { Effect, Metric } from "effect"
import type { Caps, QueueName } from "../domain/refund.ts"
import { inUsdc } from "../gauges.ts"
import type { RefundStore } from "./RefundStore.ts"

const capUsed = Metric.gauge("refund_cap_used_usdc", {
  description: "Refunds signed in the last hour or day, in USDC, by window and queue",
})
const cap = Metric.gauge("refund_cap_usdc", {
  description: "The most that is refunded in an hour or a day, in USDC, by window and queue",
})

/** Updates the gauges of a queue's caps. */
export const measureCaps = Effect.fnUntraced(
  function* (store: RefundStore["Service"], queue: QueueName, caps: Caps) {
    const sums = yield* store.signedSums(queue, caps, null)
    const windows = [
      ["hour", sums.lastHour, caps.perHour],
      ["day", sums.lastDay, caps.perDay],
    ] as const
    for (const [window, used, max] of windows) {
      const labels = { window, queue }
      yield* Metric.update(Metric.withAttributes(capUsed, labels), inUsdc(used))
      yield* Metric.update(Metric.withAttributes(cap, labels), inUsdc(max))
    }
  },
)
