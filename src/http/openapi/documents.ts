/**
 * The documents about the service in /openapi.json: whatever is served, with what it is.
 *
 * @module
 */
import type { Answer } from "../answer.ts"
import { anywhere, errorResponse } from "./errors.ts"
import { answerHeaders, linked } from "./headers.ts"
import { tagged } from "./operations.ts"

type Json = Readonly<Record<string, unknown>>

interface DocumentRow {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** What JSON has in it at least; a standard's own document has its standard. */
  readonly fields?: Readonly<Record<string, "array" | "boolean" | "integer" | "object" | "string">>
}

const catalog = {
  summary: "What is sold here, as x402 catalogs list it",
  description: "Every paid path with its price and how it is called, as a Bazaar reader wants it.",
  fields: {
    success: "boolean",
    x402Version: "integer",
    items: "array",
    pagination: "object",
  },
} as const
const agentCard = {
  summary: "The agent card",
  description: "What /a2a can do and where it is: A2A protocol 0.3.0.",
  fields: {
    name: "string",
    description: "string",
    url: "string",
    version: "string",
    protocolVersion: "string",
    capabilities: "object",
    defaultInputModes: "array",
    defaultOutputModes: "array",
    skills: "array",
  },
} as const

const documentRows: Readonly<Record<string, DocumentRow>> = {
  "/openapi.json": {
    operationId: "getOpenApi",
    summary: "This document",
    description: "Every path, what it takes and what it answers: OpenAPI 3.1.",
    fields: { openapi: "string", info: "object", paths: "object", components: "object" },
  },
  "/discovery": { operationId: "getDiscovery", ...catalog },
  "/discovery/resources": { operationId: "getDiscoveryResources", ...catalog },
  "/.well-known/x402": {
    operationId: "getWellKnownX402",
    summary: "What is sold here, as older crawlers look for it",
    description: "The addresses of the paid paths, and the same items as /discovery.",
    fields: { version: "integer", x402Version: "integer", resources: "array", items: "array" },
  },
  "/.well-known/agent-card.json": { operationId: "getAgentCard", ...agentCard },
  "/.well-known/agent.json": { operationId: "getAgentCardFormer", ...agentCard },
  "/a2a": { operationId: "getAgentCardHere", ...agentCard },
  "/.well-known/api-catalog": {
    operationId: "getApiCatalog",
    summary: "Where the descriptions of this API are",
    description: "A linkset of RFC 9727.",
    fields: { linkset: "array" },
  },
  "/.well-known/ai-catalog.json": {
    operationId: "getAiCatalog",
    summary: "Where the agent card and the MCP server card are",
    description: "A catalog of what agents can use here.",
  },
  "/mcp/server-card": {
    operationId: "getMcpServerCard",
    summary: "The MCP server card",
    description: "What /mcp is and how it is reached.",
  },
  "/.well-known/security.txt": {
    operationId: "getSecurityText",
    summary: "Whom to tell of a weakness",
    description: "The contact of RFC 9116.",
  },
  "/llms.txt": {
    operationId: "getLlmsText",
    summary: "The service in a page, for language models",
    description: "What there is and where, as llmstxt.org asks for it.",
  },
  "/llms-full.txt": {
    operationId: "getLlmsFullText",
    summary: "The service in one text, whole",
    description: "Everything a language model needs to use the service, in Markdown.",
  },
  "/robots.txt": {
    operationId: "getRobotsText",
    summary: "What crawlers may read",
    description: "Everything.",
  },
  "/favicon.svg": {
    operationId: "getFavicon",
    summary: "The mark of the service",
    description: "For lists that show one.",
  },
}

/** A longer body is no example any more. */
const exampleBytesMax = 6_144

/** The operations of the documents there are. */
export function documentOperations(
  documents: ReadonlyMap<string, Answer>,
): Readonly<Record<string, Json>> {
  const all: ReadonlyArray<readonly [string, Answer | null]> = [
    ["/openapi.json", null],
    ...documents,
  ]
  return Object.fromEntries(all.flatMap(([path, answer]) => {
    const row = documentRows[path]
    return row === undefined ? [] : [[path, { get: operationOf(row, answer) }]]
  }))
}

function operationOf(row: DocumentRow, answer: Answer | null): Json {
  const { operationId, summary, description, fields } = row
  const { type, example, link } = answer === null ? { type: "application/json" } : shown(answer)
  return {
    operationId,
    summary,
    description,
    tags: ["documents"],
    security: [],
    parameters: tagged.parameters,
    responses: {
      200: {
        description: summary,
        headers: { ...answerHeaders.tagged, ...(link ? linked : {}) },
        content: { [type]: { schema: schemaOf(type, fields), example } },
      },
      ...tagged.responses,
      ...anywhere,
      429: errorResponse(429),
      503: errorResponse(503),
    },
  }
}

function schemaOf(type: string, fields: DocumentRow["fields"] = {}): Json {
  if (!type.includes("json")) return { type: "string" }
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, of]) => [name, { type: of }]),
    ),
    required: Object.keys(fields),
  }
}

/** What the answer of a document says of itself. */
function shown({ bytes, headers }: Answer) {
  const [, full = ""] = headers.find(([name]) => name === "content-type") ?? []
  const [type = ""] = full.split(";")
  const link = headers.some(([name]) => name === "link")
  if (bytes.length > exampleBytesMax) return { type, link }
  const text = new TextDecoder().decode(bytes)
  return { type, link, example: type.includes("json") ? JSON.parse(text) : text }
}
