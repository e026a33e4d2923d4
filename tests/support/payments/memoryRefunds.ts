/**
 * A `RefundStore` in memory, on the caller's clock, and the debts in it.
 *
 * @module
 */
import { Clock, Context, Duration, Effect, Layer, Option, Result } from "effect"
import { UnmatchedRefundMin } from "../../../src/core/UnmatchedRefundMin.ts"
import type { Address, PaidAt, PaymentId } from "../../../src/payments/domain/payment.ts"
import {
  type Caps,
  isExempt,
  type PaymentToRefund,
  type QueueName,
  type Refund,
  type RefundEvent,
  type RefundSignature,
  type RefundState,
  refundStateAfter,
  withinCaps,
} from "../../../src/payments/domain/refund.ts"
import { RefundQueue, type RefundTotals } from "../../../src/payments/refunds/Refunds.ts"
import {
  type RefundMove,
  RefundStore,
  type RefundVersion,
  UnreadableRefund,
} from "../../../src/payments/refunds/RefundStore.ts"
import { refundMoves } from "./moves.ts"

/** The owed payments: how a test fills a refund store and reads it. */
export class Debts extends Context.Service<Debts, {
  /** Makes a payment owed: its refund is queued, or queued again after it was cancelled. */
  readonly owe: (debt: Debt) => Effect.Effect<void>
  readonly read: (paymentId: PaymentId) => Effect.Effect<Owed>
  /** What a person does with a refund in `needs_review`. */
  readonly review: (paymentId: PaymentId, action: ReviewAction) => Effect.Effect<void>
  /** Moves the time of a signature back. */
  readonly age: (paymentId: PaymentId, by: Duration.Duration) => Effect.Effect<void>
}>()("tests/Debts") {}

export type Debt = PaymentToRefund & Pick<Refund, "paidTransaction"> & {
  /** `sales` when absent. */
  readonly queue?: QueueName
}

export type ReviewAction = "requeue" | "approve_amount" | "settle"

/** The states of a payment and its refund. */
export interface Owed {
  readonly payment: "refund_due" | "refunded" | "void"
  readonly refund: RefundState
  /** The position of the refund on the chain. */
  readonly at: Omit<PaidAt, "finality"> | null
}

/** A row with the columns of every state, as in the database. */
interface Stored extends Omit<Refund, "state" | "signed"> {
  readonly state: RefundState
  readonly signed: RefundSignature | null
  readonly leaseUntil: number | null
  readonly due: number
  readonly owedAt: number
  readonly signedAt: number | null
  readonly at: Owed["at"]
}

const hourMs = 3_600_000

const isOpen = (state: RefundState) =>
  state !== "confirmed" && state !== "cancelled" && state !== "settled_by_hand"

/** The rows, for a test that backs them up or corrupts them. */
export interface MemoryRefunds {
  readonly layer: Layer.Layer<RefundStore | RefundQueue | Debts>
  readonly rows: Map<PaymentId, Stored>
}

export function memoryRefunds(): MemoryRefunds {
  const rows = new Map<PaymentId, Stored>()
  const treasuries: Array<{ readonly treasury: Address; readonly after: bigint | null }> = []
  const currentRow = ({ paymentId, state, fence }: RefundVersion): Stored | null => {
    const row = rows.get(paymentId)
    return row?.state === state && row.fence === fence ? row : null
  }
  const atNow = <A>(body: (now: number) => A) => Effect.map(Clock.currentTimeMillis, body)

  const atNowWithMin = <A>(body: (now: number, min: bigint) => A) =>
    Effect.flatMap(UnmatchedRefundMin, (min) => atNow((now) => body(now, min)))

  const sums = (queue: QueueName, caps: Caps, except: PaymentId | null, now: number) => {
    const since = (ms: number, cap: bigint) =>
      unitsOf((row) =>
        row.queue === queue && row.paymentId !== except && !isExempt(row, cap) &&
        row.signedAt !== null && row.signedAt > now - ms
      )
    return { lastHour: since(hourMs, caps.perHour), lastDay: since(24 * hourMs, caps.perDay) }
  }
  const unitsOf = (matches: (row: Stored) => boolean) =>
    [...rows.values()].filter(matches).reduce((sum, { amount }) => sum + amount, 0n)

  const store = RefundStore.of({
    claimDue: (queue, lease, limit) =>
      atNowWithMin((now, min) =>
        [...rows.values()]
          .filter((row) =>
            row.queue === queue && !isDust(row, min) && isOpen(row.state) && row.due <= now &&
            (row.leaseUntil === null || row.leaseUntil <= now)
          )
          .sort((a, b) => a.due - b.due || (a.paymentId < b.paymentId ? -1 : 1))
          .slice(0, limit)
          .map((row) => {
            const claimed = {
              ...row,
              fence: row.fence + 1,
              leaseUntil: now + Duration.toMillis(lease),
            }
            rows.set(row.paymentId, claimed)
            return claimedOf(claimed)
          })
      ),
    sign: (at, signed, caps) =>
      atNow((now) => {
        const row = currentRow(at)
        if (row === null) return "lost"
        refuseIllegal(row.state, "sign")
        if (row.signed !== null && signed.validBefore <= row.signed.validBefore) {
          throw new Error("a refund can be signed again only with a later valid_before")
        }
        refuseOtherIdentity(row, signed)
        if (!withinCaps(row, sums(row.queue, caps, row.paymentId, now), caps)) return "over_caps"
        rows.set(row.paymentId, {
          ...{ ...row, signed, state: "signed", signedAt: now, transactionHint: null },
        })
        return "signed"
      }),
    move: (at, move) =>
      atNow((now) => {
        const row = currentRow(at)
        if (row === null) return false
        if (move.event !== "postpone") refuseIllegal(row.state, move.event)
        if (move.event === "cancel" && row.signed !== null) {
          throw new Error("a refund that was signed is never cancelled")
        }
        if (move.event === "confirm") refuseOtherIdentity(row, move)
        const state = move.event === "postpone" ? row.state : refundStateAfter[move.event]
        rows.set(row.paymentId, { ...row, state, leaseUntil: null, ...changesOf(row, move, now) })
        return true
      }),
    signedSums: (queue, caps, except) => atNow((now) => sums(queue, caps, except, now)),
    reserved: (except) =>
      Effect.sync(() =>
        unitsOf((row) =>
          row.paymentId !== except && isOpen(row.state) &&
          (row.queue === "sales" || row.state === "signed" || row.state === "broadcast")
        )
      ),
    blockRange: (treasury) =>
      Effect.sync(() => {
        const at = treasuries.findIndex((own) => own.treasury === treasury)
        const own = treasuries[at]
        return own === undefined
          ? Option.none()
          : Option.some({ after: own.after, through: treasuries[at + 1]?.after ?? null })
      }),
    addTreasury: (treasury, block) =>
      Effect.sync(() => {
        if (treasuries.some((own) => own.treasury === treasury)) return
        const last = treasuries.at(-1)
        const least = (last?.after ?? -1n) + 1n
        const after = last === undefined ? null : block > least ? block : least
        treasuries.push({ treasury, after })
      }),
  })
  const queue = RefundQueue.of({
    totals: atNowWithMin((now, min) =>
      totalsOf([...rows.values()].filter((row) => !isDust(row, min)), now)
    ),
  })

  const debts = Debts.of({
    owe: (debt) =>
      atNow((now) => {
        const known = rows.get(debt.paymentId)
        if (known === undefined) return void rows.set(debt.paymentId, newRow(debt, now))
        refuseIllegal(known.state, "queue")
        rows.set(debt.paymentId, { ...known, state: "queued", amountApproved: false })
      }),
    read: (paymentId) =>
      Effect.sync(() => {
        const row = rows.get(paymentId)
        const refund = row?.state ?? "queued"
        const payment = refund === "confirmed" || refund === "settled_by_hand"
          ? "refunded"
          : refund === "cancelled"
          ? "void"
          : "refund_due"
        return { payment, refund, at: row?.at ?? null }
      }),
    review: (paymentId, action) =>
      atNow((now) => {
        const row = rows.get(paymentId)
        if (row === undefined) throw new Error("no such refund")
        const event = action === "settle" ? "settle_by_hand" : "queue"
        refuseIllegal(row.state, event)
        rows.set(paymentId, {
          ...{ ...row, state: refundStateAfter[event], fence: row.fence + 1, leaseUntil: null },
          ...{ attempts: 0, due: now, lastReason: null },
          amountApproved: row.amountApproved || action === "approve_amount",
        })
      }),
    age: (paymentId, by) =>
      Effect.sync(() => {
        const row = rows.get(paymentId)
        if (row === undefined || row.signedAt === null) return
        rows.set(paymentId, { ...row, signedAt: row.signedAt - Duration.toMillis(by) })
      }),
  })
  const layer = Layer.mergeAll(
    Layer.succeed(RefundStore, store),
    Layer.succeed(RefundQueue, queue),
    Layer.succeed(Debts, debts),
  )
  return { layer, rows }
}

const isDust = ({ queue, state, amount }: Stored, min: bigint) =>
  queue === "unmatched" && state === "queued" && amount < min

/** The row as an open refund, or an error when it fits no state. */
function claimedOf(
  { state, signed, ...row }: Stored,
): Result.Result<Refund, UnreadableRefund> {
  if (state === "queued" || state === "needs_review") {
    return Result.succeed({ ...row, state, signed })
  }
  if (signed === null || (state !== "signed" && state !== "broadcast")) {
    return Result.fail(new UnreadableRefund({ paymentId: row.paymentId, state }))
  }
  return Result.succeed({ ...row, state, signed })
}

function newRow(debt: Debt, now: number): Stored {
  return {
    ...debt,
    ...{ queue: debt.queue ?? "sales", amountApproved: false },
    ...{ state: "queued", fence: 0, signed: null, transactionHint: null },
    ...{ attempts: 0, lastReason: null, at: null },
    ...{ leaseUntil: null, due: now, owedAt: now, signedAt: null },
  }
}

function changesOf(row: Stored, move: RefundMove, now: number): Partial<Stored> {
  switch (move.event) {
    case "broadcast": {
      const due = now + Duration.toMillis(move.retryAfter)
      return { transactionHint: move.transactionHint, lastReason: null, due }
    }
    case "confirm": {
      const { transaction, block, logIndex } = move.at
      return { at: { transaction, block, logIndex }, lastReason: null }
    }
    case "cancel":
      return { lastReason: move.reason }
    case "require_review":
      return { lastReason: move.reason, due: now + Duration.toMillis(move.retryAfter) }
    case "postpone":
      return {
        lastReason: move.reason,
        due: now + Duration.toMillis(move.retryAfter),
        attempts: row.attempts + (move.declined ? 1 : 0),
      }
  }
}

function totalsOf(rows: ReadonlyArray<Stored>, now: number) {
  const totals = new Map<string, RefundTotals>()
  for (const { queue, state, amount, owedAt } of rows) {
    const key = `${queue} ${state}`
    const total = totals.get(key) ?? { refunds: 0, amount: 0n, oldestAgoMs: 0 }
    totals.set(key, {
      ...{ queue, state },
      refunds: total.refunds + 1,
      amount: total.amount + amount,
      oldestAgoMs: Math.max(total.oldestAgoMs, now - owedAt),
    })
  }
  return [...totals.values()]
}

/** The database refuses the same move with a defect; here the domain's table does. */
function refuseIllegal(state: RefundState, event: RefundEvent): void {
  if (!refundMoves[state].includes(event)) {
    throw new Error(`a refund cannot ${event} when it is ${state}`)
  }
}

function refuseOtherIdentity(
  { signed }: Stored,
  { treasury, nonce }: Pick<RefundSignature, "treasury" | "nonce">,
): void {
  if (signed !== null && (signed.treasury !== treasury || signed.nonce !== nonce)) {
    throw new Error("the identity columns of a refund cannot change")
  }
}
