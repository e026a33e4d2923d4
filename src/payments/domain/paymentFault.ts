/**
 * What is wrong with a payment that is not taken: a word for each cause that a buyer can act on.
 *
 * @module
 */
import { Schema } from "effect"

const paymentFaults = [
  /** It cannot be read. */
  "malformed",
  "invalid_network",
  "invalid_amount",
  /** It was made for other terms than ours: scheme, token, payee, flow or resource. */
  "invalid_terms",
  "invalid_signature",
  /** Its times do not let it be settled now. */
  "expired",
  /** Its nonce is spent: by a payment, or by cancelling it. */
  "nonce_used",
  "insufficient_funds",
  /** A facilitator will not have it, and says so in a word that we do not know. */
  "refused",
  /** It expired, or was spent elsewhere, while it was being settled. */
  "not_settled",
] as const
export const PaymentFault = Schema.Literals(paymentFaults)
export type PaymentFault = typeof PaymentFault.Type

/** The words in which facilitators refuse: the reference one's, and the simulated one's. */
const words: ReadonlyMap<string, PaymentFault> = new Map<string, PaymentFault>([
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

/** What a facilitator's word of refusal means. */
export function faultOf(word: string): PaymentFault {
  return words.get(word) ?? "refused"
}
