/**
 * How we are paid in x402: the terms of payment, what a product asks for, the receipt.
 *
 * @module
 */
import { Base64 } from "effect/encoding"
import { address, type TokenDomain } from "../payment.ts"
import type { Product } from "../../../catalog/domain/product.ts"

/** How we are paid, and where we are: what every challenge says together with the product. */
export interface PaymentTerms {
  readonly chainId: number
  /** The token, in the spelling buyers compare with (checksummed). */
  readonly asset: `0x${string}`
  readonly tokenName: string
  readonly tokenVersion: string
  readonly payTo: `0x${string}`
  readonly maxTimeoutSeconds: number
  /** Seconds that work and settlement may need: a payment that expires sooner is refused. */
  readonly neededSeconds: number
  /** Where refunds are paid from; like payTo, it never pays us. */
  readonly treasury: `0x${string}`
  /** Without a slash at the end. */
  readonly publicBaseUrl: string
  readonly serviceName: string
}

/** USDC on Base, as its contract and its EIP-712 domain are. */
export const usdcOnBase = {
  chainId: 8453,
  asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  tokenName: "USD Coin",
  tokenVersion: "2",
} as const

export interface PaymentRequirements {
  readonly scheme: "exact"
  readonly network: `eip155:${number}`
  readonly amount: string
  readonly asset: string
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly extra: {
    readonly name: string
    readonly version: string
    readonly paymentFlow?: "upfront"
  }
}

/** The one way to pay for a product. Compute-first must not name a flow: buyers refuse words they do not know. */
export function requirements(product: Product, terms: PaymentTerms): PaymentRequirements {
  const extra = { name: terms.tokenName, version: terms.tokenVersion }
  return {
    scheme: "exact",
    network: `eip155:${terms.chainId}`,
    amount: product.price.toString(),
    asset: terms.asset,
    payTo: terms.payTo,
    maxTimeoutSeconds: terms.maxTimeoutSeconds,
    extra: product.settlementOrder === "settle-early"
      ? { ...extra, paymentFlow: "upfront" }
      : extra,
  }
}

export function tokenOf(terms: PaymentTerms): TokenDomain {
  return {
    chainId: terms.chainId,
    asset: address(terms.asset),
    name: terms.tokenName,
    version: terms.tokenVersion,
  }
}

/** How x402 version 1 names the networks it knows. */
export const v1Networks: Readonly<Record<number, string>> = { 8453: "base", 84532: "base-sepolia" }

/** The receipt of a payment, for PAYMENT-RESPONSE. */
export function receiptHeader(receipt: {
  readonly payer: string
  readonly transaction: string
  readonly network: string
}): string {
  return Base64.encode(JSON.stringify({ success: true, ...receipt }))
}
