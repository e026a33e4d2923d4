/**
 * The paths of all documents and pages, and the table of the documents that links and lists name: for
 * /openapi.json, /llms.txt, /docs, the API catalog and the `Link` header.
 *
 * @module
 */
import { iconPath } from "../../payments/domain/x402/challenge.ts"
import { freeRows } from "../../catalog/domain/freeRow.ts"
import type { HeaderPair } from "../server/answer.ts"
import { simulationNotes, type Site } from "../site.ts"

/** The paths of the documents and of the two agent endpoints. */
export const paths = {
  openApi: "/openapi.json",
  llms: "/llms.txt",
  llmsFull: "/llms-full.txt",
  discovery: "/discovery",
  discoveryResources: "/discovery/resources",
  x402: "/.well-known/x402",
  agentCard: "/.well-known/agent-card.json",
  /** The path of the card before A2A 0.3.0. */
  agentCardFormer: "/.well-known/agent.json",
  agentSkills: "/.well-known/agent-skills/index.json",
  apiCatalog: "/.well-known/api-catalog",
  security: "/.well-known/security.txt",
  did: "/.well-known/did.json",
  jwks: "/.well-known/jwks.json",
  robots: "/robots.txt",
  sitemap: "/sitemap.xml",
  icon: iconPath,
  /** What browsers and listings request of themselves. */
  iconFormer: "/favicon.ico",
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
  /** What its owner publishes at the MCP registry. */
  mcpRegistry: "/mcp/server.json",
  /** The former path of the card, which some registries still read. */
  mcpCardFormer: "/.well-known/mcp/server-card.json",
  home: "/",
} as const

export const pagePaths = {
  home: paths.home,
  trackRecord: "/track-record",
  signals: "/signals",
  digest: "/digest",
  status: "/status",
  pricing: "/pricing",
  docs: paths.docs,
} as const

/** The pages of single markets: `/markets/{slug}`. */
export const marketsPrefix = "/markets/"

/** The service in one sentence. */
export const description =
  "Prediction-market intelligence for AI agents, paid per call: a feed of moves, whale entries and " +
  "predetermined outcomes, a digest every 4 hours, whale calibration, markets that resolve soon, and " +
  "reports on one market"

/** The service in one sentence, and what of it is not real here. */
export const descriptionOf = (site: Site): string =>
  [`${description}.`, ...simulationNotes(site)].join(" ")

export const textType = "text/plain; charset=utf-8"
export const markdownType = "text/markdown; charset=utf-8"

/** One document about the service. */
export interface DocumentRow {
  /** Its name in code; its operation is named after it. */
  readonly id: string
  readonly path: `/${string}`
  /** A few words, for lists. */
  readonly title: string
  readonly description: string
  /** Its content type. */
  readonly type: string
  /** Other paths of the same document. */
  readonly aliases?: ReadonlyArray<string>
  /** Its relation to the service (RFC 8631, 6903 and 8288), if links name it. */
  readonly rel?: string
  /** The type that links name, where another one is more exact. */
  readonly linkType?: string
  /** The section of /llms.txt that lists it. */
  readonly section?: "Machine interfaces" | "Optional"
}

export const jsonType = "application/json"

/**
 * The documents that links and lists name. What a standard defines at its usual address, such as
 * /robots.txt or /.well-known/did.json, is not among them: catalogs warn of more than 40 operations.
 */
export const documentRows = [
  {
    id: "open_api",
    path: paths.openApi,
    title: "OpenAPI 3.1",
    description: "Every path: parameters, answers, errors, prices.",
    type: jsonType,
    rel: "service-desc",
    linkType: "application/vnd.oai.openapi+json",
    section: "Machine interfaces",
  },
  {
    id: "llms_full_text",
    path: paths.llmsFull,
    title: "Full text",
    description: "How to pay, every call with an example, errors, limits.",
    type: textType,
    rel: "service-doc",
    section: "Optional",
  },
  {
    id: "docs",
    path: paths.docs,
    title: "Documentation",
    description: "Quickstarts for TypeScript, Python, agents and Claude.",
    type: markdownType,
    rel: "help",
    section: "Optional",
  },
  {
    id: "llms_text",
    path: paths.llms,
    title: "The service on one page, for language models",
    description: "Calls and documents in the form of llmstxt.org.",
    type: textType,
    aliases: [paths.home],
    rel: "describedby",
  },
  {
    id: "agent_card",
    path: paths.agentCard,
    title: "A2A agent card",
    description: `Protocol 0.3.0, JSON-RPC at POST ${paths.a2a}; SDK 1.x: \`legacyCompat\`.`,
    type: jsonType,
    aliases: [paths.agentCardFormer, paths.a2a],
    rel: "service-meta",
    section: "Machine interfaces",
  },
  {
    id: "well_known_x402",
    path: paths.x402,
    title: "Catalog for crawlers",
    description: "The addresses and items of paid calls.",
    type: jsonType,
    rel: "service-meta",
  },
  {
    id: "discovery",
    path: paths.discovery,
    title: "Catalog",
    description: "Bazaar list of paid calls: limit, offset.",
    type: jsonType,
    aliases: [paths.discoveryResources],
    rel: "service-meta",
    section: "Machine interfaces",
  },
  {
    id: "mcp_server_card",
    path: paths.mcpCard,
    title: "MCP server card",
    description: `The skills as tools: streamable HTTP at POST ${paths.mcp}.`,
    type: jsonType,
    aliases: [paths.mcpCardFormer],
    section: "Machine interfaces",
  },
  {
    id: "skill",
    path: paths.skill,
    title: "Agent Skill",
    description: "The service as SKILL.md.",
    type: markdownType,
    aliases: [paths.skillFile],
    section: "Optional",
  },
  {
    id: "contact",
    path: paths.contact,
    title: "Contact",
    description: "Wrong data, refunds, outages, security.",
    type: markdownType,
    section: "Optional",
  },
] as const satisfies ReadonlyArray<DocumentRow>

/** A document, or a free call about the service. */
interface LinkRow {
  readonly path: string
  readonly rel: string
  readonly type: string
}

/** The links from the service's address to its descriptions. */
export const links: ReadonlyArray<LinkRow> = [
  ...documentRows.flatMap(({ path, rel, type, linkType = type }: DocumentRow) =>
    rel === undefined ? [] : [{ path, rel, type: linkType }]
  ),
  { path: freeRows.health.path, rel: "status", type: jsonType },
  { path: freeRows.terms_text.path, rel: "terms-of-service", type: textType },
]

/** The `Link` header with all of them. */
export function linkHeader(publicBaseUrl: string): HeaderPair {
  const described = links.map(({ rel, path, type }) =>
    `<${publicBaseUrl}${path}>; rel="${rel}"; type="${type}"`
  )
  return [
    "link",
    [`<${publicBaseUrl}${paths.apiCatalog}>; rel="api-catalog"`, ...described].join(", "),
  ]
}
