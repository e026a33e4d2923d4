/**
 * The cards of what agents post to. The agent card of A2A 0.3.0: who answers at /a2a, and one skill a
 * row of the registry. The server card of MCP: what answers at /mcp, and in which revisions.
 *
 * The agent card says no more than 0.3.0 knows: one with the fields of 1.0 as well is read as a card
 * of 1.0. Nor does it name security schemes: payment is an extension, and nobody has to log in.
 *
 * @module
 */
import { exampleOf } from "../../catalog/domain/parameter.ts"
import { iconPath } from "../../payments/domain/x402/challenge.ts"
import { usd } from "../../core/domain/money.ts"
import { type Skill, skills } from "../../catalog/domain/skill.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { revisions } from "../mcp/protocol.ts"
import { paths } from "./addresses.ts"

/** The x402 extension of A2A under both of its names: v0.2's, and v0.1's, which libraries use. */
export const x402Extensions = [
  "https://github.com/google-agentic-commerce/a2a-x402/blob/main/spec/v0.2",
  "https://github.com/google-a2a/a2a-x402/v0.1",
] as const

interface CardOptions {
  readonly terms: PaymentTerms
  /** Of the interface. */
  readonly version: string
}

/** The agent card, as an object: what it says depends on nothing else. */
export function agentCard({ terms, version }: CardOptions) {
  const { publicBaseUrl, serviceName, chainId } = terms
  const url = `${publicBaseUrl}/a2a`
  const params = { x402Version: 2, networks: [`eip155:${chainId}`], assets: ["USDC"] }
  return {
    protocolVersion: "0.3.0",
    name: serviceName,
    description:
      "Watches a prediction-market venue and sells what it finds, per call, in USDC over " +
      "x402: noise-filtered moves, entries of tracked wallets with their record, outcomes that " +
      "already exist, a digest every 4 hours, reports. The index, samples and the track record " +
      "are free.",
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
        description: "A paid skill answers with a task that asks for input and carries its x402 " +
          "terms; reply on the task with the payment. Free skills need none.",
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
  const { name, title, description, tags, path, parameters } = skill
  const cost = skill.kind === "free" ? "Free." : `$${usd(skill.product.price)} in USDC (x402).`
  const params = exampleOf(parameters)
  const pairs = Object.entries(params).map(([name, value]) => ` ${name}=${value}`).join("")
  return {
    id: name,
    name: title,
    description: `${cost} ${description} The same as GET ${path}.`,
    tags: [...tags, ...(skill.kind === "free" ? ["free"] : ["paid", "x402"])],
    examples: [JSON.stringify({ skill: name, params }), `${name}${pairs}`],
    inputModes: ["application/json", "text/plain"],
    outputModes: ["application/json"],
  }
}

/** The server card, as an object: what it says depends on nothing else. */
export function mcpServerCard({ terms, version }: CardOptions) {
  const { publicBaseUrl, serviceName } = terms
  const { hostname } = new URL(publicBaseUrl)
  const domain = hostname.replace(/^\[|\]$/g, "").replaceAll(":", "-").split(".").reverse().join(
    ".",
  )
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json",
    name: `${domain}/${serviceName.toLowerCase()}`,
    version,
    title: serviceName,
    // No longer than registries of servers take.
    description: "Prediction-market signals for agents, paid per call with x402; the index is free",
    websiteUrl: publicBaseUrl,
    remotes: [{
      type: "streamable-http",
      url: `${publicBaseUrl}${paths.mcp}`,
      supportedProtocolVersions: revisions,
    }],
  }
}
