/**
 * The port to the chain: the only witness of whether a payment was made.
 *
 * @module
 */
import { Context, type Effect, Schema } from "effect"
import type { Address, Bytes32, PaidAt } from "../domain/payment.ts"

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

export type PaymentProof =
  /** `AuthorizationUsed(from, nonce)` and, at the next log index, `Transfer(from, to, value)`. */
  | { readonly proof: "paid"; readonly at: PaidAt }
  /** Not seen; it may still come. */
  | { readonly proof: "not_yet" }
  /**
   * It never paid and never will: unused past validBefore on a safe block, or its nonce was spent on
   * a safe block by something else (a cancellation, another transfer).
   */
  | { readonly proof: "never"; readonly reason: "expired" | "spent_elsewhere" }

/** The chain cannot be read now. Nothing follows from it. */
export class ChainUnavailable
  extends Schema.TaggedError<ChainUnavailable>()("ChainUnavailable", { reason: Schema.String }) {}

export class Chain extends Context.Service<Chain, {
  readonly paymentProof: (
    expected: ExpectedTransfer,
  ) => Effect.Effect<PaymentProof, ChainUnavailable>
}>()("bellwether/services/Chain") {}
