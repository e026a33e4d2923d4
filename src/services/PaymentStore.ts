/**
 * The port to the memory of payments: one row a payment, every arrow one compare-and-set on it.
 *
 * Leases run on the store's own clock. A fence grows with every claim, so that whoever lost
 * a payment to a later claim can no longer move its row.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option } from "effect"
import type {
  Bytes32,
  PaidAt,
  PaymentId,
  PaymentState,
  PaymentTicket,
  StoredAnswer,
} from "../domain/payment.ts"

export interface Payment extends PaymentTicket {
  readonly state: PaymentState
  readonly fence: number
  /** Milliseconds until the lease runs out; zero or less when it has, or there is none. */
  readonly leaseLeftMs: number
  /** Hash of the secret the first caller showed; null when they showed none. */
  readonly secretHash: Bytes32 | null
  /** Milliseconds since the intent to settle was stored; null before. */
  readonly intendedAgoMs: number | null
  /** The transaction a facilitator named; a hint. */
  readonly transactionHint: string | null
  readonly paidAt: PaidAt | null
  readonly answer: StoredAnswer | null
  readonly sent: boolean
  readonly refund: RefundRow | null
}

export interface RefundRow {
  readonly state: "queued" | "signed" | "broadcast" | "confirmed" | "cancelled" | "stuck"
  readonly reason: string
  readonly transaction: string | null
}

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
  | { readonly event: "owe"; readonly reason: string; readonly paidAt: PaidAt | null }
  | { readonly event: "void"; readonly reason: string }

/** The row a caller believes in: nothing moves unless it still is so. */
export interface Held {
  readonly paymentId: PaymentId
  readonly state: PaymentState
  readonly fence: number
}

export interface ClaimResult {
  /** True when this call made the row. */
  readonly claimed: boolean
  readonly payment: Payment
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
   * Makes one move; none when the row is not, or no longer, as `held` says, or when an answer that was
   * handed over would be owed. A claim raises the fence.
   */
  readonly move: (held: Held, move: Move) => Effect.Effect<Option.Option<Payment>>
  /** Remembers that the answer was handed over on a live connection. */
  readonly markSent: (paymentId: PaymentId) => Effect.Effect<void>
  /**
   * Rows that wait for somebody, oldest first, at most `limit`: claimed, settling or settled with a
   * lease that ran out; unresolved; and after all of these, for they are many and nobody waits for
   * them, released and past validBefore (a facilitator has seen those, so the chain has the last
   * word on them).
   */
  readonly waiting: (
    nowSeconds: bigint,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Payment>>
  /** How many rows stand in each state. */
  readonly countByState: Effect.Effect<ReadonlyMap<PaymentState, number>>
}>()("bellwether/services/PaymentStore") {}
