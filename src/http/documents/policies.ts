/**
 * What the service promises after a payment, as data: `fulfillment_policy` and `refund_policy` of
 * x402-signals 0.2, which places them at the top of /.well-known/x402. Its third block, `signals`,
 * changes with the health of payments and is left to /health.
 *
 * @module
 */
import { paymentsPrefix } from "../paywall/paymentStatus.ts"

const version = "0.2"
/** A day: most refunds are confirmed in minutes, and a person may have to fill the treasury. */
const refundSecondsMax = 86_400
/** As Retry-After of an outcome that is not known yet. */
const retrySeconds = 5

/** `answerSeconds`: how long an answer waits for its buyer before it is refunded. */
export const policies = (answerSeconds: number) => ({
  fulfillment_policy: {
    version,
    mode: "instant",
    fulfillment_deadline_seconds: answerSeconds,
    status_endpoint: `${paymentsPrefix}{paymentId}`,
    retry_after_seconds: retrySeconds,
  },
  // The type is that of a delivered answer; without one, the payment goes back by itself and in full.
  refund_policy: {
    version,
    type: "none",
    refund_to: "original_payer",
    refund_endpoint: `${paymentsPrefix}{paymentId}`,
    refund_deadline_seconds: refundSecondsMax,
    partial_refunds_supported: false,
    idempotency_required: false,
    compensating_actions_optional: false,
    refund_policy_by_state: {
      FULFILLMENT_FAILED: {
        type: "automatic",
        triggers: ["fulfillment_failed", "upstream_timeout"],
      },
      EXPIRED: { type: "automatic", triggers: ["expired"] },
    },
  },
})
