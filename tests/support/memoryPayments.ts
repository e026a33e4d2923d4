/**
 * A `PaymentStore` in memory, on the clock of the fiber that asks: for sagas under the TestClock.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer, Option, Result } from "effect"
import {
  type PaidAt,
  type PaymentId,
  type PaymentState,
  step,
  type StoredAnswer,
} from "../../src/domain/payment.ts"
import {
  type ClaimResult,
  type Move,
  type Payment,
  PaymentStore,
  type RefundRow,
} from "../../src/services/PaymentStore.ts"

type Stored = Omit<Payment, "leaseLeftMs" | "intendedAgoMs"> & {
  readonly leaseUntil: number | null
  readonly intendedAt: number | null
  readonly changed: number
}

const make = Effect.sync(() => {
  const rows = new Map<PaymentId, Stored>()
  let changes = 0

  const shown = ({ leaseUntil, intendedAt, changed: _, ...row }: Stored, now: number): Payment => ({
    ...row,
    leaseLeftMs: leaseUntil === null ? 0 : leaseUntil - now,
    intendedAgoMs: intendedAt === null ? null : now - intendedAt,
  })

  const keep = (row: Stored, now: number): Payment => {
    rows.set(row.paymentId, { ...row, changed: changes++ })
    return shown(row, now)
  }

  const find = (paymentId: PaymentId) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => Option.map(Option.fromNullishOr(rows.get(paymentId)), (row) => shown(row, now)),
    )

  return PaymentStore.of({
    find,
    claim: (ticket, secretHash, lease) =>
      Effect.map(Clock.currentTimeMillis, (now): ClaimResult => {
        const known = rows.get(ticket.paymentId)
        if (known !== undefined) return { claimed: false, payment: shown(known, now) }
        const row: Stored = {
          ...ticket,
          state: "claimed",
          fence: 1,
          secretHash,
          leaseUntil: now + Duration.toMillis(lease),
          intendedAt: null,
          transactionHint: null,
          paidAt: null,
          answer: null,
          sent: false,
          refund: null,
          changed: 0,
        }
        return { claimed: true, payment: keep(row, now) }
      }),
    move: (held, move) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = rows.get(held.paymentId)
        if (row === undefined || row.state !== held.state || row.fence !== held.fence) {
          return Option.none()
        }
        if (move.event === "owe" && row.sent) return Option.none()
        const state = Result.getOrThrow(step(row.order, row.state, move.event))
        return Option.some(keep({ ...row, ...changesOf(row, move, now), state }, now))
      }),
    markSent: (paymentId) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = rows.get(paymentId)
        if (row?.state === "answered") keep({ ...row, sent: true }, now)
      }),
    waiting: (nowSeconds, limit) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) =>
          [...rows.values()].filter((row) => waits(row, nowSeconds, now))
            .sort((a, b) => rank(a) - rank(b) || a.changed - b.changed).slice(0, limit).map((row) =>
              shown(row, now)
            ),
      ),
    countByState: Effect.sync(() => {
      const counts = new Map<PaymentState, number>()
      for (const { state } of rows.values()) counts.set(state, (counts.get(state) ?? 0) + 1)
      return counts
    }),
  })
})

export const memoryPaymentStore: Layer.Layer<PaymentStore> = Layer.effect(PaymentStore, make)

/** Released rows come last. */
const rank = ({ state }: Stored) => state === "released" ? 1 : 0

function waits(row: Stored, nowSeconds: bigint, now: number): boolean {
  switch (row.state) {
    case "unresolved":
      return true
    case "released":
      return row.authorization.validBefore < nowSeconds
    case "claimed":
    case "settling":
    case "settled":
      return row.leaseUntil !== null && row.leaseUntil < now
    default:
      return false
  }
}

interface Changes {
  readonly fence?: number
  readonly secretHash?: Payment["secretHash"]
  readonly leaseUntil: number | null
  readonly intendedAt?: number
  readonly transactionHint?: string | null
  readonly paidAt?: PaidAt | null
  readonly answer?: StoredAnswer | null
  readonly sent?: boolean
  readonly refund?: RefundRow | null
}

function changesOf(row: Stored, move: Move, now: number): Changes {
  switch (move.event) {
    case "claim":
      return {
        fence: row.fence + 1,
        secretHash: move.secretHash,
        leaseUntil: now + Duration.toMillis(move.lease),
      }
    case "release":
      return { leaseUntil: null }
    case "intend":
      return {
        answer: move.answer,
        intendedAt: now,
        leaseUntil: now + Duration.toMillis(move.lease),
      }
    case "doubt":
      return { leaseUntil: null, transactionHint: move.transactionHint }
    case "settle":
      return { leaseUntil: now + Duration.toMillis(move.lease), paidAt: move.paidAt }
    case "answer":
      return {
        leaseUntil: null,
        answer: move.answer ?? row.answer,
        paidAt: move.paidAt ?? row.paidAt,
      }
    case "owe":
      return {
        leaseUntil: null,
        answer: null,
        sent: false,
        paidAt: move.paidAt ?? row.paidAt,
        refund: { state: "queued", reason: move.reason, transaction: null },
      }
    case "void":
      return { leaseUntil: null, answer: null }
  }
}
