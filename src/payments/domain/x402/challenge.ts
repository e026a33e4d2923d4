/**
 * The 402 response: what a product costs and how to call it. Of its extensions, `bazaar` describes the
 * call in the form that x402 catalogs index, and `payment-identifier` lets a buyer identify its payment.
 *
 * @module
 */
import { Schema } from "effect"
import { Base64 } from "effect/encoding"
import { argumentsSchema, exampleOf, objectSchema } from "../../../catalog/domain/parameter.ts"
import { described, text } from "../../../core/domain/fields.ts"
import { usd } from "../../../core/domain/money.ts"
import { type Product, products } from "../../../catalog/domain/product.ts"
import type { SignedExtension } from "./offerReceipt.ts"
import { networkOf, type PaymentTerms, requirements, testNote } from "./terms.ts"
import { resendRule } from "../../../catalog/domain/refusal.ts"
import { skillName, toolUrl } from "../../../catalog/domain/skill.ts"

/** The path of the service's icon. */
export const iconPath = "/favicon.svg"

interface Challenge {
  readonly header: string
  readonly body: typeof ChallengeBody.Type
}

const versionText = "Version of the x402 protocol; no unit"
const errorText = "Why payment is required or was not accepted"
const schemeText = "The x402 scheme: exactly this amount"
const payToText = "Address that gets the payment"
const mimeTypeText = "Content type of the answer"

/** The body of a 402: a summary of its header for people. */
export const ChallengeBody = Schema.Struct({
  x402Version: described(Schema.Literal(2), versionText),
  error: text(errorText),
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: described(Schema.Literal("exact"), schemeText),
    network: text("As CAIP-2: eip155:8453 is Base"),
    asset: described(Schema.Literal("USDC"), "The token of the payment"),
    price: text("Price of the call in USD, such as $0.03"),
    payTo: text(payToText),
    mimeType: described(Schema.Literal("application/json"), mimeTypeText),
  })).annotate({
    description: "How to pay, for people; PAYMENT-REQUIRED has what to sign",
  }),
  terms: text("Address of the terms of service"),
  hint: text("How to pay once"),
  charged: Schema.optionalKey(described(Schema.Literal(false), "Nothing was taken for this call")),
}).annotate({ identifier: "PaymentChallenge" })

/** The 402 body of x402 version 1, whose reference client reads no header. */
export const ChallengeV1Body = Schema.Struct({
  x402Version: described(Schema.Literal(1), versionText),
  error: text(errorText),
  accepts: Schema.NonEmptyArray(Schema.Struct({
    scheme: described(Schema.Literal("exact"), schemeText),
    network: text("The network of the payment, by its name in x402 version 1"),
    maxAmountRequired: text("Price of the call in units of 0.000001 USDC"),
    resource: text("Address of the call"),
    description: text("What the call returns"),
    mimeType: described(Schema.Literal("application/json"), mimeTypeText),
    payTo: text(payToText),
    maxTimeoutSeconds: described(
      Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
      "Most seconds for which the signature may be valid",
    ),
    asset: text("Address of the USDC contract"),
    extra: Schema.Struct({
      name: text("The name in the token's EIP-712 domain"),
      version: text("The version in the token's EIP-712 domain"),
    }).annotate({ description: "What the signature needs to know of the token" }),
  })).annotate({ description: "The terms to sign" }),
}).annotate({ identifier: "PaymentRequiredV1" })

/** How to read the terms, and how to pay once, where it does not make the header longer. */
export const payHint =
  "The terms to sign are base64 JSON in the PAYMENT-REQUIRED header; a client of x402 version 1 adds " +
  "`?x402Version=1` and gets its terms in this body. Choose an Idempotency-Key (16 to 128 letters, digits, - or _), keep it, " +
  `and send it with the payment. ${resendRule}`

/** The error of a 402 when the request has no payment. */
const paymentRequiredError = "Payment required"

interface ChallengeOptions {
  /** Why a payment was not accepted. */
  readonly error?: string | undefined
  readonly resource?: ResourceKind
  /** The signed offer of the product; absent where the 402 is only described. */
  readonly offer?: SignedExtension | undefined
}

const resourceUrl = (product: Product, { publicBaseUrl }: PaymentTerms, kind: ResourceKind) =>
  kind === "mcp" ? toolUrl(product) : `${publicBaseUrl}${product.path}`

/** The 402 as x402 defines it: the header over HTTP, plain JSON elsewhere. */
export function paymentRequired(
  product: Product,
  terms: PaymentTerms,
  { error = paymentRequiredError, resource = "http", offer }: ChallengeOptions = {},
) {
  const extensions: Readonly<Record<string, unknown>> = {
    // A catalog reads the answer to a request without a payment. With a reason for the refusal,
    // and the offer, the header has no room for it.
    ...error === paymentRequiredError ? { bazaar: bazaar(product, resource) } : {},
    "payment-identifier": paymentIdentifier,
    ...offer,
  }
  return {
    x402Version: 2 as const,
    error,
    resource: {
      url: resourceUrl(product, terms, resource),
      description: product.description,
      mimeType: "application/json" as const,
      serviceName: terms.serviceName,
      tags: product.tags,
      iconUrl: `${terms.publicBaseUrl}${iconPath}`,
    },
    accepts: [requirements(product, terms)] as const,
    extensions,
  }
}

/** What a catalogue reads in a settled payment: the resource, and how to call it. */
export type Listing = Pick<ReturnType<typeof paymentRequired>, "resource" | "extensions">

export function listingOf(product: Product, terms: PaymentTerms): Listing {
  const { resource, extensions } = paymentRequired(product, terms)
  return { resource, extensions }
}

/** The 402 of a product over HTTP: the x402 form as header, and a summary as body. */
export function challenge(
  product: Product,
  terms: PaymentTerms,
  { error = paymentRequiredError, offer }: Omit<ChallengeOptions, "resource"> = {},
): Challenge {
  const required = paymentRequired(product, terms, { error, offer })
  return {
    header: Base64.encode(JSON.stringify(required)),
    body: {
      x402Version: 2,
      error,
      accepts: [{
        scheme: "exact",
        network: required.accepts[0].network,
        asset: "USDC",
        price: `$${usd(product.price)}`,
        payTo: terms.payTo,
        mimeType: "application/json",
      }],
      terms: `${terms.publicBaseUrl}/terms.txt`,
      hint: [testNote(terms.chainId) ?? [], payHint].flat().join(" "),
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
  { error = paymentRequiredError, resource = "http" }: ChallengeOptions = {},
): typeof ChallengeV1Body.Type | null {
  const network = networkOf(terms.chainId)?.v1Name
  return network === undefined ? null : {
    x402Version: 1,
    error,
    accepts: [{
      scheme: "exact",
      network,
      maxAmountRequired: product.price.toString(),
      resource: resourceUrl(product, terms, resource),
      // A tool's description is in tools/list already.
      description: resource === "mcp" ? product.title : product.description,
      mimeType: "application/json",
      payTo: terms.payTo,
      maxTimeoutSeconds: terms.maxTimeoutSeconds,
      asset: terms.asset,
      extra: { name: terms.tokenName, version: terms.tokenVersion },
    }],
  }
}

const jsonSchemaDialect = "https://json-schema.org/draft/2020-12/schema"

/** The extension with which a buyer identifies its payment, to fetch the answer again. */
const paymentIdentifier = {
  info: { required: false },
  schema: {
    type: "object",
    properties: {
      required: { type: "boolean" },
      id: { type: "string", minLength: 16, maxLength: 128, pattern: "^[a-zA-Z0-9_-]+$" },
    },
    required: ["required"],
  },
}

/** What every answer has. */
const successful = { type: "object", required: ["success"] }

/** What a product is offered as: an HTTP route or an MCP tool. */
type ResourceKind = "http" | "mcp"

/** The bazaar extension of a product. */
function bazaar(product: Product, resource: ResourceKind) {
  const { input, inputSchema } = resource === "http" ? httpInput(product) : mcpInput(product)
  const example = excerpts.get(product.id)
  return {
    info: { input, output: { type: "json", example } },
    schema: {
      $schema: jsonSchemaDialect,
      type: "object",
      properties: {
        input: { type: "object", ...inputSchema, additionalProperties: false },
        // /openapi.json has the schema of every answer: this header has no room for one.
        output: { type: "object", properties: { example: successful } },
      },
      required: ["input", "output"],
    },
  }
}

/**
 * Limits of the example answer, because a header has no room for a whole one: text length, and
 * fields per object at each depth.
 */
const excerptTextMax = 72
const excerptFieldsMax = [5, 2, 1] as const

/** Shortens a body: short values, the first entry of each list, nothing deep. */
function excerpt(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return value.length > excerptTextMax ? undefined : value
  if (typeof value !== "object") return value
  const fieldsMax = excerptFieldsMax[depth]
  if (value === null || fieldsMax === undefined) return undefined
  const short = Array.isArray(value)
    ? value.slice(0, 1).flatMap((row) => excerpt(row, depth) ?? [])
    : Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => {
        const short = excerpt(field, depth + 1)
        return short === undefined ? [] : [[name, short]]
      }).slice(0, fieldsMax),
    )
  return Object.keys(short).length === 0 ? undefined : short
}

const excerpts: ReadonlyMap<string, unknown> = new Map(
  Object.values(products).map(({ id, sample }) => [id, excerpt(sample)]),
)

function httpInput({ parameters }: Product) {
  return {
    input: { type: "http", method: "GET", queryParams: exampleOf(parameters) },
    inputSchema: {
      properties: {
        type: { type: "string", const: "http" },
        method: { type: "string", enum: ["GET"] },
        queryParams: objectSchema(parameters),
      },
      required: ["type", "method"],
    },
  }
}

function mcpInput(product: Product) {
  const toolName = skillName(product)
  return {
    input: {
      type: "mcp",
      toolName,
      transport: "streamable-http",
      inputSchema: argumentsSchema(product),
      example: exampleOf(product.parameters),
    },
    inputSchema: {
      properties: {
        type: { type: "string", const: "mcp" },
        toolName: { type: "string", const: toolName },
        transport: { type: "string", enum: ["streamable-http"] },
        inputSchema: { type: "object" },
        example: { type: "object" },
      },
      required: ["type", "toolName", "inputSchema"],
    },
  }
}
