/**
 * The port to a facilitator of payment channels. It submits transactions, and signs claims and
 * refunds with its key, the channels' `receiverAuthorizer`. Its responses are hints, as those of
 * `Facilitator.ts`.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Bytes32, Signature } from "../domain/payment.ts"
import type { ChannelRequirements } from "../domain/x402/terms.ts"
import type { SettleOutcome, VerifyOutcome } from "../Facilitator.ts"
import type { ChannelConfig } from "./domain/channel.ts"
import type { DepositAuthorization } from "./domain/channelPayload.ts"

/** A payer's deposit, with the voucher that came with it. */
interface ChannelDeposit {
  readonly type: "deposit"
  readonly config: ChannelConfig
  readonly channelId: Bytes32
  readonly ceiling: bigint
  readonly signature: Signature
  readonly amount: bigint
  readonly authorization: DepositAuthorization
}

/** A voucher, and the cumulative amount to claim with it. */
export interface ChannelClaimed {
  readonly config: ChannelConfig
  readonly ceiling: bigint
  readonly signature: Signature
  readonly claimed: bigint
}

/** What a facilitator submits. */
export type ChannelTransaction =
  | ChannelDeposit
  | { readonly type: "claim"; readonly claims: ReadonlyArray<ChannelClaimed> }
  /** Transfers everything that was claimed to the receiver. */
  | { readonly type: "settle"; readonly receiver: string; readonly token: string }
  /** Claims, and returns `amount` to the payer, in one transaction. */
  | {
    readonly type: "refund"
    readonly config: ChannelConfig
    readonly channelId: Bytes32
    readonly ceiling: bigint
    readonly signature: Signature
    readonly amount: bigint
    readonly nonce: bigint
    readonly claims: ReadonlyArray<ChannelClaimed>
  }

export class ChannelFacilitator extends Context.Service<ChannelFacilitator, {
  readonly verifyDeposit: (
    deposit: ChannelDeposit,
    requirements: ChannelRequirements,
  ) => Effect.Effect<VerifyOutcome>
  /** Safe to repeat: claims are cumulative, deposits and refunds have a nonce. */
  readonly submit: (
    transaction: ChannelTransaction,
    requirements: ChannelRequirements,
  ) => Effect.Effect<SettleOutcome>
}>()("bellwether/payments/ChannelFacilitator") {}
