/**
 * The payer proof: the payer signs a fixed text with the key of the payment (EIP-191 personal
 * message). It fetches the answer of a payment that was sent without a key.
 *
 * The text contains the payment id, so that a proof is for one payment, and the address of the
 * service, so that a proof that was sent to another service is worth nothing here.
 *
 * @module
 */
import type { PaymentId } from "./payment.ts"

/** The name of the x402 extension that carries the proof: `{ "signature": "0x..." }`. */
export const payerProofExtension = "payer-proof"

/** The text that the payer signs. `publicBaseUrl` is the service's, without a trailing slash. */
export function payerProofText(
  paymentId: PaymentId | typeof idPlaceholder,
  publicBaseUrl: string,
): string {
  return `Fetch the answer of payment ${paymentId} from ${publicBaseUrl}`
}

/** Stands for the payment id in a document. */
export const idPlaceholder = "{paymentId}"
