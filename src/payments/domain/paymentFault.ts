/**
 * What is wrong with a payment that is not accepted: one code for each cause that a buyer can act
 * on.
 *
 * @module
 */
import { Schema } from "effect"

const paymentFaults = [
  /** It cannot be decoded. */
  "malformed",
  "invalid_network",
  "invalid_amount",
  /** It does not match our terms: scheme, token, payee, flow or resource. */
  "invalid_terms",
  "invalid_signature",
  /** It cannot be settled now, because of validAfter or validBefore. */
  "expired",
  /** Its nonce was used by a payment or a cancellation. */
  "nonce_used",
  "insufficient_funds",
  /** A facilitator refuses it with a reason that we do not know. */
  "refused",
  /** It expired, or its nonce was used elsewhere, during settlement. */
  "not_settled",
] as const
export const PaymentFault = Schema.Literals(paymentFaults)
export type PaymentFault = typeof PaymentFault.Type

/** The refusal reasons of the reference facilitator and of the simulated one. */
const faultByReason: ReadonlyMap<string, PaymentFault> = new Map<string, PaymentFault>([
  ["insufficient_funds", "insufficient_funds"],
  ["invalid_exact_evm_insufficient_balance", "insufficient_funds"],
  ["invalid_exact_evm_signature", "invalid_signature"],
  ["invalid_exact_evm_payload_signature", "invalid_signature"],
  ["invalid_exact_evm_failed_to_parse_signature", "invalid_signature"],
  ["invalid_exact_evm_valid_after", "expired"],
  ["invalid_exact_evm_valid_before", "expired"],
  ["invalid_exact_evm_payload_authorization_valid_after", "expired"],
  ["invalid_exact_evm_payload_authorization_valid_before", "expired"],
  ["authorization_used", "nonce_used"],
  ["invalid_exact_evm_nonce_already_used", "nonce_used"],
  ["invalid_network", "invalid_network"],
  ["invalid_exact_evm_network_mismatch", "invalid_network"],
  ["invalid_exact_evm_value", "invalid_amount"],
  ["invalid_exact_evm_authorization_value", "invalid_amount"],
  ["invalid_exact_evm_payload_authorization_value", "invalid_amount"],
  ["invalid_exact_evm_payload_authorization_value_mismatch", "invalid_amount"],
])

/** The fault for a facilitator's refusal reason; `refused` for a reason that we do not know. */
export function faultOf(reason: string): PaymentFault {
  return faultByReason.get(reason) ?? "refused"
}
