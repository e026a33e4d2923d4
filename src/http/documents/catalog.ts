/**
 * The x402 catalogs of paid calls: /discovery for readers of the Bazaar, and /.well-known/x402 for
 * crawlers, which read either its addresses or its items.
 *
 * @module
 */
import { resendRule } from "../../catalog/domain/refusal.ts"
import { Result } from "effect"
import { paymentRequired } from "../../payments/domain/x402/challenge.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { usd, usdDecimals } from "../../core/domain/money.ts"
import { decodeQuery } from "../../catalog/domain/parameter.ts"
import { type Product, products, productsChangedAt } from "../../catalog/domain/product.ts"
import { operationId, skillName } from "../../catalog/domain/skill.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { prepared } from "../../core/domain/prepared.ts"
import { type Answer, answer } from "../server/answer.ts"
import { type PreparedRefusal, wrongQuery } from "../server/errors.ts"
import { queryIn } from "../server/route.ts"
import { paymentsPrefix } from "../paywall/paymentStatus.ts"
import { description, linkHeader, listingParameters, paths } from "./addresses.ts"

export interface CatalogOptions {
  readonly terms: PaymentTerms
  readonly version: string
  /** The contact: a `mailto:` or `https:` address. */
  readonly contact: string
  readonly paymentMode: "live" | "simulated"
  /** How long an answer waits for its buyer before it is refunded. */
  readonly answerSeconds: number
}

/** One product as a Bazaar item, with its names in this service as metadata. */
function itemOf(product: Product, terms: PaymentTerms) {
  const { resource: { url, ...described }, accepts, extensions } = paymentRequired(product, terms)
  return {
    resource: url,
    type: "http",
    x402Version: 2,
    accepts,
    lastUpdated: productsChangedAt,
    ...described,
    extensions,
    metadata: {
      method: "GET",
      path: product.path,
      operationId: operationId(product),
      skill: skillName(product),
      title: product.title,
      settlement: product.settlementOrder,
      price: { amount: usd(product.price), currency: "USD" },
      answerSize: sizeOf(product),
    },
  }
}

/** The size of an answer: of half of the answers, and of 99 of 100. */
function sizeOf({ answerBytes: { p50, p99 } }: Product) {
  const tokens = (bytes: number) => Math.ceil(bytes / bytesPerToken)
  return { bytesP50: p50, bytesP99: p99, tokensP50: tokens(p50), tokensP99: tokens(p99) }
}

/** Of JSON, about. */
const bytesPerToken = 3

/** Every product, in the order of the table. */
export function catalogItems(terms: PaymentTerms): ReadonlyArray<ReturnType<typeof itemOf>> {
  return Object.values(products).map((product: Product) => itemOf(product, terms))
}

const readListing = decodeQuery(listingParameters)

/** The answer of /discovery to a URL: one page of the items, with the facts about the service. */
export function discovery(options: CatalogOptions): (url: string) => Answer | PreparedRefusal {
  const items = catalogItems(options.terms)
  const about = serviceOf(options)
  const page = (limit: number, offset: number) =>
    answer({
      body: JSON.stringify({
        success: true,
        x402Version: 2,
        ...about,
        items: items.slice(offset, offset + limit),
        pagination: { limit, offset, total: items.length },
      }),
      cache: "document",
      headers: [linkHeader(options.terms.publicBaseUrl)],
    })
  const first = prepared(page)
  return (url) =>
    Result.match(readListing(queryIn(url)), {
      onSuccess: ({ limit, offset }) => offset === 0 ? first(limit, 0) : page(limit, offset),
      onFailure: wrongQuery,
    })
}

/** The facts about the service in /discovery: its addresses, its payment method, its free paths. */
function serviceOf({ terms, version, paymentMode, contact }: CatalogOptions) {
  const at = (path: string) => `${terms.publicBaseUrl}${path}`
  const network = `eip155:${terms.chainId}`
  return {
    service: {
      name: terms.serviceName,
      version,
      description,
      url: terms.publicBaseUrl,
      openapi: at(paths.openApi),
      llms: at(paths.llms),
      documentation: at(paths.llmsFull),
      agentCard: at(paths.agentCard),
      a2a: at(paths.a2a),
      mcp: at(paths.mcp),
      terms: at(freeRows.terms_text.path),
      health: at(freeRows.health.path),
      family: at(freeRows.family.path),
      icon: at(paths.icon),
      contact,
    },
    payment: {
      protocol: "x402",
      x402Version: 2,
      mode: paymentMode,
      challengeHeader: "PAYMENT-REQUIRED",
      paymentHeader: "PAYMENT-SIGNATURE",
      receiptHeader: "PAYMENT-RESPONSE",
      scheme: "exact",
      network,
      asset: { symbol: "USDC", address: terms.asset, decimals: usdDecimals },
      payTo: terms.payTo,
    },
    free: Object.values(freeRows).map(({ id, title, path, description }) => ({
      method: "GET",
      path,
      resource: at(path),
      title,
      description,
      operationId: operationId({ id }),
    })),
  }
}

/** /.well-known/x402: plain addresses for one kind of crawler, whole items for the other. */
export function wellKnownX402({ terms, contact, answerSeconds }: CatalogOptions) {
  const at = (path: string) => `${terms.publicBaseUrl}${path}`
  const items = catalogItems(terms)
  return {
    success: true,
    version: 1,
    x402Version: 2,
    name: terms.serviceName,
    description,
    resources: items.map(({ resource }) => resource),
    items,
    instructions: `Call a resource without a payment. The 402 has the current price. ` +
      `Sign the only entry of accepts in its PAYMENT-REQUIRED header (base64 JSON) and send the ` +
      `same request again with PAYMENT-SIGNATURE and an Idempotency-Key that you keep. ` +
      `${resendRule} Full documentation: ${at(paths.llmsFull)}`,
    openapi: at(paths.openApi),
    discovery: at(paths.discovery),
    terms: at(freeRows.terms_text.path),
    ...policies(answerSeconds),
    contact,
  }
}

const policyVersion = "0.2"
/** A day: most refunds are confirmed in minutes, and a person may have to fill the treasury. */
const refundSecondsMax = 86_400
/** As Retry-After of an outcome that is not known yet. */
const retrySeconds = 5

/**
 * What is promised after a payment, as x402-signals 0.2 has it. Its third block, `signals`, changes with
 * the health of payments and is left to /health.
 */
const policies = (answerSeconds: number) => ({
  fulfillment_policy: {
    version: policyVersion,
    mode: "instant",
    fulfillment_deadline_seconds: answerSeconds,
    status_endpoint: `${paymentsPrefix}{paymentId}`,
    retry_after_seconds: retrySeconds,
  },
  // The type is that of a delivered answer; without one, the payment goes back by itself and in full.
  refund_policy: {
    version: policyVersion,
    type: "none",
    refund_to: "original_payer",
    refund_endpoint: `${paymentsPrefix}{paymentId}`,
    refund_deadline_seconds: refundSecondsMax,
    partial_refunds_supported: false,
    idempotency_required: false,
    compensating_actions_optional: false,
    refund_policy_by_state: {
      FULFILLMENT_FAILED: {
        type: "automatic",
        triggers: ["fulfillment_failed", "upstream_timeout"],
      },
      EXPIRED: { type: "automatic", triggers: ["expired"] },
    },
  },
})
