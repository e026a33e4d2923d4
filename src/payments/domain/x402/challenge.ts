/**
 * The 402: what a product costs and how it is called, as every buyer reads it.
 *
 * @module
 */
import { Schema } from "effect"
import { Base64 } from "effect/encoding"
import { bazaar, type CalledAs, paymentIdentifier } from "./bazaar.ts"
import { usd } from "../../../core/domain/money.ts"
import type { Product } from "../../../catalog/domain/product.ts"
import { type PaymentRequirements, type PaymentTerms, requirements, v1Networks } from "./terms.ts"
import { toolUrl } from "../../../catalog/domain/skill.ts"

/** Where the mark of the service is. */
export const iconPath = "/favicon.svg"

/** A 402, as header value and as body. */
interface Challenge {
  readonly header: string
  readonly body: typeof ChallengeBody.Type
}

/** The body of a 402: a summary of its header, for people. */
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
}).annotate({ identifier: "PaymentChallenge" })

/** The 402 body of x402 version 1, whose stock buyer reads no header. */
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

/** What a 402 says when no payment was shown. */
const paymentRequiredError = "Payment required"

/** The protocol's own 402, which every buyer reads: the header over HTTP, plain JSON elsewhere. */
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
