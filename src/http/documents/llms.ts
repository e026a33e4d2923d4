/**
 * /llms.txt: the service in a page, in the form of llmstxt.org. Sections hold lists of links and
 * nothing else, as its reference parser wants it.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { usd } from "../../core/domain/money.ts"
import { type Product, products } from "../../catalog/domain/product.ts"
import { second } from "../../core/domain/time.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Budget } from "../server/limits.ts"
import { description, paths } from "./addresses.ts"
import { parameterLine } from "./calls.ts"

interface LlmsOptions {
  readonly terms: PaymentTerms
  readonly paymentMode: "live" | "simulated"
  readonly limits: { readonly free: Budget }
}

/** What the mode of payments means to a reader. */
export const modeNotes = {
  live: "Payments are real: USDC on the network that the 402 names.",
  simulated: "Payments are simulated here: signatures are checked, and no money moves.",
} as const

/** The page, as text. */
export function llmsText({ terms, paymentMode, limits }: LlmsOptions): string {
  const { publicBaseUrl, serviceName } = terms
  const link = (name: string, path: string, note: string) =>
    `- [${name}](${publicBaseUrl}${path}): ${note}`
  const free = [freeRows.index, freeRows.pulse, freeRows.digest_brief, freeRows.track_record]
    .map(({ path, title }) => link(`GET ${path}`, path, title))
  return [
    `# ${serviceName}`,
    "",
    `> ${description}. JSON over HTTP, x402 version 2, USDC on ` +
    `eip155:${terms.chainId}. No account, no API key.`,
    "",
    `- Base address: ${publicBaseUrl}. ${modeNotes[paymentMode]}`,
    `- Start free: poll \`GET ${freeRows.index.path}\` about every 10 minutes. When \`index\` has ` +
    `moved, buy \`GET ${products.signals.path}\` with \`since\` set to the last index you saw.`,
    ...(limits.free === "off" ? [] : [
      `- Free calls: ${limits.free.limit} in ${limits.free.windowMs / second} seconds for each ` +
      "address, all of them together; then 429 with Retry-After.",
    ]),
    "- Pay: call without a payment; the 402's `PAYMENT-REQUIRED` header (base64 JSON) says what it " +
    "costs. Sign the one entry of `accepts`, and send the same request again with " +
    "`PAYMENT-SIGNATURE`. `PAYMENT-RESPONSE` is the receipt.",
    "- An error or an empty answer is not charged, or is refunded: `charged` says which.",
    "- Informational only; not financial advice.",
    "",
    "## Free",
    "",
    ...free,
    link(`GET ${freeRows.sample.path}`, freeRows.sample.path, freeRows.sample.title),
    "",
    "## Paid",
    "",
    ...Object.values(products).map((product) =>
      link(`GET ${product.path}`, product.path, paidNote(product))
    ),
    "",
    "## Machine interfaces",
    "",
    link("OpenAPI 3.1", paths.openApi, "every path, shape and price"),
    link("Catalog", paths.discovery, "what is sold, as readers of the x402 Bazaar want it"),
    link("A2A agent card", paths.agentCard, `protocol 0.3.0, JSON-RPC at ${paths.a2a}`),
    link("MCP", paths.mcpCard, `the same skills as tools, over streamable HTTP: POST ${paths.mcp}`),
    "",
    "## Optional",
    "",
    link("Full text", paths.llmsFull, "how to pay, every call with an example, errors, limits"),
    link("Terms", freeRows.terms_text.path, "what paying accepts"),
    link("Health", freeRows.health.path, "liveness and payment mode"),
    link("Family", freeRows.family.path, "sibling products"),
    "",
  ].join("\n")
}

function paidNote({ price, title, parameters }: Product): string {
  const query = parameters.length === 0
    ? ""
    : `. Query: ${parameters.map(parameterLine).join("; ")}`
  return `$${usd(price)}. ${title}${query}`
}
