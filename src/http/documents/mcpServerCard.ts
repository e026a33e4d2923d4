/**
 * The server card of MCP: what answers at /mcp, and in which revisions of the protocol.
 *
 * @module
 */
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { revisions } from "../mcp/server.ts"
import { paths } from "./addresses.ts"

/** The card, as an object: what it says depends on nothing else. */
export function mcpServerCard({ terms, version }: {
  readonly terms: PaymentTerms
  readonly version: string
}) {
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
