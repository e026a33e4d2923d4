/**
 * How long each step of a sale may take, and how long a payment waits for its buyer.
 *
 * @module
 */
import { Duration } from "effect"

export const defaultTiming = {
  /** How long a payment belongs to a worker after each move. Longer than any step between two moves. */
  lease: Duration.seconds(90),
  /** The wait for a place at the facilitator included. Ends before the payment is claimed. */
  verifyTimeout: Duration.seconds(6),
  /** For the work of a compute-first product, and for the check of a settle-early one. */
  workTimeout: Duration.seconds(10),
  /** For the work of a settle-early product, after payment. Shorter than the lease. */
  paidWorkTimeout: Duration.seconds(60),
  settleTimeout: Duration.seconds(21),
  /** How often the chain is read again after settlement, and how many times at most. */
  proveInterval: Duration.seconds(1),
  proveRetriesMax: 15,
  /** The total time of these reads together. */
  proveTimeout: Duration.seconds(15),
  /** How long an undelivered answer waits for its buyer (HOLD). Then the payment is refunded. */
  answerWindow: Duration.minutes(10),
  /**
   * How long after the intent an unresolved settle-early payment waits for its buyer, whose next
   * call computes the answer. Then it is refunded.
   */
  recoveryWindow: Duration.minutes(2),
  /** How often a repeated call checks whether the first one is finished, and how many times. */
  waitInterval: Duration.millis(200),
  waitRetriesMax: 100,
}
export type PaymentTiming = Readonly<typeof defaultTiming>

/**
 * Default times for a given lease. A lease must outlast its steps, so a lease shorter than the default
 * shortens these steps in proportion.
 */
export function scaled<T extends { readonly lease: Duration.Duration }, K extends keyof T>(
  times: T & Readonly<Record<K, Duration.Duration>>,
  lease: Duration.Duration,
  steps: ReadonlyArray<K>,
): T {
  const share = Math.min(1, Duration.toMillis(lease) / Duration.toMillis(times.lease))
  const shorter = steps.map((step) => [step, Duration.times(times[step], share)])
  return { ...times, lease, ...Object.fromEntries(shorter) }
}

/** The timing of sales for a given lease and HOLD. */
export const scaledTiming = (
  { lease, answerWindow }: Pick<PaymentTiming, "lease" | "answerWindow">,
): PaymentTiming => ({
  ...scaled(defaultTiming, lease, [
    "verifyTimeout",
    "workTimeout",
    "paidWorkTimeout",
    "settleTimeout",
    "proveTimeout",
  ]),
  answerWindow,
  // A buyer must not get more time before the answer is computed than after it.
  recoveryWindow: Duration.min(defaultTiming.recoveryWindow, answerWindow),
})
