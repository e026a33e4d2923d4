/**
 * The paths that agents post to, in /openapi.json: one JSON-RPC message in, one out. What they may say
 * is their protocols' own.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { anywhere, errorResponse } from "./errors.ts"
import { answerHeaders, errorHeaders } from "./headers.ts"

type Json = Readonly<Record<string, unknown>>

const name = skillName(freeRows.index)

interface AgentRow {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly standard: string
  /** A call of a free skill that works as it stands, and what it gives. */
  readonly call: { readonly method: string; readonly params: Json }
  readonly result: (answer: Json) => Json
  /** What a 200 has of its own. */
  readonly headers: Json
  /** What it answers beside 200, and what it means there. */
  readonly statuses: Readonly<Record<number, string>>
}

const agents: Readonly<Record<string, AgentRow>> = {
  "/a2a": {
    operationId: "sendA2aMessage",
    summary: "The skills over A2A",
    description:
      "JSON-RPC of A2A 0.3.0. message/send with a data part { skill, params } gives a task: done at " +
      "once, or input-required with the terms of payment in its metadata (a2a-x402).",
    standard: "https://a2a-protocol.org/v0.3.0/specification/",
    call: {
      method: "message/send",
      params: {
        message: {
          kind: "message",
          role: "user",
          messageId: "example-message",
          parts: [{ kind: "data", data: { skill: name, params: {} } }],
        },
      },
    },
    result: (answer) => ({
      kind: "task",
      id: "example-task",
      contextId: "example-context",
      status: { state: "completed" },
      artifacts: [{
        artifactId: "example-artifact",
        name,
        parts: [{ kind: "data", data: answer }],
      }],
    }),
    headers: {
      "X-A2A-Extensions": {
        description: "The extensions that were asked for and are spoken",
        schema: { type: "string" },
      },
    },
    statuses: {},
  },
  "/mcp": {
    operationId: "sendMcpMessage",
    summary: "The skills over MCP",
    description:
      "Streamable HTTP of the Model Context Protocol, without sessions and streams: one tool a skill. " +
      'A paid tool answers with its terms (x402); the payment goes into _meta["x402/payment"].',
    standard: "https://modelcontextprotocol.io/specification/",
    call: { method: "tools/call", params: { name, arguments: {} } },
    result: (answer) => ({
      content: [{ type: "text", text: JSON.stringify(answer) }],
      structuredContent: answer,
    }),
    headers: {},
    statuses: {
      202: "Taken, and needs no answer",
      403: "Origin is none that may call this service",
      404: "There is no such method",
    },
  },
}

/** The messages, as the document's schemas name them. */
export const agentSchemas = {
  RpcRequest: {
    type: "object",
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: { type: ["string", "integer"], description: "Left out: no answer is wanted" },
      method: { type: "string" },
      params: { type: "object" },
    },
    required: ["jsonrpc", "method"],
  },
  RpcAnswer: {
    type: "object",
    description: "It has a result, or an error",
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: { type: ["string", "integer", "null"] },
      result: { type: "object" },
      error: {
        type: "object",
        properties: {
          code: { type: "integer" },
          message: { type: "string" },
          data: { description: "What the same error says over HTTP, where there is one" },
        },
        required: ["code", "message"],
      },
    },
    required: ["jsonrpc", "id"],
  },
}

const request = { $ref: "#/components/schemas/RpcRequest" }
const answer = { $ref: "#/components/schemas/RpcAnswer" }
const refusal = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Not a request" } }
const usual = {
  400: "The message cannot be read, or the Host header is invalid",
  413: "The message is larger than 64 KiB",
  415: "Content-Type must be application/json",
  429: "Too many requests from this address",
  500: "The service failed; the error's data says what was charged",
  503: "Not now",
}

/** The operations of the paths that agents post to. */
export const agentOperations: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(agents).map((
    [path, row],
  ) => [path, operationOf(row, row.result(freeRows.index.sample()))]),
)

function operationOf(
  { operationId, summary, description, standard, call, statuses, headers }: AgentRow,
  result: Json,
): Json {
  const message = { jsonrpc: "2.0", id: 1 }
  const refused = Object.entries({ ...usual, ...statuses }).map(([status, description]) => [
    status,
    {
      description,
      headers: errorHeaders(Number(status)),
      ...(status === "202" ? {} : json(refusalSchema(status), refusal)),
    },
  ])
  return {
    operationId,
    summary,
    description,
    externalDocs: { url: standard },
    tags: ["agents"],
    security: [],
    requestBody: { required: true, ...json(request, { ...message, ...call }) },
    responses: {
      200: {
        description: "The answer, or an error of JSON-RPC",
        headers: { ...answerHeaders.fresh, ...headers },
        ...json(answer, { ...message, result }),
      },
      ...anywhere,
      ...Object.fromEntries(refused),
    },
  }
}

function json(schema: Json, example: unknown) {
  return { content: { "application/json": { schema, example } } }
}

/** What is found out before the message is read is said as over HTTP. */
function refusalSchema(status: string): Json {
  return errorResponse(Number(status)) === undefined
    ? answer
    : { anyOf: [answer, { $ref: "#/components/schemas/Error" }] }
}
