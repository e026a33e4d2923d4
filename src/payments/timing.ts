/**
 * How long each step of a sale may take, and how long a payment is kept for its buyer.
 *
 * @module
 */
import { Duration } from "effect"

export interface PaymentTiming {
  /** A worker that is silent for longer has lost its payment. Longer than all the steps together. */
  readonly lease: Duration.Duration
  readonly verifyTimeout: Duration.Duration
  /** The work of a compute-first product, and what a settle-early one looks up before it settles. */
  readonly workTimeout: Duration.Duration
  /** The work of a settle-early product, which is paid for by then. Shorter than the lease. */
  readonly paidWorkTimeout: Duration.Duration
  readonly settleTimeout: Duration.Duration
  /** How often the chain is asked after settlement, and how many times. */
  readonly proveInterval: Duration.Duration
  readonly proveRetriesMax: number
  /** How long all that asking may take, however long the chain takes over each question. */
  readonly proveTimeout: Duration.Duration
  /** How long a buyer may still come for an answer that was not delivered. Then it is refunded. */
  readonly answerWindow: Duration.Duration
  /**
   * How long after the intent a settle-early payment of unknown outcome waits for its buyer, who has
   * it computed by coming again. Then it is refunded.
   */
  readonly recoveryWindow: Duration.Duration
  /** How often a second copy of a payment looks whether the first is done, and how many times. */
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
