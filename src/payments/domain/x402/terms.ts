/**
 * The x402 payment terms, the payment requirements of a product, and the receipt.
 *
 * @module
 */
import { Base64 } from "effect/encoding"
import { address, type TokenDomain } from "../payment.ts"
import type { Product } from "../../../catalog/domain/product.ts"

/** The payment terms and the address of the service. Every challenge contains them. */
export interface PaymentTerms {
  readonly chainId: number
  /** The token address with checksum, because buyers compare the spelling. */
  readonly asset: `0x${string}`
  readonly tokenName: string
  readonly tokenVersion: string
  readonly payTo: `0x${string}`
  readonly maxTimeoutSeconds: number
  /** Seconds that work and settlement may take. A payment that expires sooner is refused. */
  readonly neededSeconds: number
  /** The address that pays refunds. Like payTo, it is not accepted as a payer. */
  readonly treasury: `0x${string}`
  /** Without a trailing slash. */
  readonly publicBaseUrl: string
  readonly serviceName: string
}

/** Where payments are made: a chain and its USDC, with the name and version of its EIP-712 domain. */
export interface Network {
  /** For people. */
  readonly title: string
  /** In x402 version 1, and as the value of NETWORK. */
  readonly v1Name: string
  /** The money of a test network has no value. */
  readonly isTest: boolean
  readonly usdc: Pick<PaymentTerms, "chainId" | "asset" | "tokenName" | "tokenVersion">
}

/** Every network, by its chain id. */
export const networks = {
  8453: {
    title: "Base",
    v1Name: "base",
    isTest: false,
    usdc: {
      chainId: 8453,
      asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      tokenName: "USD Coin",
      tokenVersion: "2",
    },
  },
  84532: {
    title: "Base Sepolia, a test network",
    v1Name: "base-sepolia",
    isTest: true,
    usdc: {
      chainId: 84532,
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      tokenName: "USDC",
      tokenVersion: "2",
    },
  },
} as const satisfies Readonly<Record<number, Network>>

export const base: Network = networks[8453]

/** The network of a chain id; undefined for another chain. */
export const networkOf = (chainId: number): Network | undefined =>
  Object.values<Network>(networks).find(({ usdc }) => usdc.chainId === chainId)

/** What every text about payments says where their money has no value; null elsewhere. */
export function testNote(chainId: number): string | null {
  const network = networkOf(chainId)
  return network?.isTest === true
    ? `Payments are made on ${network.title}: its USDC has no value.`
    : null
}

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

type Priced = Pick<Product, "price" | "settlementOrder">

/**
 * How to pay for a product with one transfer. A compute-first product must not name a flow: buyers refuse
 * values that they do not know.
 */
export function requirements(product: Priced, terms: PaymentTerms): PaymentRequirements {
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

/** The value of the PAYMENT-RESPONSE header. */
export function receiptHeader(receipt: {
  readonly payer: string
  readonly transaction: string
  readonly network: string
}): string {
  return Base64.encode(JSON.stringify({ success: true, ...receipt }))
}
