/**
 * The documents about the service. They are built once from the catalog and the settings, each at its
 * first request, and have the same bytes on every replica. Those that a standard defines at its usual
 * address, such as robots.txt, are here whole.
 *
 * @module
 */
import { createHash } from "node:crypto"
import { Record } from "effect"
import { canonicalJson } from "../../signing/domain/canonicalJson.ts"
import { didDocument, jwkSet, type PublishedKeys } from "../../signing/domain/keys.ts"
import { prepared } from "../../core/domain/prepared.ts"
import type { EpochMs } from "../../core/domain/time.ts"
import { type Answer, answer } from "../server/answer.ts"
import type { Site } from "../site.ts"
import {
  type DocumentRow,
  documentRows,
  jsonType,
  linkHeader,
  links,
  paths,
  textType,
} from "./addresses.ts"
import { agentCard, mcpRegistryEntry, mcpServerCard } from "./cards.ts"
import { discovery, pageIn, wellKnownX402 } from "./catalog.ts"
import { contactText, indexText, quickstartTexts, skillText } from "./docs.ts"
import { llmsFullText, llmsText } from "./llms.ts"
import iconSvg from "./icon.svg" with { type: "text" }
import { openApiText } from "./openapi.ts"

/** As RFC 9727 asks. */
const linksetType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** Every document, by its path. */
export type Documents = ReadonlyMap<string, (url: string) => Answer>

type DocumentId = Exclude<typeof documentRows[number]["id"], "discovery">

/** The documents of a service. They share one rate limit. */
export function documents(site: Site, keys: PublishedKeys, now: () => EpochMs): Documents {
  const { terms: { publicBaseUrl }, contact } = site
  const bodies: Readonly<Record<DocumentId, () => string>> = {
    open_api: () => openApiText(site),
    llms_full_text: () => llmsFullText(site),
    llms_text: () => llmsText(site),
    docs: () => indexText(site),
    contact: () => contactText(publicBaseUrl, contact),
    skill: () => skillText(site),
    agent_card: () => JSON.stringify(agentCard(site)),
    mcp_server_card: () => JSON.stringify(mcpServerCard(site)),
    well_known_x402: () => JSON.stringify(wellKnownX402(site)),
  }
  const made = (body: () => string, contentType: string) => {
    const headers = [linkHeader(publicBaseUrl)]
    return prepared(() => answer({ body: body(), contentType, cache: "document", headers }))
  }
  const security = prepared((expires: string) =>
    made(() => securityText({ publicBaseUrl, contact }, expires), textType)()
  )
  const listed = prepared((limit: number, offset: number) =>
    made(() => JSON.stringify(discovery(site, { limit, offset })), jsonType)()
  )
  const listing = (url: string) => {
    const { limit, offset } = pageIn(url)
    return listed(limit, offset)
  }
  return new Map<string, (url: string) => Answer>([
    ...documentRows.flatMap((row) => {
      const { path, type, aliases = [] }: DocumentRow = row
      const document = row.id === "discovery" ? listing : made(bodies[row.id], type)
      return [path, ...aliases].map((path) => [path, document] as const)
    }),
    ...quickstartTexts(site.packages).map(([path, text, type]) =>
      [path, made(() => text, type)] as const
    ),
    [paths.agentSkills, made(() => JSON.stringify(agentSkills(site)), jsonType)],
    [paths.mcpRegistry, made(() => JSON.stringify(mcpRegistryEntry(site)), jsonType)],
    [paths.apiCatalog, made(() => JSON.stringify(apiCatalog(publicBaseUrl)), linksetType)],
    [paths.did, made(() => canonicalJson(didDocument(keys)), "application/did+json")],
    [paths.jwks, made(() => canonicalJson(jwkSet(keys)), "application/jwk-set+json")],
    [paths.robots, made(() => robotsText(publicBaseUrl), textType)],
    [paths.security, () => security(expiryAt(now()))],
    [paths.icon, () => icon],
    [paths.iconFormer, () => icon],
  ])
}

/** /robots.txt: crawlers may read everything; `Content-Signal` lists the allowed uses. */
const robotsText = (publicBaseUrl: string): string =>
  [
    "User-agent: *",
    "Allow: /",
    "Content-Signal: search=yes, ai-input=yes",
    "",
    `Sitemap: ${publicBaseUrl}${paths.sitemap}`,
    "",
    `# For agents: ${publicBaseUrl}${paths.llms}`,
    "",
  ].join("\n")

/** /.well-known/security.txt (RFC 9116). */
export const securityText = (
  { publicBaseUrl, contact }: { readonly publicBaseUrl: string; readonly contact: string },
  expires: string,
): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${expires}`,
    "Preferred-Languages: en",
    `Canonical: ${publicBaseUrl}${paths.security}`,
    `Policy: ${publicBaseUrl}${paths.contact}`,
    "",
  ].join("\n")

/** When it expires: at the start of the sixth month from now, as RFC 9116 recommends under a year. */
export function expiryAt(now: EpochMs): string {
  const at = new Date(now)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 6)).toISOString()
}

/**
 * /.well-known/api-catalog (RFC 9727): the service and its descriptions, as a linkset (RFC 9264).
 */
function apiCatalog(publicBaseUrl: string) {
  const at = (path: string) => `${publicBaseUrl}${path}`
  const described = Record.map(
    Object.fromEntries(Map.groupBy(links, ({ rel }) => rel)),
    (rows) => rows.map(({ path, type }) => ({ href: at(path), type })),
  )
  return {
    linkset: [
      { anchor: at(paths.apiCatalog), item: [{ href: at(paths.home) }] },
      { anchor: at(paths.home), ...described },
    ],
  }
}

/** /favicon.svg: a bell with a ram's horns. Pages contain it, so it has no style and no id. */
const icon: Answer = answer({
  body: iconSvg.trimEnd(),
  contentType: "image/svg+xml",
  cache: "document",
  // When opened as a document it must load and run nothing.
  headers: [["content-security-policy", "default-src 'none'; style-src 'unsafe-inline'"]],
})

/**
 * /.well-known/agent-skills/index.json: the Agent Skill, with the hash of its file, as hosts discover
 * it (draft 0.2.0 of Agent Skills Discovery). Name and description are those of its front matter.
 */
function agentSkills(site: Site) {
  const skill = skillText(site)
  const [, name = "", description = ""] =
    /^---\nname: (\S+)\ndescription: >-\n((?: {2}.*\n)+)/.exec(skill) ?? []
  return {
    $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
    skills: [{
      name,
      type: "skill-md",
      description: description.trim().replaceAll(/\s+/g, " "),
      url: `${site.terms.publicBaseUrl}${paths.skillFile}`,
      digest: `sha256:${createHash("sha256").update(skill).digest("hex")}`,
    }],
  }
}
