/**
 * The documents about the service in /openapi/service.json: one operation per document.
 *
 * @module
 */
import type { Parameter } from "../../catalog/domain/parameter.ts"
import type { Answer } from "../server/answer.ts"
import { excerpt } from "../../payments/domain/x402/bazaar.ts"
import { paths } from "../documents/addresses.ts"
import { quickstarts } from "../documents/docs.ts"
import { listingParameters } from "../documents/catalog.ts"
import { freeErrors } from "./errors.ts"
import { firstWords } from "./examples.ts"
import { answerHeaders, linked } from "./headers.ts"
import { queryParameter, tagged } from "./operations.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"

export const openApiVersion = "3.1.0"

/** Longest text of a document in an example, in characters. */
const excerptLengthMax = 160

interface DocumentRow {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** Its query parameters. */
  readonly parameters?: ReadonlyArray<Parameter>
}

/**
 * The documents, by path. An alias of a path has no operation: the description names it. Nor has what
 * every site has at its usual address, such as /robots.txt: catalogs warn of more than 40 operations.
 */
const documentRows: Readonly<Record<string, DocumentRow>> = {
  [paths.openApi]: {
    operationId: "getOpenApi",
    summary: "The calls that an agent buys with",
    description: "Their parameters, answers and prices, in OpenAPI 3.1.",
  },
  [paths.openApiService]: {
    operationId: "getOpenApiService",
    summary: "This document",
    description: "The other paths with their parameters and answers, in OpenAPI 3.1.",
  },
  [paths.discovery]: {
    operationId: "getDiscovery",
    summary: "The catalog of paid calls, in the form of x402 catalogs",
    description: "Every paid path with its price and its parameters, in the format of the x402 " +
      `Bazaar. Also at ${paths.discoveryResources}.`,
    parameters: listingParameters,
  },
  [paths.x402]: {
    operationId: "getWellKnownX402",
    summary: "The catalog of paid calls, for older crawlers",
    description: `The addresses of the paid paths, and the same items as ${paths.discovery}.`,
  },
  [paths.agentCard]: {
    operationId: "getAgentCard",
    summary: "The agent card",
    description: `The skills and the address of ${paths.a2a}, for A2A protocol 0.3.0. Also at ` +
      `${paths.agentCardFormer} and as GET ${paths.a2a}.`,
  },
  [paths.apiCatalog]: {
    operationId: "getApiCatalog",
    summary: "The addresses of this API's descriptions",
    description: "A linkset as RFC 9727 defines it.",
  },
  [paths.mcpCard]: {
    operationId: "getMcpServerCard",
    summary: "The MCP server card",
    description: `The address, the transport and the protocol revisions of ${paths.mcp}. Also at ` +
      `${paths.mcpCardFormer}.`,
  },
  [paths.did]: {
    operationId: "getDid",
    summary: "The DID document of the service",
    description:
      "The Ed25519 keys that sign offers and receipts, by the DID URL in each `kid`. A " +
      `retired key verifies old signatures. Also at ${paths.jwks}, as a JWK set.`,
  },
  [paths.llms]: {
    operationId: "getLlmsText",
    summary: "The service on one page, for language models",
    description: "The paths and documents of the service, in the form of llmstxt.org. Also at " +
      `${paths.home}, where the Link header lists every other document.`,
  },
  [paths.llmsFull]: {
    operationId: "getLlmsFullText",
    summary: "The full documentation in one text",
    description: "Everything a language model needs to use the service, in Markdown.",
  },
  [paths.docs]: {
    operationId: "getDocs",
    summary: "Documentation",
    description: "Links to the quickstarts and the other documents, in Markdown.",
  },
  [paths.skill]: {
    operationId: "getSkill",
    summary: "The service as an Agent Skill",
    description: `SKILL.md for agents' hosts. Also at ${paths.skillFile}.`,
  },
  [paths.contact]: {
    operationId: "getContact",
    summary: "Contact",
    description: "Whom to write to about wrong data, refunds, outages and security.",
  },
}

/**
 * The operations of the documents, and one response for each content type, with an excerpt of each
 * document.
 */
export function describeDocuments(
  documents: ReadonlyMap<string, () => Answer>,
): { readonly operations: Readonly<Record<string, Json>>; readonly responses: Json } {
  const described = [...Map.groupBy(
    [...documents, ...openApiPaths.map((path) => [path, () => null] as const)].flatMap(
      ([path, make]) => {
        const row = documentRows[path]
        if (row === undefined) return []
        const answer = make()
        return [{ path, row, answer, type: typeOf(answer) }]
      },
    ),
    ({ type }) => type,
  )]
  return {
    operations: {
      [`${paths.quickstarts}{name}`]: { get: quickstartOperation },
      ...Object.fromEntries(
        described.flatMap(([type, group]) =>
          group.map(({ path, row }) => [path, { get: operationOf(row, type) }])
        ),
      ),
    },
    responses: Object.fromEntries(described.map(([type, group]) => [
      nameOf(type),
      {
        description: "The document",
        headers: { ...answerHeaders.tagged, ...(type.startsWith("text/") ? linked : {}) },
        content: {
          [type]: {
            schema: { type: type.includes("json") ? "object" : "string" },
            examples: Object.fromEntries(group.map(({ row: { operationId }, answer }) => [
              operationId,
              { value: excerptOf(answer, type) },
            ])),
          },
        },
      },
    ])),
  }
}

const openApiPaths = [paths.openApi, paths.openApiService]

/** All quickstarts as one operation; their type depends on the file. */
const quickstartOperation = {
  ...operationOf({
    operationId: "getQuickstart",
    summary: "A quickstart",
    description: "A program or a page with the address of this service filled in.",
  }, "text/plain"),
  parameters: [{
    name: "name",
    in: "path",
    required: true,
    schema: { type: "string", enum: Object.keys(quickstarts) },
  }, ...tagged.parameters],
}

function operationOf(
  { operationId, summary, description, parameters = [] }: DocumentRow,
  type: string,
): Json {
  return {
    operationId,
    summary,
    description,
    tags: ["documents"],
    security: [],
    parameters: [...parameters.map(queryParameter), ...tagged.parameters],
    responses: {
      200: { $ref: `#/components/responses/${nameOf(type)}` },
      ...tagged.responses,
      ...freeErrors,
    },
  }
}

/** An excerpt of a document; null is an OpenAPI document. */
function excerptOf(answer: Answer | null, type: string): unknown {
  if (answer === null) return { openapi: openApiVersion }
  const text = new TextDecoder().decode(answer.bytes)
  if (type.includes("json")) return excerpt(JSON.parse(text))
  return firstWords(text, excerptLengthMax)
}

/** The content type of a document, without its parameters; null is an OpenAPI document. */
function typeOf(answer: Answer | null): string {
  const [, full] = answer?.headers.find(([name]) => name === "content-type") ?? []
  return full?.split(";")[0] ?? "application/json"
}

/** The name of a content type's response: `TextPlain`. */
function nameOf(type: string): string {
  return type.split(/\W/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("")
}
