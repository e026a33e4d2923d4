/**
 * The x402 catalogs of paid calls: /discovery for readers of the Bazaar, and /.well-known/x402 for
 * crawlers, which read either its addresses or its items.
 *
 * @module
 */
import { resendRule } from "../../catalog/domain/refusal.ts"
import { paymentRequired } from "../../payments/domain/x402/challenge.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { usd, usdDecimals } from "../../core/domain/money.ts"
import { version } from "../../core/domain/version.ts"
import { type Product, products, productsChangedAt } from "../../catalog/domain/product.ts"
import { operationId, skillName } from "../../catalog/domain/skill.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { queryIn } from "../server/route.ts"
import type { Site } from "../site.ts"
import { descriptionOf, paths } from "./addresses.ts"

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

/** /discovery: a page of the items, with the facts about the service. */
export function discovery(site: Site, { limit, offset }: Page) {
  const items = catalogItems(site.terms)
  return {
    success: true,
    x402Version: 2,
    ...serviceOf(site),
    items: items.slice(offset, offset + limit),
    pagination: { limit, offset, total: items.length },
  }
}

interface Page {
  readonly limit: number
  readonly offset: number
}

/** The page that a URL names: all items without one. A value that is no whole number is as good as none. */
export function pageIn(url: string): Page {
  const query = queryIn(url)
  const whole = (name: string, unset: number) =>
    /^\d{1,9}$/.test(query.get(name) ?? "") ? Number(query.get(name)) : unset
  return { limit: whole("limit", Object.keys(products).length), offset: whole("offset", 0) }
}

/** The facts about the service in /discovery: its addresses, its payment method, its free paths. */
function serviceOf(site: Site) {
  const { terms, paymentMode, contact } = site
  const at = (path: string) => `${terms.publicBaseUrl}${path}`
  const network = `eip155:${terms.chainId}`
  return {
    service: {
      name: terms.serviceName,
      version,
      description: descriptionOf(site),
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
export function wellKnownX402(site: Site) {
  const { terms, contact } = site
  const at = (path: string) => `${terms.publicBaseUrl}${path}`
  const items = catalogItems(terms)
  return {
    success: true,
    version: 1,
    x402Version: 2,
    name: terms.serviceName,
    description: descriptionOf(site),
    resources: items.map(({ resource }) => resource),
    items,
    instructions: `Call a resource without a payment. The 402 has the current price. ` +
      `Sign the only entry of accepts in its PAYMENT-REQUIRED header (base64 JSON) and send the ` +
      `same request again with PAYMENT-SIGNATURE and an Idempotency-Key that you keep. ` +
      `${resendRule} Full documentation: ${at(paths.llmsFull)}`,
    openapi: at(paths.openApi),
    discovery: at(paths.discovery),
    terms: at(freeRows.terms_text.path),
    contact,
  }
}
