/**
 * The agent card of A2A 0.3.0, for /a2a, and the MCP server card and registry entry, for /mcp.
 *
 * The agent card has only fields of 0.3.0, because clients read a card with fields of 1.0 as
 * version 1.0. It has no security schemes: payment is an extension, and there is no login.
 *
 * @module
 */
import { exampleOf } from "../../catalog/domain/parameter.ts"
import { iconPath } from "../../payments/domain/x402/challenge.ts"
import { usd } from "../../core/domain/money.ts"
import { version } from "../../core/domain/version.ts"
import { type Skill, skills } from "../../catalog/domain/skill.ts"
import { x402Extensions } from "../a2a/task.ts"
import { revisions } from "../mcp/mcp.ts"
import { simulationNotes, type Site } from "../site.ts"
import { paths } from "./addresses.ts"

/** The agent card, as an object. */
export function agentCard(site: Site) {
  const { publicBaseUrl, serviceName, chainId } = site.terms
  const url = `${publicBaseUrl}/a2a`
  const params = { x402Version: 2, networks: [`eip155:${chainId}`], assets: ["USDC"] }
  return {
    protocolVersion: "0.3.0",
    name: serviceName,
    description: [
      "Watches a prediction-market venue and sells signals per call, in USDC over x402: " +
      "noise-filtered moves, entries of tracked wallets with their track record, predetermined " +
      "outcomes, a digest every 4 hours, and reports. The index, samples and the track record are " +
      "free.",
      ...simulationNotes(site),
    ].join(" "),
    url,
    preferredTransport: "JSONRPC",
    additionalInterfaces: [{ url, transport: "JSONRPC" }],
    provider: { organization: serviceName, url: publicBaseUrl },
    iconUrl: `${publicBaseUrl}${iconPath}`,
    version,
    documentationUrl: `${publicBaseUrl}/llms-full.txt`,
    capabilities: {
      streaming: false,
      pushNotifications: false,
      stateTransitionHistory: false,
      extensions: x402Extensions.map((uri) => ({
        uri,
        description:
          "A paid skill returns a task in the state input-required with its x402 payment " +
          "requirements. Reply on the task with the payment. Free skills need no payment.",
        required: false,
        params,
      })),
    },
    supportsAuthenticatedExtendedCard: false,
    defaultInputModes: ["application/json", "text/plain"],
    defaultOutputModes: ["application/json"],
    skills: skills.map(skillOfCard),
  }
}

function skillOfCard(skill: Skill) {
  const { name, title, description, use, tags, path, parameters } = skill
  const cost = skill.kind === "free" ? "Free." : `$${usd(skill.product.price)} in USDC (x402).`
  const params = exampleOf(parameters)
  const pairs = Object.entries(params).map(([name, value]) => ` ${name}=${value}`).join("")
  return {
    id: name,
    name: title,
    description: `${cost} ${description} Same as GET ${path}. ${use}`,
    tags: [...tags, ...(skill.kind === "free" ? ["free"] : ["paid", "x402"])],
    examples: [JSON.stringify({ skill: name, params }), `${name}${pairs}`],
    inputModes: ["application/json", "text/plain"],
    outputModes: ["application/json"],
  }
}

/** The MCP server card, as an object. */
export const mcpServerCard = (site: Site) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
  ...mcpServer(site),
  remotes: [{ ...mcpRemote(site), supportedProtocolVersions: revisions }],
})

/**
 * The entry of the MCP registry (`server.json`), as an object: the server over HTTP, and the bundle
 * with its hash where it is built.
 */
export const mcpRegistryEntry = (site: Site) => ({
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  ...mcpServer(site),
  remotes: [mcpRemote(site)],
  ...site.packages.bundle === null ? {} : {
    packages: [{
      registryType: "mcpb",
      identifier: site.packages.bundle.url,
      version,
      fileSha256: site.packages.bundle.sha256,
      transport: { type: "stdio" },
    }],
  },
})

const mcpRemote = ({ terms }: Site) => ({
  type: "streamable-http",
  url: `${terms.publicBaseUrl}${paths.mcp}`,
})

/** What the card and the registry say of the server. */
function mcpServer({ terms }: Site) {
  const { publicBaseUrl, serviceName } = terms
  const { hostname } = new URL(publicBaseUrl)
  const domain = hostname.replace(/^\[|\]$/g, "").replaceAll(":", "-").split(".").reverse().join(
    ".",
  )
  return {
    name: `${domain}/${serviceName.toLowerCase()}`,
    version,
    title: serviceName,
    // Registries limit the length of this text.
    description: "Prediction-market signals for agents, paid per call with x402; the index is free",
    websiteUrl: publicBaseUrl,
  }
}
