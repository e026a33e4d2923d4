/**
 * What we say in x402: the terms of payment, the 402 challenge, the receipt.
 *
 * @module
 */
import { Base64 } from "effect/encoding"
import { usd } from "./money.ts"
import { address, type TokenDomain } from "./payment.ts"
import type { Parameter, Product } from "./product.ts"

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

/** The 402 for a product: the protocol's own form for the header, the simplified one for the body. */
export function challenge(
  product: Product,
  terms: PaymentTerms,
  error: string = paymentRequiredError,
): Challenge {
  const accepted = requirements(product, terms)
  const header = {
    x402Version: 2,
    error,
    resource: {
      url: `${terms.publicBaseUrl}${product.path}`,
      description: product.description,
      mimeType: "application/json",
      serviceName: terms.serviceName,
      tags: product.tags,
    },
    accepts: [accepted],
    extensions: { bazaar: bazaar(product), "payment-identifier": paymentIdentifier },
  }
  return {
    header: Base64.encode(JSON.stringify(header)),
    body: {
      x402Version: 2,
      error,
      accepts: [{
        scheme: "exact",
        network: accepted.network,
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

const draft = "https://json-schema.org/draft/2020-12/schema"

const paymentIdentifier = {
  info: { required: false },
  schema: {
    $schema: draft,
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
    },
    required: ["required"],
  },
}

/** How the route is called, in the form x402 catalogs index. */
function bazaar(product: Product) {
  const queryParams = Object.fromEntries(
    product.parameters.map((parameter) => [parameter.name, schemaOf(parameter)]),
  )
  const required = product.parameters.flatMap((row) => row.required === true ? [row.name] : [])
  return {
    info: {
      input: { type: "http", method: "GET", queryParams: exampleOf(product.parameters) },
      output: { type: "json" },
    },
    schema: {
      $schema: draft,
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: ["GET"] },
            queryParams: { type: "object", properties: queryParams, required },
          },
          required: ["type", "method"],
          additionalProperties: false,
        },
      },
      required: ["input"],
    },
  }
}

function schemaOf(
  { type, description, minimum, maximum, default: fallback, values, pattern }: Parameter,
) {
  return {
    type,
    description,
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(values === undefined ? {} : { enum: values }),
    ...(pattern === undefined ? {} : { pattern }),
  }
}

function exampleOf(parameters: ReadonlyArray<Parameter>) {
  return Object.fromEntries(
    parameters.flatMap(({ name, default: fallback, example = fallback }) =>
      example === undefined ? [] : [[name, example]]
    ),
  )
}
