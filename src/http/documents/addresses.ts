/**
 * The paths of all documents and the relations of links to them, for the documents themselves and
 * for the `Link` header.
 *
 * @module
 */
import { iconPath } from "../../payments/domain/x402/challenge.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import type { HeaderPair } from "../server/answer.ts"

/** The paths of the documents and of the two agent endpoints. */
export const paths = {
  openApi: "/openapi.json",
  /** The calls about the service, and everything else that /openapi.json leaves out. */
  openApiService: "/openapi/service.json",
  llms: "/llms.txt",
  llmsFull: "/llms-full.txt",
  discovery: "/discovery",
  discoveryResources: "/discovery/resources",
  x402: "/.well-known/x402",
  agentCard: "/.well-known/agent-card.json",
  /** The path of the card before A2A 0.3.0. */
  agentCardFormer: "/.well-known/agent.json",
  apiCatalog: "/.well-known/api-catalog",
  security: "/.well-known/security.txt",
  did: "/.well-known/did.json",
  jwks: "/.well-known/jwks.json",
  robots: "/robots.txt",
  sitemap: "/sitemap.xml",
  icon: iconPath,
  iconBitmap: "/favicon.ico",
  docs: "/docs",
  /** The prefix of the quickstarts. */
  quickstarts: "/docs/quickstart/",
  skill: "/docs/skill",
  /** Where hosts look for an Agent Skill. */
  skillFile: "/SKILL.md",
  contact: "/contact",
  a2a: "/a2a",
  mcp: "/mcp",
  mcpCard: "/mcp/server-card",
  /** The former path of the card, which some registries still read. */
  mcpCardFormer: "/.well-known/mcp/server-card.json",
  home: "/",
} as const

/** The service in one sentence. */
export const description =
  "Prediction-market intelligence for AI agents, paid per call: a feed of moves, whale entries and " +
  "predetermined outcomes, contested proposals, a digest every 4 hours, whale calibration, markets that resolve soon, and " +
  "reports on one market"

export const textType = "text/plain; charset=utf-8"
export const markdownType = "text/markdown; charset=utf-8"
const openApiType = "application/vnd.oai.openapi+json"

/** The links from the service's address to its descriptions (RFC 8631, 6903 and 8288). */
export const links = [
  { rel: "service-desc", path: paths.openApi, type: openApiType },
  { rel: "service-desc", path: paths.openApiService, type: openApiType },
  { rel: "service-doc", path: paths.llmsFull, type: textType },
  { rel: "help", path: paths.docs, type: markdownType },
  { rel: "describedby", path: paths.llms, type: textType },
  { rel: "service-meta", path: paths.agentCard, type: "application/json" },
  { rel: "service-meta", path: paths.x402, type: "application/json" },
  { rel: "service-meta", path: paths.discovery, type: "application/json" },
  { rel: "status", path: freeRows.health.path, type: "application/json" },
  { rel: "terms-of-service", path: freeRows.terms_text.path, type: textType },
] as const

/** The `Link` header with these relations. */
export function linkHeader(
  publicBaseUrl: string,
  rels: ReadonlyArray<typeof links[number]["rel"]> = links.map(({ rel }) => rel),
): HeaderPair {
  const described = links.filter(({ rel }) => rels.includes(rel)).map(
    ({ rel, path, type }) => `<${publicBaseUrl}${path}>; rel="${rel}"; type="${type}"`,
  )
  return [
    "link",
    [`<${publicBaseUrl}${paths.apiCatalog}>; rel="api-catalog"`, ...described].join(", "),
  ]
}
