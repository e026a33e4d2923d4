/**
 * The port to the stored payment channels. Every change is made in one transaction on the channel's
 * row, so the calls on one channel are decided one after the other, by `decide` of the domain.
 *
 * @module
 */
import { Context, type Duration, type Effect, type Option } from "effect"
import type { Bytes32, PaymentId, Signature } from "../domain/payment.ts"
import type {
  Channel,
  ChannelConfig,
  ChannelLimits,
  ChannelOffer,
  ChannelOnChain,
  Decision,
} from "./domain/channel.ts"

/** A call that wants to buy, with its voucher. */
export interface ChannelClaim extends ChannelOffer {
  readonly channelId: Bytes32
  readonly saleId: PaymentId
  readonly voucher: Signature
  readonly lease: Duration.Duration
}

/** What a call decided, with the channel after it. */
export interface Decided {
  readonly decision: Decision
  readonly channel: Channel
}

/** How a cooperative refund begins. */
export type RefundStart =
  | { readonly start: "begun"; readonly channel: Channel }
  | { readonly start: "busy"; readonly waitMs: number }
  | { readonly start: "mismatch"; readonly channel: Channel }

export class ChannelStore extends Context.Service<ChannelStore, {
  readonly find: (channelId: Bytes32) => Effect.Effect<Option.Option<Channel>>
  /**
   * Stores what the chain shows, and inserts a channel that is not known; its charges so far are
   * those that the chain has claimed. `newest` and `safe` are read as of these blocks.
   */
  readonly observe: (
    channelId: Bytes32,
    config: ChannelConfig,
    chain: { readonly newest: ChannelOnChain; readonly safe: ChannelOnChain },
  ) => Effect.Effect<Channel>
  /** Decides about a call, and inserts its sale when it may be sold. Dies for an unknown channel. */
  readonly claim: (claim: ChannelClaim, limits: ChannelLimits) => Effect.Effect<Decided>
  /** Stores the answer of a sale; false when another call has replaced it. */
  readonly answer: (
    saleId: PaymentId,
    body: Uint8Array,
    depositTransaction: string | null,
  ) => Effect.Effect<boolean>
  /** Forgets a sale without an answer: nothing was charged. */
  readonly release: (saleId: PaymentId) => Effect.Effect<void>
  /** Charges an answer, because it was delivered. Does nothing when it is charged already. */
  readonly deliver: (saleId: PaymentId) => Effect.Effect<void>
  /**
   * Reserves a channel for a refund with the chain's nonce: nothing is sold until it has ended. The
   * refund's voucher has the ceiling `charged`, or that of an answer which it acknowledges.
   */
  readonly beginRefund: (
    channelId: Bytes32,
    ceiling: bigint,
    limits: ChannelLimits,
  ) => Effect.Effect<RefundStart>
  /** Ends a refund that the facilitator has declined. */
  readonly cancelRefund: (channelId: Bytes32) => Effect.Effect<void>
  /** Channels with unclaimed charges, those that were read longest ago first. */
  readonly unclaimed: (limit: number) => Effect.Effect<ReadonlyArray<Channel>>
  /** What all channels have charged and not claimed, with their open sales. */
  readonly total: Effect.Effect<bigint>
  readonly claimSent: (channelIds: ReadonlyArray<Bytes32>) => Effect.Effect<void>
  /** Deletes sales a day after their end; their channels keep what was charged. */
  readonly prune: Effect.Effect<void>
}>()("bellwether/payments/ChannelStore") {}
