/**
 * The refund worker's store: one row a refund, every arrow one compare-and-set on it.
 *
 * Refunds are queued by the database, in the statement that makes a payment owed. A claim leases a row
 * on the store's own clock and raises its fence, so that a worker whose lease ran out, and whose refund
 * another one has claimed, can no longer move the row. With the arrow that confirms or cancels a refund,
 * and in the same transaction, its payment becomes refunded or void.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option, type Result, Schema } from "effect"
import type { Address, Bytes32, PaidAt, PaymentId } from "../domain/payment.ts"
import {
  type Caps,
  type Refund,
  type RefundSignature,
  RefundState,
  type SignedSums,
  type Term,
} from "../domain/refund.ts"

/** The row as a worker has read it: nothing moves unless it still is so. */
export interface HeldRefund {
  readonly paymentId: PaymentId
  readonly state: RefundState
  readonly fence: number
}

/** A refund under a lease. */
export type ClaimedRefund = Refund & {
  readonly fence: number
  /** Seconds since the epoch at which it was first owed, on the store's clock. */
  readonly owedAtSeconds: bigint
  /** Where the chain showed the payment when it was owed; a hint. */
  readonly paidTransaction: string | null
  /** The transaction a facilitator named for the refund; a hint. */
  readonly transactionHint: string | null
  /** Why it did not move when it was last worked on. */
  readonly lastReason: string | null
}

/** A row under a lease that fits no state. What it tells is no secret: a signature moves money. */
export class UnreadableRefund extends Schema.TaggedError<UnreadableRefund>()("UnreadableRefund", {
  paymentId: Schema.String,
  state: RefundState,
}) {
  override get message() {
    return `The row of refund ${this.paymentId} fits no state`
  }
}

export type RefundMove =
  /** The facilitator says that it brought the refund to the chain. */
  | {
    readonly event: "broadcast"
    readonly transactionHint: string
    readonly again: Duration.Duration
  }
  /** `treasury` and `nonce` are those of a refund that was paid before its row knew. */
  | {
    readonly event: "confirm"
    readonly treasury: Address
    readonly nonce: Bytes32
    readonly at: PaidAt
  }
  | { readonly event: "cancel"; readonly reason: string }
  /** Due again after `again`, but only for the chain's word. */
  | { readonly event: "stick"; readonly reason: string; readonly again: Duration.Duration }
  /** Not an arrow: the row stays, and is due again after `again`. */
  | {
    readonly event: "postpone"
    readonly reason: string
    readonly again: Duration.Duration
    /** True when a facilitator declined it. */
    readonly declined: boolean
  }

export class RefundStore extends Context.Service<RefundStore, {
  /**
   * Leases refunds that are due to be worked on, longest due first. Each of them to one caller at a
   * time, until its lease runs out or it is moved; `needs_review` is among them, for the chain may have
   * paid them after all. One that cannot be read is leased and given too: it holds up no other.
   */
  readonly claimDue: (
    lease: Duration.Duration,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Result.Result<ClaimedRefund, UnreadableRefund>>>
  /**
   * Stores a signature before it leaves the worker, unless the sum of all signed would go over the
   * caps: that is decided for one signature at a time, among all workers. The lease goes on.
   */
  readonly sign: (
    held: HeldRefund,
    signed: RefundSignature,
    caps: Caps,
  ) => Effect.Effect<"signed" | "lost" | "over_caps">
  /** Makes one move and ends the lease; false when the row is not, or no longer, as `held` says. */
  readonly move: (held: HeldRefund, move: RefundMove) => Effect.Effect<boolean>
  /** What was signed for the other refunds: each of them by its newest signature. */
  readonly signedForOthers: (paymentId: PaymentId) => Effect.Effect<SignedSums>
  /** The blocks whose payments this treasury pays back; none while the store does not know it. */
  readonly term: (treasury: Address) => Effect.Effect<Option.Option<Term>>
  /**
   * Makes this treasury the one for payments in later blocks than `block`, and ends the term of the one
   * before it; the first is for all payments. Nothing changes when the store knows it.
   */
  readonly enter: (treasury: Address, block: bigint) => Effect.Effect<void>
}>()("bellwether/payments/RefundStore") {}
