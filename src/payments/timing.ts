/**
 * How long each step of a sale may take, and how long a payment waits for its buyer.
 *
 * @module
 */
import { Duration } from "effect"

export interface PaymentTiming {
  /** A worker loses its payment after this time. Longer than all steps together. */
  readonly lease: Duration.Duration
  readonly verifyTimeout: Duration.Duration
  /** The work of a compute-first product, and the check of a settle-early one. */
  readonly workTimeout: Duration.Duration
  /** The work of a settle-early product, after payment. Shorter than the lease. */
  readonly paidWorkTimeout: Duration.Duration
  readonly settleTimeout: Duration.Duration
  /** The interval between reads of the chain after settlement, and their maximum number. */
  readonly proveInterval: Duration.Duration
  readonly proveRetriesMax: number
  /** The total time of these reads. */
  readonly proveTimeout: Duration.Duration
  /** How long an undelivered answer waits for its buyer. Then the payment is refunded. */
  readonly answerWindow: Duration.Duration
  /**
   * How long after the intent an unresolved settle-early payment waits for its buyer, whose next
   * call computes the answer. Then it is refunded.
   */
  readonly recoveryWindow: Duration.Duration
  /**
   * The interval and the maximum number of checks with which a repeated call waits for the first
   * one.
   */
  readonly waitInterval: Duration.Duration
  readonly waitRetriesMax: number
}

export const defaultTiming: PaymentTiming = {
  lease: Duration.seconds(90),
  verifyTimeout: Duration.seconds(4),
  workTimeout: Duration.seconds(10),
  paidWorkTimeout: Duration.seconds(60),
  settleTimeout: Duration.seconds(21),
  proveInterval: Duration.millis(500),
  proveRetriesMax: 20,
  proveTimeout: Duration.seconds(15),
  answerWindow: Duration.minutes(10),
  recoveryWindow: Duration.minutes(2),
  waitInterval: Duration.millis(200),
  waitRetriesMax: 100,
}

/**
 * The default timing for a given lease. A lease must outlast its steps, so a lease shorter than the
 * default shortens every step in proportion.
 */
export function scaledTiming(
  { lease, answerWindow }: Pick<PaymentTiming, "lease" | "answerWindow">,
): PaymentTiming {
  const share = Math.min(1, Duration.toMillis(lease) / Duration.toMillis(defaultTiming.lease))
  const scaled = (step: Duration.Duration) => Duration.times(step, share)
  const { verifyTimeout, workTimeout, paidWorkTimeout, settleTimeout, proveTimeout } = defaultTiming
  return {
    ...defaultTiming,
    lease,
    answerWindow,
    verifyTimeout: scaled(verifyTimeout),
    workTimeout: scaled(workTimeout),
    paidWorkTimeout: scaled(paidWorkTimeout),
    settleTimeout: scaled(settleTimeout),
    proveTimeout: scaled(proveTimeout),
    // The service waits for a buyer no longer before the answer is computed than after.
    recoveryWindow: Duration.min(defaultTiming.recoveryWindow, answerWindow),
  }
}
