/**
 * The port to the stored payments: one row per payment, and every move is a compare-and-set on it.
 *
 * Leases run on the store's clock. A claim increases the fence, so a worker that lost a payment to
 * a later claim can no longer move its row.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option, type Result, Schema } from "effect"
import type {
  Address,
  Bytes32,
  PaidAt,
  Payment,
  PaymentId,
  PaymentState,
  PaymentTicket,
  StoredAnswer,
  TokenDomain,
  UnreadablePayment,
} from "./domain/payment.ts"
import type { AtomicAmount } from "../core/domain/money.ts"
import type { AuthorizedTransfer } from "./Chain.ts"

/** One move: its event, as in `domain/payment.ts`, and the values that it writes. */
export type Move =
  | {
    readonly event: "claim"
    readonly secretHash: Bytes32 | null
    /** Absent means none. */
    readonly keyHash?: Bytes32 | null
    readonly lease: Duration.Duration
  }
  | { readonly event: "release"; readonly reason: string }
  | {
    readonly event: "intend"
    /** The answer (compute-first); null when it is computed after settlement. */
    readonly answer: StoredAnswer | null
    readonly lease: Duration.Duration
  }
  | { readonly event: "doubt"; readonly reason: string; readonly transactionHint: string | null }
  | { readonly event: "settle"; readonly paidAt: PaidAt; readonly lease: Duration.Duration }
  /** `answer` is null when the intent already stored it. */
  | {
    readonly event: "answer"
    readonly answer: StoredAnswer | null
    readonly paidAt: PaidAt | null
  }
  /** Inserts the refund row in the same transaction, and deletes the answer. */
  | {
    readonly event: "owe"
    readonly reason: string
    readonly paidAt: PaidAt | null
    /** The amount that was transferred, when it differs from the payment's amount. */
    readonly paidAmount?: AtomicAmount
  }
  | { readonly event: "void"; readonly reason: string }

/** What the store knows of a payment and of its key. */
interface PaymentAndHolder {
  readonly payment: Option.Option<Payment>
  readonly holder: Option.Option<Payment>
}

/** A transfer to us that belongs to no request. */
export interface UnmatchedTransfer extends AuthorizedTransfer {
  readonly paymentId: PaymentId
  readonly token: TokenDomain
}

/** The account whose incoming transfers are scanned. */
export interface ScannedAccount {
  readonly chainId: number
  readonly asset: Address
  readonly payTo: Address
}

/** The blocks whose transfers were matched: `after` is exclusive, `through` inclusive. */
export interface ScannedRange {
  readonly after: bigint
  readonly through: bigint
}

export interface WaitingQuery {
  /**
   * `urgent`: rows whose worker or buyer is gone. `released`: payments that were not charged and
   * have expired. A facilitator may have seen them, so only the chain proves whether they were paid.
   */
  readonly kind: "urgent" | "released"
  readonly nowSeconds: bigint
  /** How long an answer may wait for delivery. */
  readonly answerWindow: Duration.Duration
  /** How many rows to skip: those that earlier rounds could not move. */
  readonly skip: number
  readonly limit: number
}

/** The defect of a write that the store refused because it accepts reads only: nothing has changed. */
export class StoreReadOnly extends Schema.TaggedError<StoreReadOnly>()("StoreReadOnly", {}) {}

/** A doubt whose reason starts so: the facilitator reports that it will not settle the payment. */
export const declined = "declined: "

export class PaymentStore extends Context.Service<PaymentStore, {
  /**
   * Inserts the row in `claimed` under a lease. None when the payment has a row, or while another
   * payment holds its key (`holdsKey`).
   */
  readonly claim: (
    ticket: PaymentTicket,
    secretHash: Bytes32 | null,
    lease: Duration.Duration,
    keyHash?: Bytes32 | null,
  ) => Effect.Effect<Option.Option<Payment>>
  readonly find: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
  /** A payment, and the other payment that holds this key; there is at most one. */
  readonly findWithKey: (
    paymentId: PaymentId,
    keyHash: Bytes32 | null,
  ) => Effect.Effect<PaymentAndHolder>
  /** The payment that holds this key or, when none does, the last one with it that is refunded. */
  readonly findByKey: (keyHash: Bytes32) => Effect.Effect<Option.Option<PaymentId>>
  /**
   * Moves a row that was read before. None when its state or fence has changed since, or when `owe`
   * finds an answer that is marked as delivered, or when `claim` finds that another payment holds
   * its key. A claim increases the fence.
   */
  readonly move: (row: Payment, move: Move) => Effect.Effect<Option.Option<Payment>>
  /** Marks the answer as delivered on an open connection. */
  readonly markSent: (paymentId: PaymentId) => Effect.Effect<void>
  /**
   * Rows without an active worker, oldest first. Urgent: claimed, settling or settled with an
   * expired lease; unresolved; answered and not delivered within `answerWindow`. Released: past
   * validBefore; the first to expire comes first.
   *
   * An unreadable row is returned as a failure, in its place in the order.
   */
  readonly waiting: (
    query: WaitingQuery,
  ) => Effect.Effect<ReadonlyArray<Result.Result<Payment, UnreadablePayment>>>
  /**
   * Inserts an unmatched transfer as refund_due; false when this payment already has a row, or was
   * delivered before the store was restored.
   */
  readonly insertUnmatched: (transfer: UnmatchedTransfer) => Effect.Effect<boolean>
  /** The blocks whose transfers were matched; none before the first scan. */
  readonly scanned: (account: ScannedAccount) => Effect.Effect<Option.Option<ScannedRange>>
  /**
   * Saves the last block whose transfers were matched. A lower block than the saved one changes
   * nothing. The first saved block is the start of the scan.
   */
  readonly saveScannedThrough: (account: ScannedAccount, block: bigint) => Effect.Effect<void>
  /**
   * The states of these payments. An unknown payment is not in the map; one that was delivered
   * before the store was restored is `answered`.
   */
  readonly states: (
    paymentIds: ReadonlyArray<PaymentId>,
  ) => Effect.Effect<ReadonlyMap<PaymentId, PaymentState>>
  /**
   * Atomic units that sales may still have to refund: refund_due payments, and settle-early payments
   * from their claim until they are answered. Unmatched transfers do not count until their
   * refund is signed: otherwise anyone could stop the sales with one large transfer. Nor does a
   * declined settlement until the chain shows it.
   */
  readonly liability: Effect.Effect<bigint>
}>()("bellwether/payments/PaymentStore") {}
