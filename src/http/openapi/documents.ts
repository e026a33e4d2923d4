/**
 * The documents about the service in /openapi.json: one operation per document.
 *
 * @module
 */
import type { Parameter } from "../../catalog/domain/parameter.ts"
import type { Answer } from "../server/answer.ts"
import { listingParameters } from "../documents/catalog.ts"
import { commonErrors, errorResponse } from "./errors.ts"
import { answerHeaders, linked } from "./headers.ts"
import { queryParameter, tagged } from "./operations.ts"

type Json = Readonly<Record<string, unknown>>

interface DocumentRow {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** The required fields of its JSON; the document's own standard defines the rest. */
  readonly fields?: Readonly<Record<string, FieldType>>
  /** Its query parameters. */
  readonly parameters?: ReadonlyArray<Parameter>
}

/** The type of a field; for a list, the type of its items. */
type FieldType = "integer" | "object" | "string" | "boolean" | ["object" | "string"]

const catalog: Omit<DocumentRow, "operationId"> = {
  summary: "The catalog of paid calls, in the form of x402 catalogs",
  description:
    "Every paid path with its price and its parameters, in the format of the x402 Bazaar.",
  fields: {
    success: "boolean",
    x402Version: "integer",
    items: ["object"],
    pagination: "object",
  },
  parameters: listingParameters,
}
const agentCard: Omit<DocumentRow, "operationId"> = {
  summary: "The agent card",
  description: "The skills and the address of /a2a, for A2A protocol 0.3.0.",
  fields: {
    name: "string",
    description: "string",
    url: "string",
    version: "string",
    protocolVersion: "string",
    capabilities: "object",
    defaultInputModes: ["string"],
    defaultOutputModes: ["string"],
    skills: ["object"],
  },
}

const mcpCard: Omit<DocumentRow, "operationId"> = {
  summary: "The MCP server card",
  description: "The address, the transport and the protocol revisions of /mcp.",
  fields: { name: "string", version: "string", title: "string", remotes: ["object"] },
}

const openApiRow: DocumentRow = {
  operationId: "getOpenApi",
  summary: "This document",
  description: "Every path with its parameters and its answers, in OpenAPI 3.1.",
  fields: { openapi: "string", info: "object", paths: "object", components: "object" },
}

const documentRows: Readonly<Record<string, DocumentRow>> = {
  "/discovery": { operationId: "getDiscovery", ...catalog },
  "/discovery/resources": { operationId: "getDiscoveryResources", ...catalog },
  "/.well-known/x402": {
    operationId: "getWellKnownX402",
    summary: "The catalog of paid calls, for older crawlers",
    description: "The addresses of the paid paths, and the same items as /discovery.",
    fields: {
      version: "integer",
      x402Version: "integer",
      resources: ["string"],
      items: ["object"],
    },
  },
  "/.well-known/agent-card.json": { operationId: "getAgentCard", ...agentCard },
  "/.well-known/agent.json": { operationId: "getAgentCardFormer", ...agentCard },
  "/a2a": { operationId: "getAgentCardHere", ...agentCard },
  "/.well-known/api-catalog": {
    operationId: "getApiCatalog",
    summary: "The addresses of this API's descriptions",
    description: "A linkset as RFC 9727 defines it.",
    fields: { linkset: ["object"] },
  },
  "/mcp/server-card": { operationId: "getMcpServerCard", ...mcpCard },
  "/.well-known/mcp/server-card.json": { operationId: "getMcpServerCardFormer", ...mcpCard },
  "/.well-known/security.txt": {
    operationId: "getSecurityText",
    summary: "How to report a vulnerability",
    description: "The security contact, as RFC 9116 defines it.",
  },
  "/": {
    operationId: "getHome",
    summary: "Start page",
    description: "The same page as /llms.txt. The Link header lists every other document.",
  },
  "/llms.txt": {
    operationId: "getLlmsText",
    summary: "The service on one page, for language models",
    description: "The paths and documents of the service, in the form of llmstxt.org.",
  },
  "/llms-full.txt": {
    operationId: "getLlmsFullText",
    summary: "The full documentation in one text",
    description: "Everything a language model needs to use the service, in Markdown.",
  },
  "/robots.txt": {
    operationId: "getRobotsText",
    summary: "Rules for crawlers",
    description: "Crawlers may read everything.",
  },
  "/favicon.svg": {
    operationId: "getFavicon",
    summary: "The logo of the service",
    description: "An SVG icon for catalogs.",
  },
}

/** A longer JSON document is cut to the first row of each list; a longer text gets no example. */
const exampleLengthMax = 12_000

/** The operations and examples of the documents. */
export function describeDocuments(documents: ReadonlyMap<string, Answer>): {
  readonly operations: Readonly<Record<string, Json>>
  /** The documents themselves, once each, even when several paths serve one. */
  readonly examples: Readonly<Record<string, Json>>
} {
  const examples = new Map<Answer, { readonly name: string; readonly example: Json }>()
  const operations = [...documents].flatMap(([path, answer]) => {
    const row = documentRows[path]
    if (row === undefined) return []
    const { type, link } = headerFacts(answer)
    const example = exampleOf(answer, type)
    if (example !== null && !examples.has(answer)) {
      examples.set(answer, { name: row.operationId, example })
    }
    const name = examples.get(answer)?.name
    return [[path, { get: operationOf(row, { type, link, name }) }] as const]
  })
  return {
    operations: {
      "/openapi.json": { get: operationOf(openApiRow, { type: "application/json", link: false }) },
      ...Object.fromEntries(operations),
    },
    examples: Object.fromEntries(
      [...examples.values()].map(({ name, example }) => [name, example]),
    ),
  }
}

function operationOf(
  { operationId, summary, description, fields, parameters = [] }: DocumentRow,
  { type, link, name }: {
    readonly type: string
    readonly link: boolean
    /** The name of its example, where it has one. */
    readonly name?: string | undefined
  },
): Json {
  const example = name === undefined
    ? {}
    : { examples: { served: { $ref: `#/components/examples/${name}` } } }
  return {
    operationId,
    summary,
    description,
    tags: ["documents"],
    security: [],
    parameters: [...parameters.map(queryParameter), ...tagged.parameters],
    responses: {
      200: {
        description: summary,
        headers: { ...answerHeaders.tagged, ...(link ? linked : {}) },
        content: { [type]: { schema: schemaOf(type, fields), ...example } },
      },
      ...tagged.responses,
      ...commonErrors,
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
      Object.entries(fields).map(([name, of]) => [
        name,
        typeof of === "string" ? { type: of } : { type: "array", items: { type: of[0] } },
      ]),
    ),
    required: Object.keys(fields),
    additionalProperties: true,
  }
}

/** The content type of a document, and whether it has a Link header. */
function headerFacts({ headers }: Answer) {
  const [, full = ""] = headers.find(([name]) => name === "content-type") ?? []
  const [type = ""] = full.split(";")
  return { type, link: headers.some(([name]) => name === "link") }
}

/** A document as its own example; null when it is too long. */
function exampleOf({ bytes }: Answer, type: string): Json | null {
  const text = new TextDecoder().decode(bytes)
  if (!type.includes("json")) return text.length > exampleLengthMax ? null : { value: text }
  const value: Json = JSON.parse(text)
  if (text.length <= exampleLengthMax) return { value }
  const shortened = Object.entries(value).map(([name, member]) => [
    name,
    Array.isArray(member) ? member.slice(0, 1) : member,
  ])
  return { summary: "The first row of each list", value: Object.fromEntries(shortened) }
}
