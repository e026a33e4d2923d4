/**
 * The payment terms of tests, and payments in their wire form. No keys here.
 *
 * @module
 */
import { Base64 } from "effect/encoding"
import { address, type Authorization, Bytes32 } from "../../../src/payments/domain/payment.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import {
  base,
  type PaymentTerms,
  requirements,
  tokenOf,
} from "../../../src/payments/domain/x402/terms.ts"

/** The terms of the default, simulated mode. */
export const terms: PaymentTerms = {
  ...base.usdc,
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  maxTimeoutSeconds: 120,
  neededSeconds: 35,
  treasury: "0x5aFe5aFe5aFe5aFe5aFe5aFe5aFe5aFe5aFe5aFe",
  publicBaseUrl: "http://127.0.0.1:8402",
  serviceName: "Bellwether",
}

export const token = tokenOf(terms)

/** The n-th nonce: 32 bytes. */
export function nonce(n: number): Bytes32 {
  return Bytes32.make(`0x${(n + 1).toString(16).padStart(64, "0")}`)
}

/** The authorization that the reference client would sign for a product, with optional changes. */
export function authorizationFor(
  payer: { readonly address: string },
  product: Product,
  nowSeconds: number,
  changes: Partial<Authorization> = {},
): Authorization {
  return {
    from: address(payer.address),
    to: address(terms.payTo),
    value: product.price,
    validAfter: BigInt(nowSeconds - 600),
    validBefore: BigInt(nowSeconds + terms.maxTimeoutSeconds),
    nonce: nonce(0),
    ...changes,
  }
}

/** A payment in the reference client's wire form, as an object that a test may change. */
export function wirePayment(product: Product, authorization: Authorization, signature: string) {
  return {
    x402Version: 2,
    payload: {
      authorization: {
        from: authorization.from as string,
        to: authorization.to as string,
        value: authorization.value.toString(),
        validAfter: authorization.validAfter.toString(),
        validBefore: authorization.validBefore.toString(),
        nonce: authorization.nonce as string,
      },
      signature,
    },
    accepted: { ...requirements(product, terms) },
    resource: { url: `${terms.publicBaseUrl}${product.path}` },
  }
}

export function headerOf(wire: unknown): string {
  return Base64.encode(JSON.stringify(wire))
}
