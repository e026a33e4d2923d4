/**
 * What we say in x402: the terms of payment, the 402 challenge, the receipt.
 *
 * @module
 */
import { Base64 } from "effect/encoding"
import { bazaar, type CalledAs, paymentIdentifier } from "./bazaar.ts"
import { usd } from "./money.ts"
import { address, type TokenDomain } from "./payment.ts"
import type { Product } from "./product.ts"
import { skillName } from "./skill.ts"

/** How we are paid, and where we are: what every challenge says beside the product. */
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

/** Where the mark of the service is. */
export const iconPath = "/favicon.svg"

/** Largest PAYMENT-REQUIRED header: Node's fetch dies above 16 KiB of headers in all. */
export const challengeHeaderLengthMax = 4_000

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
    extra: product.order === "settle-early" ? { ...extra, paymentFlow: "upfront" } : extra,
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

/** A 402, as header value and as body. */
export interface Challenge {
  readonly header: string
  readonly body: ChallengeBody
}

export interface ChallengeBody {
  readonly x402Version: 2
  readonly error: string
  readonly accepts: ReadonlyArray<{
    readonly scheme: "exact"
    readonly network: string
    readonly asset: "USDC"
    readonly price: string
    readonly payTo: string
    readonly mimeType: "application/json"
  }>
  readonly terms: string
}

/** How x402 version 1 names the networks it knows. */
export const v1Networks: Readonly<Record<number, string>> = { 8453: "base", 84532: "base-sepolia" }

/** The 402 body of x402 version 1, whose stock buyer reads no header. */
export interface ChallengeV1Body {
  readonly x402Version: 1
  readonly error: string
  readonly accepts: ReadonlyArray<{
    readonly scheme: "exact"
    readonly network: string
    readonly maxAmountRequired: string
    readonly resource: string
    readonly description: string
    readonly mimeType: "application/json"
    readonly payTo: string
    readonly maxTimeoutSeconds: number
    readonly asset: string
    readonly extra: { readonly name: string; readonly version: string }
  }>
}

/** What a 402 says when no payment was shown. */
export const paymentRequiredError = "Payment required"

/** The address of a product as a tool of MCP. */
export function toolUrl(product: Product): string {
  return `mcp://tool/${skillName(product)}`
}

/** The protocol's own 402, which every buyer reads: the header over HTTP, plain JSON elsewhere. */
export interface PaymentRequired {
  readonly x402Version: 2
  readonly error: string
  readonly resource: {
    readonly url: string
    readonly description: string
    readonly mimeType: "application/json"
    readonly serviceName: string
    readonly tags: ReadonlyArray<string>
    readonly iconUrl: string
  }
  readonly accepts: readonly [PaymentRequirements]
  readonly extensions: Readonly<Record<string, unknown>>
}

/** What a product costs and how it is paid, in the protocol's own form. */
export function paymentRequired(
  product: Product,
  terms: PaymentTerms,
  { error = paymentRequiredError, resource = "http" }: {
    readonly error?: string
    readonly resource?: CalledAs
  } = {},
): PaymentRequired {
  return {
    x402Version: 2,
    error,
    resource: {
      url: resource === "mcp" ? toolUrl(product) : `${terms.publicBaseUrl}${product.path}`,
      description: product.description,
      mimeType: "application/json",
      serviceName: terms.serviceName,
      tags: product.tags,
      iconUrl: `${terms.publicBaseUrl}${iconPath}`,
    },
    accepts: [requirements(product, terms)],
    extensions: {
      bazaar: bazaar(product, resource),
      "payment-identifier": paymentIdentifier,
    },
  }
}

/** The 402 for a product: the protocol's own form for the header, the simplified one for the body. */
export function challenge(
  product: Product,
  terms: PaymentTerms,
  error: string = paymentRequiredError,
): Challenge {
  const header = paymentRequired(product, terms, { error })
  return {
    header: Base64.encode(JSON.stringify(header)),
    body: {
      x402Version: 2,
      error,
      accepts: [{
        scheme: "exact",
        network: header.accepts[0].network,
        asset: "USDC",
        price: `$${usd(product.price)}`,
        payTo: terms.payTo,
        mimeType: "application/json",
      }],
      terms: `${terms.publicBaseUrl}/terms.txt`,
    },
  }
}

/** The 402 of version 1, which has no word for the flow; null where it has none for the network. */
export function challengeV1(
  product: Product,
  terms: PaymentTerms,
  error: string = paymentRequiredError,
): ChallengeV1Body | null {
  const network = v1Networks[terms.chainId]
  return network === undefined ? null : {
    x402Version: 1,
    error,
    accepts: [{
      scheme: "exact",
      network,
      maxAmountRequired: product.price.toString(),
      resource: `${terms.publicBaseUrl}${product.path}`,
      description: product.description,
      mimeType: "application/json",
      payTo: terms.payTo,
      maxTimeoutSeconds: terms.maxTimeoutSeconds,
      asset: terms.asset,
      extra: { name: terms.tokenName, version: terms.tokenVersion },
    }],
  }
}

/** The receipt of a payment, for PAYMENT-RESPONSE. */
export function receiptHeader(receipt: {
  readonly payer: string
  readonly transaction: string
  readonly network: string
}): string {
  return Base64.encode(JSON.stringify({ success: true, ...receipt }))
}
