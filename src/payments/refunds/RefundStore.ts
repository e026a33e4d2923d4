/**
 * The refund worker's store: one row per refund, and every move is a compare-and-set on it.
 *
 * The database queues a refund in the statement that makes its payment owed. A claim leases a row
 * on the store's clock and increases its fence. A worker whose lease expired, and whose refund
 * another worker claimed, can no longer move the row. The move that confirms or cancels a refund
 * also makes its payment refunded or void, in the same transaction.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option, type Result, Schema } from "effect"
import type { Address, Bytes32, PaidAt, PaymentId } from "../domain/payment.ts"
import {
  type BlockRange,
  type Caps,
  type QueueName,
  type Refund,
  type RefundSignature,
  RefundState,
  type SignedSums,
} from "../domain/refund.ts"

/** The version of a row that a worker has read. A move fails when the row has changed since. */
export interface RefundVersion {
  readonly paymentId: PaymentId
  readonly state: RefundState
  readonly fence: number
}

/**
 * A leased row that fits no state. It contains no signature, because a signature in a log could
 * move money.
 */
export class UnreadableRefund extends Schema.TaggedError<UnreadableRefund>()("UnreadableRefund", {
  paymentId: Schema.String,
  state: RefundState,
}) {
  override get message() {
    return `The row of refund ${this.paymentId} fits no state`
  }
}

export type RefundMove =
  /** The facilitator reports that it submitted the refund to the chain. */
  | {
    readonly event: "broadcast"
    readonly transactionHint: string
    readonly retryAfter: Duration.Duration
  }
  /**
   * `treasury` and `nonce` fill the row when the chain shows the refund as paid but the row has no
   * signature, for example because the store was restored from a backup.
   */
  | {
    readonly event: "confirm"
    readonly treasury: Address
    readonly nonce: Bytes32
    readonly at: PaidAt
  }
  | { readonly event: "cancel"; readonly reason: string }
  /** Due again after `retryAfter`, but only to check whether it was paid on the chain. */
  | {
    readonly event: "require_review"
    readonly reason: string
    readonly retryAfter: Duration.Duration
  }
  /** Not a state change: the row is due again after `retryAfter`. */
  | {
    readonly event: "postpone"
    readonly reason: string
    readonly retryAfter: Duration.Duration
    /** True when the facilitator declined it. */
    readonly declined: boolean
  }

export class RefundStore extends Context.Service<RefundStore, {
  /**
   * Leases due refunds of a queue, the longest overdue first; none under `UnmatchedRefundMin`. Each refund is leased to one caller at
   * a time, until its lease expires or it is moved. A refund in `needs_review` is included, because
   * the chain may have paid it meanwhile. An unreadable row is leased and returned too, so that it
   * does not block the others.
   */
  readonly claimDue: (
    queue: QueueName,
    lease: Duration.Duration,
    limit: number,
  ) => Effect.Effect<ReadonlyArray<Result.Result<Refund, UnreadableRefund>>>
  /**
   * Stores a signature before it leaves the worker, unless the sum of all signatures of the queue
   * would exceed the caps. Only one worker at a time can do this. The lease does not end.
   */
  readonly sign: (
    refund: RefundVersion & Pick<Refund, "queue" | "amount" | "amountApproved">,
    signed: RefundSignature,
    caps: Caps,
  ) => Effect.Effect<"signed" | "lost" | "over_caps">
  /** Makes one move and ends the lease; false when the row has changed since `version` was read. */
  readonly move: (version: RefundVersion, move: RefundMove) => Effect.Effect<boolean>
  /**
   * What was signed in a queue, each refund counted by its newest signature, without the refund of
   * `except` and those that are exempt from a cap.
   */
  readonly signedSums: (
    queue: QueueName,
    caps: Caps,
    except: PaymentId | null,
  ) => Effect.Effect<SignedSums>
  /**
   * Atomic units that an unmatched refund must leave in the treasury: what sales may still have to
   * refund, and the unmatched refunds that are signed and not confirmed, without that of `except`.
   */
  readonly reserved: (except: PaymentId) => Effect.Effect<bigint>
  /**
   * The blocks whose payments this treasury refunds; none while the store does not know the
   * treasury.
   */
  readonly blockRange: (treasury: Address) => Effect.Effect<Option.Option<BlockRange>>
  /**
   * Adds a treasury. It refunds the payments in blocks after `block`, and the range of the previous
   * treasury ends there. The first treasury refunds all payments. Does nothing when the store knows
   * the treasury.
   */
  readonly addTreasury: (treasury: Address, block: bigint) => Effect.Effect<void>
}>()("bellwether/payments/RefundStore") {}
