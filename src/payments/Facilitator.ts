/**
 * The port to an x402 facilitator, which verifies payments and submits them to the chain.
 *
 * Its responses are hints: only the chain changes a payment's state. Anything unclear (a timeout, a
 * 5xx, HTML, `settlement_pending`) is `unknown`, never a failure.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Authorization, Signature, TokenDomain } from "./domain/payment.ts"
import type { ListingVerdict } from "./domain/paymentHealth.ts"
import type { Listing } from "./domain/x402/challenge.ts"
import type { PaymentRequirements } from "./domain/x402/terms.ts"

/** Everything that a facilitator needs to know of a payment, rebuilt from checked values. */
export interface FacilitatorRequest {
  readonly token: TokenDomain
  readonly authorization: Authorization
  readonly signature: Signature
  readonly requirements: PaymentRequirements
  /** What a catalogue of the facilitator lists the product by; absent where nothing is sold. */
  readonly listing?: Listing
}

/** Nothing is known of the payment. `unanswered`: no x402 answer arrived, clear or not. */
interface Unknown {
  readonly outcome: "unknown"
  readonly reason: string
  readonly unanswered?: true
}

export type VerifyOutcome =
  | { readonly outcome: "valid" }
  /** `reason` comes from the facilitator: at most 100 printable characters. */
  | { readonly outcome: "invalid"; readonly reason: string }
  | Unknown

export type SettleOutcome =
  /** The facilitator reports that this transaction settled the payment. */
  | {
    readonly outcome: "settled"
    readonly transaction: string
    /** Absent when the facilitator has no catalogue, or says nothing. */
    readonly listed?: ListingVerdict
  }
  /** The facilitator reports that it did not and will not settle the payment. */
  | { readonly outcome: "declined"; readonly reason: string }
  | Unknown

export class Facilitator extends Context.Service<Facilitator, {
  readonly name: string
  readonly verify: (request: FacilitatorRequest) => Effect.Effect<VerifyOutcome>
  /** Safe to call again with the same authorization: its nonce is used at most once. */
  readonly settle: (request: FacilitatorRequest) => Effect.Effect<SettleOutcome>
}>()("bellwether/payments/Facilitator") {}
