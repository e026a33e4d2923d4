/**
 * Payments and refunds by UTC day, summed from the changes of payments. Each change counts on the day
 * on which it was stored, so the sums of a past day do not change.
 *
 * @module
 */
import { AtomicAmount, usd } from "../../core/domain/money.ts"
import type { EpochMs } from "../../core/domain/time.ts"

export type SumKind = "charged" | "answered" | "undelivered" | "owed" | "cancelled" | "refunded"

export interface PaymentSum {
  readonly payments: number
  /** Atomic units of the token. */
  readonly amount: bigint
}

type PaymentSums = Readonly<Record<SumKind, PaymentSum>>

/** The longest times from owed to refunded that are counted together; longer ones are the last row. */
export const refundSecondsSteps = [60, 600, 3_600, 86_400] as const

export interface PaymentDaySums {
  /** The start of the day. */
  readonly day: EpochMs
  readonly sums: PaymentSums
  /** Refunds by time, one number for each step and one for longer times. */
  readonly refundTimes: ReadonlyArray<number>
  readonly refundSecondsMax: number | null
}

const nothing: PaymentSum = { payments: 0, amount: 0n }

export const noSums: PaymentSums = {
  charged: nothing,
  answered: nothing,
  undelivered: nothing,
  owed: nothing,
  cancelled: nothing,
  refunded: nothing,
}

export const sumOnWire = ({ payments, amount }: PaymentSum) => ({
  payments,
  usd: usd(AtomicAmount.make(amount)),
})

export const sumsOnWire = (
  { charged, answered, undelivered, owed, cancelled, refunded }: PaymentSums,
) => ({
  charged: sumOnWire(charged),
  answered: sumOnWire(answered),
  undelivered: sumOnWire(undelivered),
  owed: sumOnWire(owed),
  cancelled: sumOnWire(cancelled),
  refunded: sumOnWire(refunded),
})

/** All days together. */
export function totalOf(days: ReadonlyArray<PaymentDaySums>) {
  const sum = (kind: SumKind) =>
    days.reduce(
      (total, { sums }) => ({
        payments: total.payments + sums[kind].payments,
        amount: total.amount + sums[kind].amount,
      }),
      nothing,
    )
  const [answered, undelivered] = [sum("answered"), sum("undelivered")]
  const longest = days.flatMap(({ refundSecondsMax }) => refundSecondsMax ?? [])
  return {
    sums: {
      charged: sum("charged"),
      answered,
      undelivered,
      owed: sum("owed"),
      cancelled: sum("cancelled"),
      refunded: sum("refunded"),
    },
    delivered: {
      // An answer of the day before the first may be among the undelivered.
      payments: Math.max(0, answered.payments - undelivered.payments),
      amount: answered.amount > undelivered.amount ? answered.amount - undelivered.amount : 0n,
    },
    refundTimes: [...refundSecondsSteps, null].map((withinSeconds, step) => ({
      withinSeconds,
      refunds: days.reduce((total, { refundTimes }) => total + (refundTimes[step] ?? 0), 0),
    })),
    refundSecondsMax: longest.length === 0 ? null : Math.max(...longest),
  }
}
