/**
 * The documents about the service. They are built once from the catalog and the settings, each at its
 * first request, and have the same bytes on every replica.
 *
 * @module
 */
import { Result } from "effect"
import { canonicalJson } from "../../signing/domain/canonicalJson.ts"
import { didDocument, jwkSet, type PublishedKeys } from "../../signing/domain/keys.ts"
import { sampleAt } from "../../catalog/domain/sample.ts"
import { prepared } from "../../core/domain/prepared.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type Answer, answer } from "../server/answer.ts"
import { wrongQuery } from "../server/errors.ts"
import type { RouteResult } from "../server/route.ts"
import {
  type DocumentRow,
  documentRows,
  jsonType,
  linkHeader,
  paths,
  textType,
} from "./addresses.ts"
import { agentCard, mcpServerCard } from "./cards.ts"
import { type CatalogOptions, catalogPages, wellKnownX402 } from "./catalog.ts"
import { contactText, indexText, quickstartTexts } from "./docs.ts"
import { llmsFullText, type LlmsOptions, llmsText } from "./llms.ts"
import { openApiText } from "./openapi.ts"
import { skillText } from "./skill.ts"
import { apiCatalog, icon, robotsText, securityText } from "./wellKnown.ts"

interface DocumentOptions extends CatalogOptions, LlmsOptions {
  /** The contact: a `mailto:` or `https:` address. */
  readonly contact: string
  /** The keys of offers and receipts. */
  readonly keys: PublishedKeys
}

/** Every document, by its path. */
export type Documents = ReadonlyMap<string, () => Answer>

type DocumentId = typeof documentRows[number]["id"]

/** The documents of a service. They share one rate limit. */
export function documents(options: DocumentOptions): Documents {
  const { terms: { publicBaseUrl }, contact, keys, packages } = options
  const bodies: Readonly<Record<DocumentId, () => string>> = {
    open_api: () => openApiText(options),
    llms_full_text: () => llmsFullText(options),
    llms_text: () => llmsText(options),
    docs: () => indexText(publicBaseUrl),
    contact: () => contactText(publicBaseUrl, contact),
    skill: () => skillText(publicBaseUrl),
    agent_card: () => JSON.stringify(agentCard(options)),
    mcp_server_card: () => JSON.stringify(mcpServerCard(options)),
    discovery: () =>
      JSON.stringify(Result.getOrThrow(catalogPages(options)(new URLSearchParams()))),
    well_known_x402: () => JSON.stringify(wellKnownX402(options)),
    api_catalog: () => JSON.stringify(apiCatalog(publicBaseUrl)),
    did: () => canonicalJson(didDocument(keys)),
  }
  const made = (body: () => string, contentType: string) => {
    const headers = [linkHeader(publicBaseUrl)]
    return prepared(() => answer({ body: body(), contentType, cache: "document", headers }))
  }
  return new Map([
    ...documentRows.flatMap((row: DocumentRow & { readonly id: DocumentId }) => {
      const document = made(bodies[row.id], row.type)
      return [row.path, ...row.aliases ?? []].map((path) => [path, document] as const)
    }),
    ...quickstartTexts(packages).map(([path, text, type]) =>
      [path, made(() => text, type)] as const
    ),
    [paths.jwks, made(() => canonicalJson(jwkSet(keys)), "application/jwk-set+json")],
    [paths.robots, made(() => robotsText(publicBaseUrl), textType)],
    [paths.security, made(() => securityText({ publicBaseUrl, contact }, sampleAt), textType)],
    [paths.icon, () => icon],
  ])
}

/** The documents that depend on the query or on the time; without either they are `fixed`. */
export function dynamicDocuments(
  options: DocumentOptions,
  fixed: Documents,
  now: () => EpochMs,
): ReadonlyMap<string, (url: string) => RouteResult> {
  const { terms: { publicBaseUrl }, contact } = options
  // Each is made for one request, so it would be compressed for one request.
  const made = (body: string, contentType: string) =>
    answer({ body, contentType, cache: "document", compress: false })
  const pageOf = catalogPages(options)
  const listing = (url: string) => {
    const at = url.indexOf("?")
    if (at < 0) return fixed.get(paths.discovery)?.() ?? null
    return Result.match(pageOf(new URLSearchParams(url.slice(at + 1))), {
      onSuccess: (page) => made(JSON.stringify(page), jsonType),
      onFailure: wrongQuery,
    })
  }
  return new Map<string, (url: string) => RouteResult>([
    [paths.discovery, listing],
    [paths.discoveryResources, listing],
    [paths.security, () => made(securityText({ publicBaseUrl, contact }, now()), textType)],
  ])
}
