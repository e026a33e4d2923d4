/**
 * The port to the stored payments: one row a payment, every arrow one compare-and-set on it.
 *
 * Leases run on the store's own clock. A fence grows with every claim, so that a worker
 * who lost a payment to a later claim can no longer move its row.
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
} from "./domain/payment.ts"
import type { AtomicAmount } from "../core/domain/money.ts"
import type { SeenTransfer } from "./Chain.ts"

/** One arrow, with what it writes. Its event is a key of the domain's table of moves. */
export type Move =
  | {
    readonly event: "claim"
    readonly secretHash: Bytes32 | null
    readonly lease: Duration.Duration
  }
  | { readonly event: "release"; readonly reason: string }
  | {
    readonly event: "intend"
    /** The answer's bytes (compute-first); null when they are computed after settlement. */
    readonly answer: StoredAnswer | null
    readonly lease: Duration.Duration
  }
  | { readonly event: "doubt"; readonly reason: string; readonly transactionHint: string | null }
  | { readonly event: "settle"; readonly paidAt: PaidAt; readonly lease: Duration.Duration }
  /** `answer` is null when the intent has stored it already. */
  | {
    readonly event: "answer"
    readonly answer: StoredAnswer | null
    readonly paidAt: PaidAt | null
  }
  /** Writes the refund row in the same transaction, and erases the answer. */
  | {
    readonly event: "owe"
    readonly reason: string
    readonly paidAt: PaidAt | null
    /** The sum that was paid, when it is not the amount of the payment. */
    readonly paidAmount?: AtomicAmount
  }
  | { readonly event: "void"; readonly reason: string }

export interface ClaimResult {
  /** True when this call made the row. */
  readonly claimed: boolean
  readonly payment: Payment
}

/** A transfer to us that no call goes with. */
export interface UnmatchedTransfer extends SeenTransfer {
  readonly paymentId: PaymentId
  readonly token: TokenDomain
}

/** Whose incoming transfers are scanned. */
export interface ScannedAccount {
  readonly chainId: number
  readonly asset: Address
  readonly payTo: Address
}

/** The blocks after the first, up to and with the last. */
export interface Scanned {
  readonly after: bigint
  readonly through: bigint
}

export interface WaitingQuery {
  readonly nowSeconds: bigint
  /** How long an answer may stay unsent. */
  readonly answerWindow: Duration.Duration
  /** How many to leave out, of those that could not be moved before. */
  readonly skip: number
  readonly limit: number
}

/** A stored row that fits no state. What it tells is no secret: a signature moves money. */
export class UnreadablePayment extends Schema.TaggedError<UnreadablePayment>()(
  "UnreadablePayment",
  { paymentId: Schema.String },
) {
  override get message() {
    return `The row of payment ${this.paymentId} fits no state`
  }
}

export class PaymentStore extends Context.Service<PaymentStore, {
  /** Makes the row in `claimed` under a lease, or returns the one that is there. Never both. */
  readonly claim: (
    ticket: PaymentTicket,
    secretHash: Bytes32 | null,
    lease: Duration.Duration,
  ) => Effect.Effect<ClaimResult>
  readonly find: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
  /**
   * Makes one move of a row that was read. None when its state or fence has changed since, or when `owe`
   * meets an answer that is marked as delivered. A claim raises the fence.
   */
  readonly move: (held: Payment, move: Move) => Effect.Effect<Option.Option<Payment>>
  /** Remembers that the answer was delivered on a live connection. */
  readonly markSent: (paymentId: PaymentId) => Effect.Effect<void>
  /**
   * Rows that wait for somebody, oldest first: claimed, settling or settled with a lease that ran out;
   * unresolved; answered, and not delivered within `hold`; and after all of these, for they are many
   * and no caller waits for them, released and past validBefore (a facilitator has seen those, so the
   * chain has the last word on them). One that cannot be read has its place among them.
   */
  readonly waiting: (
    query: WaitingQuery,
  ) => Effect.Effect<ReadonlyArray<Result.Result<Payment, UnreadablePayment>>>
  /** Inserts an unmatched transfer as refund_due; false when there is a row of this payment already. */
  readonly insertUnmatched: (transfer: UnmatchedTransfer) => Effect.Effect<boolean>
  /** The blocks whose transfers were matched with rows; none before the first scan. */
  readonly scanned: (account: ScannedAccount) => Effect.Effect<Option.Option<Scanned>>
  /** Remembers how far the chain was read; never goes back. What comes first is where it began. */
  readonly scannedThrough: (account: ScannedAccount, block: bigint) => Effect.Effect<void>
  /** How the payments stand that there are among these; the others are unknown. */
  readonly states: (
    paymentIds: ReadonlyArray<PaymentId>,
  ) => Effect.Effect<ReadonlyMap<PaymentId, PaymentState>>
  /**
   * Whole units that may still have to be refunded: owed, or of settle-early sales that are not
   * answered, from their claim on.
   */
  readonly liability: Effect.Effect<bigint>
  /** How many rows stand in each state. */
  readonly countByState: Effect.Effect<ReadonlyMap<PaymentState, number>>
}>()("bellwether/payments/PaymentStore") {}
