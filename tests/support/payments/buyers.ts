/**
 * Buyers with real keys, who sign real EIP-3009 authorizations.
 *
 * @module
 */
import { Effect } from "effect"
import { type LocalAccount, privateKeyToAccount } from "viem/accounts"
import { type Authorization, Signature } from "../../../src/payments/domain/payment.ts"
import type { PaymentPayload } from "../../../src/payments/domain/x402/paymentPayload.ts"
import { token } from "./terms.ts"

/** The n-th buyer: the same key in every run. */
export function buyer(n: number): LocalAccount {
  return privateKeyToAccount(buyerKey(n))
}

/** The private key of the n-th buyer. */
export function buyerKey(n: number): `0x${string}` {
  return `0x${(n + 1).toString(16).padStart(64, "0")}`
}

export const transferTypes = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" },
  ],
} as const

/** The payer's EIP-712 signature. */
export const sign = (
  account: LocalAccount,
  message: Authorization,
): Effect.Effect<Signature> =>
  Effect.map(
    Effect.promise(() =>
      account.signTypedData({
        domain: {
          name: token.name,
          version: token.version,
          chainId: token.chainId,
          verifyingContract: token.asset,
        },
        types: transferTypes,
        primaryType: "TransferWithAuthorization",
        message,
      })
    ),
    (signature) => Signature.make(signature),
  )

/** A decoded payment, as the paywall passes it on. */
export function payloadOf(authorization: Authorization, signature: Signature): PaymentPayload {
  return {
    scheme: null,
    network: null,
    accepted: null,
    authorization,
    signature,
    resourceUrl: null,
    identifier: null,
  }
}
