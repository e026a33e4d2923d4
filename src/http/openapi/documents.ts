/**
 * The documents about the service in /openapi.json: whatever is served, with what it is.
 *
 * @module
 */
import type { Parameter } from "../../catalog/domain/parameter.ts"
import type { Answer } from "../server/answer.ts"
import { listingParameters } from "../documents/catalog.ts"
import { anywhere, errorResponse } from "./errors.ts"
import { answerHeaders, linked } from "./headers.ts"
import { queryParameter, tagged } from "./operations.ts"

type Json = Readonly<Record<string, unknown>>

interface DocumentRow {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** What its JSON has at least: the rest is its standard's to say. */
  readonly fields?: Readonly<Record<string, FieldType>>
  /** What its query may ask for. */
  readonly parameters?: ReadonlyArray<Parameter>
}

/** The type of a field; of a list, that of its items. */
type FieldType = "integer" | "object" | "string" | "boolean" | ["object" | "string"]

const catalog: Omit<DocumentRow, "operationId"> = {
  summary: "What is sold here, as x402 catalogs list it",
  description: "Every paid path with its price and how it is called, as a Bazaar reader wants it.",
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
  description: "What /a2a can do and where it is: A2A protocol 0.3.0.",
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
  description: "What /mcp is, how it is reached, and in which revisions of the protocol.",
  fields: { name: "string", version: "string", title: "string", remotes: ["object"] },
}

const openApiRow: DocumentRow = {
  operationId: "getOpenApi",
  summary: "This document",
  description: "Every path, what it takes and what it answers: OpenAPI 3.1.",
  fields: { openapi: "string", info: "object", paths: "object", components: "object" },
}

const documentRows: Readonly<Record<string, DocumentRow>> = {
  "/discovery": { operationId: "getDiscovery", ...catalog },
  "/discovery/resources": { operationId: "getDiscoveryResources", ...catalog },
  "/.well-known/x402": {
    operationId: "getWellKnownX402",
    summary: "What is sold here, as older crawlers look for it",
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
    summary: "Where the descriptions of this API are",
    description: "A linkset of RFC 9727.",
    fields: { linkset: ["object"] },
  },
  "/.well-known/ai-catalog.json": {
    operationId: "getAiCatalog",
    summary: "Where the agent card and the MCP server card are",
    description: "A catalog of what agents can use here.",
  },
  "/mcp/server-card": { operationId: "getMcpServerCard", ...mcpCard },
  "/.well-known/mcp/server-card.json": { operationId: "getMcpServerCardFormer", ...mcpCard },
  "/.well-known/security.txt": {
    operationId: "getSecurityText",
    summary: "Whom to tell of a weakness",
    description: "The contact of RFC 9116.",
  },
  "/": {
    operationId: "getHome",
    summary: "Where to begin",
    description: "The page of /llms.txt; Link names every other document.",
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

/** A longer document is shown by the first row of its lists; a longer text is not shown. */
const exampleLengthMax = 12_000

/** What the documents there are add to a document of OpenAPI. */
export function describeDocuments(documents: ReadonlyMap<string, Answer>): {
  readonly operations: Readonly<Record<string, Json>>
  /** The documents themselves, once each, however many paths lead to one. */
  readonly examples: Readonly<Record<string, Json>>
} {
  const examples = new Map<Answer, { readonly name: string; readonly example: Json }>()
  const operations = [...documents].flatMap(([path, answer]) => {
    const row = documentRows[path]
    if (row === undefined) return []
    const { type, link } = about(answer)
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
    /** Of its example, where it has one. */
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
      Object.entries(fields).map(([name, of]) => [
        name,
        typeof of === "string" ? { type: of } : { type: "array", items: { type: of[0] } },
      ]),
    ),
    required: Object.keys(fields),
    additionalProperties: true,
  }
}

/** What the headers of a document say of it. */
function about({ headers }: Answer) {
  const [, full = ""] = headers.find(([name]) => name === "content-type") ?? []
  const [type = ""] = full.split(";")
  return { type, link: headers.some(([name]) => name === "link") }
}

/** A document as the example of itself; null where it is too long for one. */
function exampleOf({ bytes }: Answer, type: string): Json | null {
  const text = new TextDecoder().decode(bytes)
  if (!type.includes("json")) return text.length > exampleLengthMax ? null : { value: text }
  const value: Json = JSON.parse(text)
  if (text.length <= exampleLengthMax) return { value }
  const firsts = Object.entries(value).map(([name, held]) => [
    name,
    Array.isArray(held) ? held.slice(0, 1) : held,
  ])
  return { summary: "The first row of each list", value: Object.fromEntries(firsts) }
}
