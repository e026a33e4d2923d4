/**
 * The port to the chain: the only witness of whether a payment was made.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Address, Bytes32, PaidAt, PaymentProof } from "./domain/payment.ts"

/** The transfer that would prove a payment. */
export interface ExpectedTransfer {
  readonly chainId: number
  readonly asset: Address
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly nonce: Bytes32
  /** Seconds since the Unix epoch. */
  readonly validBefore: bigint
  /** Where the facilitator says to look first; it is not believed. */
  readonly transactionHint: string | null
}

/** The chain cannot be read now. Nothing follows from it. */
export class ChainUnavailable
  extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", { reason: Schema.String }) {}

/** A transfer by authorization that the chain shows, whoever brought it there. */
export interface SeenTransfer {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly nonce: Bytes32
  readonly at: PaidAt
}

/** A stretch of safe blocks that was read whole. */
export interface ScannedBlocks {
  /** In the order of the chain. */
  readonly transfers: ReadonlyArray<SeenTransfer>
  /** The last block of the stretch: where the next one goes on. */
  readonly through: bigint
}

export class Chain extends Context.Service<Chain, {
  readonly paymentProof: (
    expected: ExpectedTransfer,
  ) => Effect.Effect<PaymentProof, ChainUnavailable>
  /**
   * Every transfer by authorization to `to` in the safe blocks after `after`, or in as many of them as
   * are read at once: `through` equals `after` when there is nothing new. A null `after` reads nothing
   * and gives the safe block to begin at.
   */
  readonly transfers: (query: {
    readonly asset: Address
    readonly to: Address
    readonly after: bigint | null
  }) => Effect.Effect<ScannedBlocks, ChainUnavailable>
  /**
   * True when the authorization's nonce is used or cancelled as of the newest block: a caller who
   * shows it now may have copied it from there.
   */
  readonly isNonceUsed: (
    asset: Address,
    from: Address,
    nonce: Bytes32,
  ) => Effect.Effect<boolean, ChainUnavailable>
  /** What an address holds of the asset, in whole units, as of the newest block. */
  readonly balanceOf: (
    asset: Address,
    holder: Address,
  ) => Effect.Effect<bigint, ChainUnavailable>
  /** True when the address is a contract, whose signatures only the chain can check (EIP-1271). */
  readonly hasCode: (address: Address) => Effect.Effect<boolean, ChainUnavailable>
}>()("bellwether/payments/Chain") {}
