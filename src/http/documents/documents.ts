/**
 * The documents about the service. They are built once from the catalog and the settings, and have
 * the same bytes on every replica.
 *
 * @module
 */
import { sampleAt } from "../../catalog/domain/sample.ts"
import { once } from "../../core/domain/once.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type Answer, answer } from "../server/answer.ts"
import { agentCard, mcpServerCard } from "./cards.ts"
import { linkHeader, paths, textType } from "./addresses.ts"
import { type CatalogOptions, discovery, wellKnownX402 } from "./catalog.ts"
import { docs } from "./docs.ts"
import { llmsFullText, type LlmsOptions, llmsText } from "./llms.ts"
import { apiCatalog, icon, keyDocuments, robotsText, securityText } from "./wellKnown.ts"
import type { PublishedKeys } from "../../signing/domain/keys.ts"
import type { RouteResult } from "../server/route.ts"
import { openApiDocuments } from "../openapi/openapi.ts"

interface DocumentOptions extends CatalogOptions, LlmsOptions {
  /** The contact: a `mailto:` or `https:` address. */
  readonly contact: string
  /** The keys of offers and receipts. */
  readonly keys: PublishedKeys
}

/** Every document, by its path; the long ones are made at their first request. */
export type Documents = ReadonlyMap<string, () => Answer>

/** The documents of a service. They share one rate limit. */
export function documents(options: DocumentOptions): Documents {
  const { publicBaseUrl } = options.terms
  const text = (body: string) =>
    answer({
      body,
      contentType: textType,
      cache: "document",
      headers: [linkHeader(publicBaseUrl)],
    })
  const page = text(llmsText(options))
  const catalog = discovery(options).whole
  const card = agentCardAnswer(options)
  const mcpCard = answer({ body: JSON.stringify(mcpServerCard(options)), cache: "document" })
  const made = (answers: Iterable<readonly [string, Answer]>) =>
    [...answers].map(([path, one]) => [path, () => one] as const)
  const others: ReadonlyArray<readonly [string, () => Answer]> = [
    ...made([[paths.home, page], [paths.llms, page]]),
    [paths.llmsFull, once(() => text(llmsFullText(options)))],
    ...made([
      [paths.discovery, catalog],
      [paths.discoveryResources, catalog],
      [paths.x402, wellKnownX402(options)],
      [paths.apiCatalog, apiCatalog(publicBaseUrl)],
      [paths.security, securityText(securityOptions(options), sampleAt)],
      ...keyDocuments(options.keys),
      [paths.robots, robotsText(publicBaseUrl)],
      [paths.icon, icon],
      [paths.agentCard, card],
      [paths.agentCardFormer, card],
      // The card names this address as the agent's, so GET on it returns the card.
      [paths.a2a, card],
      [paths.mcpCard, mcpCard],
      [paths.mcpCardFormer, mcpCard],
      ...docs({ publicBaseUrl, contact: options.contact, packages: options.packages }),
    ]),
  ]
  const openApi = once(() => openApiDocuments({ ...options, documents: new Map(others) }))
  const openApiAt = (path: string) =>
    once(() => answer({ body: openApi().get(path) ?? "", cache: "document" }))
  return new Map([
    ...others,
    [paths.openApi, openApiAt(paths.openApi)],
    [paths.openApiService, openApiAt(paths.openApiService)],
  ])
}

/** The agent card, which GET /a2a returns as well. */
function agentCardAnswer(options: Pick<DocumentOptions, "terms" | "version">): Answer {
  return answer({ body: JSON.stringify(agentCard(options)), cache: "document" })
}

/** The documents that depend on the query or on the time. */
export function dynamicDocuments(
  options: DocumentOptions,
  now: () => EpochMs,
): ReadonlyMap<string, (url: string) => RouteResult> {
  const filteredCatalog = discovery(options).filtered
  return new Map<string, (url: string) => RouteResult>([
    [paths.discovery, filteredCatalog],
    [paths.discoveryResources, filteredCatalog],
    [paths.security, () => securityText(securityOptions(options), now())],
  ])
}

const securityOptions = ({ terms: { publicBaseUrl }, contact }: DocumentOptions) => ({
  publicBaseUrl,
  contact,
})
