/**
 * The 402 response: what a product costs and how to call it.
 *
 * @module
 */
import { Schema } from "effect"
import { Base64 } from "effect/encoding"
import { bazaar, paymentIdentifier, type ResourceKind } from "./bazaar.ts"
import { usd } from "../../../core/domain/money.ts"
import type { Product } from "../../../catalog/domain/product.ts"
import { type PaymentRequirements, type PaymentTerms, requirements, v1Networks } from "./terms.ts"
import { toolUrl } from "../../../catalog/domain/skill.ts"

/** The path of the service's icon. */
export const iconPath = "/favicon.svg"

interface Challenge {
  readonly header: string
  readonly body: typeof ChallengeBody.Type
}

/** The body of a 402: a summary of its header for people. */
export const ChallengeBody = Schema.Struct({
  x402Version: Schema.Literal(2),
  error: Schema.String,
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: Schema.Literal("exact"),
    network: Schema.String,
    asset: Schema.Literal("USDC"),
    price: Schema.String,
    payTo: Schema.String,
    mimeType: Schema.Literal("application/json"),
  })),
  terms: Schema.String,
  hint: Schema.String,
}).annotate({ identifier: "PaymentChallenge" })

/** The 402 body of x402 version 1, whose reference client reads no header. */
export const ChallengeV1Body = Schema.Struct({
  x402Version: Schema.Literal(1),
  error: Schema.String,
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: Schema.Literal("exact"),
    network: Schema.String,
    maxAmountRequired: Schema.String,
    resource: Schema.String,
    description: Schema.String,
    mimeType: Schema.Literal("application/json"),
    payTo: Schema.String,
    maxTimeoutSeconds: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    asset: Schema.String,
    extra: Schema.Struct({ name: Schema.String, version: Schema.String }),
  })),
}).annotate({ identifier: "PaymentRequiredV1" })

/** Recommends a key, where it does not make the header longer. */
export const keyHint =
  "Send an Idempotency-Key of your own with the payment (16 to 128 letters, digits, - or _). The " +
  "same request with the same key is charged once, also with a new signature, and a lost answer " +
  "is returned again."

/** The error of a 402 when the request has no payment. */
const paymentRequiredError = "Payment required"

/** The 402 as x402 defines it: the header over HTTP, plain JSON elsewhere. */
interface PaymentRequired {
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

export function paymentRequired(
  product: Product,
  terms: PaymentTerms,
  { error = paymentRequiredError, resource = "http" }: {
    readonly error?: string
    readonly resource?: ResourceKind
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

/** The 402 of a product: the x402 form as header, and a summary as body. */
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
      hint: keyHint,
    },
  }
}

/**
 * The 402 of version 1. It does not state the payment flow. Null when version 1 has no name for the
 * network.
 */
export function challengeV1(
  product: Product,
  terms: PaymentTerms,
  error: string = paymentRequiredError,
): typeof ChallengeV1Body.Type | null {
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
