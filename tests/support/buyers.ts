/**
 * Buyers with real keys, who sign real EIP-3009 authorizations and show them in x402 headers.
 *
 * @module
 */
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { type LocalAccount, privateKeyToAccount } from "viem/accounts"
import { address, type Authorization, Bytes32, Signature } from "../../src/domain/payment.ts"
import type { Product } from "../../src/domain/product.ts"
import type { ShownPayment } from "../../src/domain/shownPayment.ts"
import { type PaymentTerms, requirements, tokenOf, usdcOnBase } from "../../src/domain/x402.ts"

/** Terms as the service has them in its default, simulated mode. */
export const terms: PaymentTerms = {
  ...usdcOnBase,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  maxTimeoutSeconds: 120,
  neededSeconds: 35,
  ours: ["0x209693bc6afc0c5328ba36faf03c514ef312287c"],
  publicBaseUrl: "http://127.0.0.1:8402",
  serviceName: "Bellwether",
}

export const token = tokenOf(terms)

/** The n-th buyer: the same key in every run. */
export function buyer(n: number): LocalAccount {
  return privateKeyToAccount(`0x${(n + 1).toString(16).padStart(64, "0")}`)
}

/** The n-th nonce: 32 bytes. */
export function nonce(n: number): Bytes32 {
  return Bytes32.make(`0x${(n + 1).toString(16).padStart(64, "0")}`)
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

/** What the reference buyer would sign for a product at a time, with changes where a test wants them. */
export function authorizationFor(
  account: LocalAccount,
  product: Product,
  nowSeconds: number,
  changes: Partial<Authorization> = {},
): Authorization {
  return {
    from: address(account.address),
    to: address(terms.payTo),
    value: product.price,
    validAfter: BigInt(nowSeconds - 600),
    validBefore: BigInt(nowSeconds + terms.maxTimeoutSeconds),
    nonce: nonce(0),
    ...changes,
  }
}

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

/** A payment as the paywall hands it on. */
export function shown(authorization: Authorization, signature: Signature): ShownPayment {
  return {
    x402Version: 2,
    scheme: null,
    network: null,
    accepted: null,
    authorization,
    signature,
    resourceUrl: null,
    identifier: null,
  }
}

/** A payment as the reference buyer puts it on the wire, as an object that a test may change. */
export function wirePayment(product: Product, authorization: Authorization, signature: string) {
  return {
    x402Version: 2,
    payload: {
      authorization: {
        from: authorization.from,
        to: authorization.to,
        value: authorization.value.toString(),
        validAfter: authorization.validAfter.toString(),
        validBefore: authorization.validBefore.toString(),
        nonce: authorization.nonce,
      },
      signature,
    },
    accepted: requirements(product, terms),
    resource: { url: `${terms.publicBaseUrl}${product.path}` },
  }
}

export function headerOf(wire: unknown): string {
  return Base64.encode(JSON.stringify(wire))
}
