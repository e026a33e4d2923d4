/**
 * A `PaymentStore` in memory, on the caller's clock, for tests under the TestClock.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer, Option, Result } from "effect"
import { AtomicAmount } from "../../../src/core/domain/money.ts"
import {
  holdsKey,
  type PaidAt,
  type Payment,
  type PaymentId,
  paymentOf,
  type PaymentState,
  type RefundSummary,
  step,
  type StoredAnswer,
  UnreadablePayment,
} from "../../../src/payments/domain/payment.ts"
import type { PaymentRecord } from "./record.ts"
import {
  declined,
  type Move,
  PaymentStore,
  type ScannedAccount,
  type ScannedRange,
  type UnmatchedTransfer,
} from "../../../src/payments/PaymentStore.ts"

type Stored =
  & Omit<PaymentRecord, "leaseLeftMs" | "intendedAgoMs" | "answeredAgoMs" | "answeredAt">
  & {
    readonly leaseUntil: number | null
    readonly intendedAt: number | null
    readonly answeredAt: number | null
    /** The reason of the newest doubt. */
    readonly doubt: string | null
    readonly createdAt: number
    readonly changed: number
  }

/** The store, and control over its rows. */
export interface MemoryPayments {
  readonly store: PaymentStore["Service"]
  /** Ends a refund, with the change to its payment's row. */
  readonly endRefund: (paymentId: PaymentId, event: "refund" | "void") => void
  readonly stateOf: (paymentId: PaymentId) => PaymentState | null
  /** How many rows each state has. */
  readonly countByState: () => ReadonlyMap<PaymentState, number>
}

interface MemoryOptions {
  /** False: claims do not check that a key is free, as without the unique index. */
  readonly uniqueKeys?: boolean
}

export function memoryPayments({ uniqueKeys = true }: MemoryOptions = {}): MemoryPayments {
  const rows = new Map<PaymentId, Stored>()
  let changes = 0

  const scans = new Map<string, ScannedRange>()

  const toPayment = (
    { leaseUntil, intendedAt, answeredAt, createdAt: _, changed: __, doubt: ___, ...row }: Stored,
    now: number,
  ): Payment =>
    Result.getOrThrow(paymentOf({
      ...row,
      leaseLeftMs: leaseUntil === null ? null : leaseUntil - now,
      intendedAgoMs: intendedAt === null ? null : now - intendedAt,
      answeredAgoMs: answeredAt === null ? null : now - answeredAt,
      answeredAt: answeredAt === null ? null : Math.floor(answeredAt / 1_000),
    }))

  const save = (row: Stored, now: number): Payment => {
    const payment = toPayment(row, now)
    rows.set(row.paymentId, { ...row, changed: changes++ })
    return payment
  }

  /** The row that holds a key. */
  const holder = (keyHash: PaymentRecord["keyHash"]) =>
    keyHash === null
      ? undefined
      : rows.values().find((row) => row.keyHash === keyHash && holdsKey(row.state))

  const conflicting = (keyHash: PaymentRecord["keyHash"]) =>
    uniqueKeys ? holder(keyHash) : undefined

  const find = (paymentId: PaymentId) =>
    Effect.map(
      Clock.currentTimeMillis,
      (now) => Option.map(Option.fromNullishOr(rows.get(paymentId)), (row) => toPayment(row, now)),
    )

  const store = PaymentStore.of({
    find,
    findWithKey: (paymentId, keyHash) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const held = holder(keyHash)
        const payment = (row: Stored | undefined) =>
          Option.map(Option.fromNullishOr(row), (row) => toPayment(row, now))
        return {
          payment: payment(rows.get(paymentId)),
          holder: payment(held?.paymentId === paymentId ? undefined : held),
        }
      }),
    findByKey: (keyHash) =>
      Effect.sync(() => {
        const refunded = rows.values().filter((row) =>
          row.keyHash === keyHash && (row.state === "refund_due" || row.state === "refunded")
        ).toArray().sort((a, b) => b.changed - a.changed)
        const found = holder(keyHash) ?? refunded[0]
        return Option.map(Option.fromUndefinedOr(found), ({ paymentId }) => paymentId)
      }),
    claim: (ticket, secretHash, lease, keyHash = null) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const known = rows.get(ticket.paymentId) ?? conflicting(keyHash)
        if (known !== undefined) return Option.none()
        const row: Stored = {
          ...ticket,
          ...absent,
          state: "claimed",
          createdAt: now,
          secretHash,
          keyHash,
          leaseUntil: now + Duration.toMillis(lease),
        }
        return Option.some(save(row, now))
      }),
    move: (before, move) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = rows.get(before.paymentId)
        if (row === undefined || row.state !== before.state || row.fence !== before.fence) {
          return Option.none()
        }
        if (move.event === "owe" && row.sent) return Option.none()
        // The database refuses this too: only the refund moves a payment out of refund_due.
        if (row.state === "refund_due") throw new Error("A refund is not cancelled by its payment")
        const state = Result.getOrThrow(step(row.settlementOrder, row.state, move.event))
        const keyHash = move.event === "claim" ? move.keyHash ?? null : null
        if (conflicting(keyHash) !== undefined) return Option.none()
        return Option.some(save({ ...row, ...changesOf(row, move, now), state }, now))
      }),
    markSent: (paymentId) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = rows.get(paymentId)
        if (row?.state === "answered") save({ ...row, sent: true }, now)
      }),
    waiting: ({ kind, nowSeconds, answerWindow, skip, limit }) =>
      Effect.map(
        Clock.currentTimeMillis,
        (now) =>
          [...rows.values()].filter((row) =>
            (row.state === "released") === (kind === "released") &&
            isWaiting(row, nowSeconds, Duration.toMillis(answerWindow), now)
          )
            .sort(kind === "released" ? byExpiry : (a, b) => a.changed - b.changed)
            .slice(skip, skip + limit).map((row) =>
              Result.try({
                try: () => toPayment(row, now),
                catch: () => new UnreadablePayment({ paymentId: row.paymentId }),
              })
            ),
      ),
    insertUnmatched: (transfer) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (rows.has(transfer.paymentId)) return false
        save({ ...unmatchedRow(transfer), createdAt: now }, now)
        return true
      }),
    scanned: (account) => Effect.sync(() => Option.fromNullishOr(scans.get(nameOf(account)))),
    saveScannedThrough: (account, block) =>
      Effect.sync(() => {
        const { after, through } = scans.get(nameOf(account)) ?? { after: block, through: block }
        scans.set(nameOf(account), { after, through: block > through ? block : through })
      }),
    states: (paymentIds) =>
      Effect.sync(() =>
        new Map(paymentIds.flatMap((id) => {
          const row = rows.get(id)
          return row === undefined ? [] : [[id, row.state] as const]
        }))
      ),
    liability: Effect.sync(() =>
      [...rows.values()].reduce(
        (units, row) => isLiable(row) ? units + row.amount : units,
        0n,
      )
    ),
  })

  const countByState = () => {
    const counts = new Map<PaymentState, number>()
    for (const { state } of rows.values()) counts.set(state, (counts.get(state) ?? 0) + 1)
    return counts
  }

  const endRefund = (paymentId: PaymentId, event: "refund" | "void") => {
    const row = rows.get(paymentId)
    if (row === undefined || row.refund === null) return
    const state = Result.getOrThrow(step(row.settlementOrder, row.state, event))
    const refund: RefundSummary["state"] = event === "refund" ? "confirmed" : "cancelled"
    rows.set(paymentId, { ...row, state, refund: { ...row.refund, state: refund } })
  }
  const stateOf = (paymentId: PaymentId) => rows.get(paymentId)?.state ?? null
  return { store, endRefund, stateOf, countByState }
}

export const memoryPaymentStore: Layer.Layer<PaymentStore> = Layer.sync(
  PaymentStore,
  () => memoryPayments().store,
)

/** Sorts released rows last. */
function byExpiry(a: Stored, b: Stored): number {
  const sooner = Number(a.authorization.validBefore - b.authorization.validBefore)
  return sooner || (a.paymentId < b.paymentId ? -1 : 1)
}

const nameOf = ({ chainId, asset, payTo }: ScannedAccount) => `${chainId}:${asset}:${payTo}`

/** The empty fields of a new row. */
const absent = {
  fence: 1,
  secretHash: null,
  keyHash: null,
  leaseUntil: null,
  doubt: null,
  intendedAt: null,
  answeredAt: null,
  createdAt: 0,
  transactionHint: null,
  paidAt: null,
  paidAmount: null,
  answer: null,
  sent: false,
  refund: null,
  changed: 0,
} as const

const unmatchedRow = (
  { paymentId, token, from, to, value, nonce, at }: UnmatchedTransfer,
): Stored => ({
  ...absent,
  paymentId,
  token,
  authorization: {
    from,
    to,
    value,
    nonce,
    validAfter: 0n,
    validBefore: 9_223_372_036_854_775_807n,
  },
  signature: null,
  productId: null,
  request: null,
  settlementOrder: "settle-early",
  amount: AtomicAmount.make(value),
  state: "refund_due",
  paidAt: at,
  refund: { state: "queued", reason: "unmatched_transfer", transaction: null, confirmedAt: null },
})

const isLiable = ({ state, settlementOrder, request, paidAmount, doubt }: Stored) =>
  (state === "refund_due" && request !== null && paidAmount === null) ||
  (settlementOrder === "settle-early" &&
    !(state === "unresolved" && doubt?.startsWith(declined)) &&
    ["claimed", "settling", "unresolved", "settled"].includes(state))

function isWaiting(row: Stored, nowSeconds: bigint, answerWindowMs: number, now: number): boolean {
  switch (row.state) {
    case "answered":
      return !row.sent && row.answeredAt !== null && row.answeredAt + answerWindowMs <= now
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
  readonly secretHash?: PaymentRecord["secretHash"]
  readonly keyHash?: PaymentRecord["keyHash"]
  readonly leaseUntil: number | null
  readonly intendedAt?: number
  readonly answeredAt?: number
  readonly transactionHint?: string | null
  readonly doubt?: string
  readonly paidAt?: PaidAt | null
  readonly paidAmount?: AtomicAmount | null
  readonly answer?: StoredAnswer | null
  readonly sent?: boolean
  readonly refund?: RefundSummary | null
}

function changesOf(row: Stored, move: Move, now: number): Changes {
  switch (move.event) {
    case "claim":
      return {
        fence: row.fence + 1,
        secretHash: move.secretHash,
        keyHash: move.keyHash ?? null,
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
      return { leaseUntil: null, transactionHint: move.transactionHint, doubt: move.reason }
    case "settle":
      return { leaseUntil: now + Duration.toMillis(move.lease), paidAt: move.paidAt }
    case "answer":
      return {
        leaseUntil: null,
        answeredAt: now,
        answer: move.answer ?? row.answer,
        paidAt: move.paidAt ?? row.paidAt,
      }
    case "owe":
      return {
        leaseUntil: null,
        answer: null,
        sent: false,
        paidAt: move.paidAt ?? row.paidAt,
        paidAmount: move.paidAmount ?? null,
        refund: { state: "queued", reason: move.reason, transaction: null, confirmedAt: null },
      }
    case "void":
      return { leaseUntil: null, answer: null }
  }
}
