/**
 * The port to an x402 facilitator, who checks payments and brings them to the chain.
 *
 * Whatever it says is a hint: only the chain changes a payment's state. Whatever it does not say
 * clearly (a time-out, a 5xx, HTML, `settlement_pending`) is `unknown`, never a failure.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { Authorization, Signature, TokenDomain } from "./domain/payment.ts"
import type { PaymentRequirements } from "./domain/x402/terms.ts"

/** A payment and what was asked for it: everything a facilitator needs, rebuilt from checked values. */
export interface FacilitatorRequest {
  readonly token: TokenDomain
  readonly authorization: Authorization
  readonly signature: Signature
  readonly requirements: PaymentRequirements
}

export type VerifyOutcome =
  | { readonly outcome: "valid" }
  /** `reason` is the facilitator's word, at most 100 printable characters. */
  | { readonly outcome: "invalid"; readonly reason: string }
  | { readonly outcome: "unknown"; readonly reason: string }

export type SettleOutcome =
  /** It says that this transaction settled the payment. */
  | { readonly outcome: "settled"; readonly transaction: string }
  /** It says that it did not and will not settle it. */
  | { readonly outcome: "declined"; readonly reason: string }
  | { readonly outcome: "unknown"; readonly reason: string }

export class Facilitator extends Context.Service<Facilitator, {
  readonly name: string
  readonly verify: (request: FacilitatorRequest) => Effect.Effect<VerifyOutcome>
  /** Safe to call again with the same authorization: its nonce is used at most once. */
  readonly settle: (request: FacilitatorRequest) => Effect.Effect<SettleOutcome>
}>()("bellwether/payments/Facilitator") {}
