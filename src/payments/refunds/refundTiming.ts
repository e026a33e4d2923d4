/**
 * How long everything about a refund may take, and when it is looked at again.
 *
 * @module
 */
import { Duration } from "effect"
import type { WaitReason } from "../domain/refund.ts"

export interface RefundTiming {
  /** Longer than everything that one refund may wait for while it is worked on. */
  readonly lease: Duration.Duration
  /** How long a signature runs. */
  readonly validity: Duration.Duration
  readonly chainPatience: Duration.Duration
  readonly settlePatience: Duration.Duration
  readonly storePatience: Duration.Duration
  /** Until the chain is asked again whether a block is safe. */
  readonly proveAgain: Duration.Duration
  /** Until a facilitator or a chain that said nothing clear is asked again. */
  readonly unknownAgain: Duration.Duration
  /** After the first decline; it doubles with every further one, up to the second. */
  readonly declinedAgainMin: Duration.Duration
  readonly declinedAgainMax: Duration.Duration
  /** Until caps and the float are looked at again. */
  readonly shortAgain: Duration.Duration
  /** Until the chain is asked about a refund that only a person can help. */
  readonly stuckAgain: Duration.Duration
  /** How long a worker that is stopped goes on with what it is at. */
  readonly drain: Duration.Duration
}

export const defaultRefundTiming: RefundTiming = {
  lease: Duration.seconds(120),
  validity: Duration.minutes(10),
  chainPatience: Duration.seconds(10),
  settlePatience: Duration.seconds(30),
  storePatience: Duration.seconds(5),
  proveAgain: Duration.seconds(15),
  unknownAgain: Duration.seconds(30),
  declinedAgainMin: Duration.seconds(15),
  declinedAgainMax: Duration.minutes(10),
  shortAgain: Duration.minutes(5),
  stuckAgain: Duration.hours(1),
  drain: Duration.seconds(15),
}

/** The shortest lease within which a chain and a facilitator can be asked. */
const leaseMin = Duration.seconds(20)

/** The usual steps, made shorter as far as a shorter lease makes them: a lease outlasts its steps. */
export function refundTimingWithin(asked: Duration.Duration): RefundTiming {
  const usual = defaultRefundTiming
  const lease = Duration.max(asked, leaseMin)
  const share = Math.min(1, Duration.toMillis(lease) / Duration.toMillis(usual.lease))
  return {
    ...usual,
    lease,
    chainPatience: Duration.times(usual.chainPatience, share),
    settlePatience: Duration.times(usual.settlePatience, share),
    storePatience: Duration.times(usual.storePatience, share),
  }
}

/** How long a refund waits for what it waits for. */
export function waitFor(timing: RefundTiming, reason: WaitReason): Duration.Duration {
  return timing[waits[reason]]
}

const waits = {
  payment_not_safe: "proveAgain",
  refund_not_safe: "proveAgain",
  expiring: "proveAgain",
  stuck: "stuckAgain",
  over_caps: "shortAgain",
  float_too_low: "shortAgain",
  of_another_treasury: "shortAgain",
} as const

/** Longer with every decline, within bounds. */
export function declinedAgain(timing: RefundTiming, attempts: number): Duration.Duration {
  const doubled = Duration.times(timing.declinedAgainMin, 2 ** Math.min(attempts, doublingsMax))
  return Duration.min(doubled, timing.declinedAgainMax)
}

const doublingsMax = 16
