/**
 * How long each step of a sale may take, and how long a payment is kept for its buyer.
 *
 * @module
 */
import { Duration } from "effect"

export interface PaymentTiming {
  /** A worker that is silent for longer has lost its payment. Longer than all the steps together. */
  readonly lease: Duration.Duration
  readonly verify: Duration.Duration
  /** The work of a compute-first product, and what a settle-early one looks up before it settles. */
  readonly work: Duration.Duration
  /** The work of a settle-early product, which is paid for by then. Shorter than the lease. */
  readonly paidWorkTimeout: Duration.Duration
  readonly settle: Duration.Duration
  /** How often the chain is asked after settlement, and how many times. */
  readonly proveInterval: Duration.Duration
  readonly proveRetriesMax: number
  /** How long all that asking may take, however long the chain takes over each question. */
  readonly prove: Duration.Duration
  /** How long a buyer may still come for an answer that was not delivered. Then it is refunded. */
  readonly hold: Duration.Duration
  /**
   * How long after the intent a settle-early payment of unknown outcome waits for its buyer, who has
   * it computed by coming again. Then it is refunded.
   */
  readonly recover: Duration.Duration
  /** How often a second copy of a payment looks whether the first is done, and how many times. */
  readonly waitInterval: Duration.Duration
  readonly waitRetriesMax: number
}

export const defaultTiming: PaymentTiming = {
  lease: Duration.seconds(90),
  verify: Duration.seconds(4),
  work: Duration.seconds(10),
  paidWorkTimeout: Duration.seconds(60),
  settle: Duration.seconds(21),
  proveInterval: Duration.millis(500),
  proveRetriesMax: 20,
  prove: Duration.seconds(15),
  hold: Duration.minutes(10),
  recover: Duration.minutes(2),
  waitInterval: Duration.millis(200),
  waitRetriesMax: 100,
}
