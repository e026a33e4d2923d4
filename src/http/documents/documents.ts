/**
 * The documents about the service. They are built once from the catalog and the settings, each at its
 * first request, and have the same bytes on every replica.
 *
 * @module
 */
import { canonicalJson } from "../../signing/domain/canonicalJson.ts"
import { didDocument, jwkSet, type PublishedKeys } from "../../signing/domain/keys.ts"
import { prepared } from "../../core/domain/prepared.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type Answer, answer } from "../server/answer.ts"
import { type DocumentRow, documentRows, linkHeader, paths, textType } from "./addresses.ts"
import { agentCard, mcpServerCard } from "./cards.ts"
import { type CatalogOptions, wellKnownX402 } from "./catalog.ts"
import { contactText, indexText, quickstartTexts, skillText } from "./docs.ts"
import { llmsFullText, type LlmsOptions, llmsText } from "./llms.ts"
import { openApiText } from "./openapi.ts"
import { apiCatalog, expiryAt, icon, robotsText, securityText } from "./wellKnown.ts"

/** As RFC 9727 asks. */
const linksetType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

interface DocumentOptions extends CatalogOptions, LlmsOptions {
  /** The contact: a `mailto:` or `https:` address. */
  readonly contact: string
  /** The keys of offers and receipts. */
  readonly keys: PublishedKeys
}

/** Every document, by its path. */
export type Documents = ReadonlyMap<string, () => Answer>

type DocumentId = Exclude<typeof documentRows[number]["id"], "discovery">

/** The documents of a service but /discovery, which reads its query. They share one rate limit. */
export function documents(options: DocumentOptions, now: () => EpochMs): Documents {
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
    well_known_x402: () => JSON.stringify(wellKnownX402(options)),
  }
  const made = (body: () => string, contentType: string) => {
    const headers = [linkHeader(publicBaseUrl)]
    return prepared(() => answer({ body: body(), contentType, cache: "document", headers }))
  }
  const security = prepared((expires: string) =>
    made(() => securityText({ publicBaseUrl, contact }, expires), textType)()
  )
  return new Map([
    ...documentRows.filter((row) => row.id !== "discovery").flatMap((row) => {
      const { id, path, type, aliases = [] }: DocumentRow & { readonly id: DocumentId } = row
      const document = made(bodies[id], type)
      return [path, ...aliases].map((path) => [path, document] as const)
    }),
    ...quickstartTexts(packages).map(([path, text, type]) =>
      [path, made(() => text, type)] as const
    ),
    [paths.apiCatalog, made(() => JSON.stringify(apiCatalog(publicBaseUrl)), linksetType)],
    [paths.did, made(() => canonicalJson(didDocument(keys)), "application/did+json")],
    [paths.jwks, made(() => canonicalJson(jwkSet(keys)), "application/jwk-set+json")],
    [paths.robots, made(() => robotsText(publicBaseUrl), textType)],
    [paths.security, () => security(expiryAt(now()))],
    [paths.icon, () => icon],
  ])
}
