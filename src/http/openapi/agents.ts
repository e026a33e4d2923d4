/**
 * /a2a and /mcp in /openapi.json: one JSON-RPC message in, one out. The messages themselves are
 * defined by the two protocols.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { resend } from "../../catalog/domain/refusal.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { answerHeaders, errorHeaders } from "./headers.ts"
import type { Json } from "../../catalog/domain/shortForm.ts"

const name = skillName(freeRows.index)

const request = { $ref: "#/components/schemas/RpcRequest" }
const answer = { $ref: "#/components/schemas/RpcAnswer" }
const either = { $ref: "#/components/schemas/RpcRefusal" }
const refusal = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "Not a request" } }
interface AgentRow {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly standard: string
  /** An example call of a free skill. */
  readonly call: { readonly method: string; readonly params: Json }
  readonly result: (answer: Json) => Json
  /** The headers that only a 200 of this path has. */
  readonly headers: Json
  /** The responses that only this path has. */
  readonly responses: Json
}

const agents: Readonly<Record<string, AgentRow>> = {
  "/a2a": {
    operationId: "sendA2aMessage",
    summary: "The skills over A2A",
    description:
      "JSON-RPC of A2A 0.3.0. message/send with a data part { skill, params } returns a task: completed " +
      "at once, or input-required with the payment requirements in its metadata (a2a-x402).",
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
        description: "The requested extensions that are active",
        schema: { type: "string" },
      },
    },
    responses: {},
  },
  "/mcp": {
    operationId: "sendMcpMessage",
    summary: "The skills over MCP",
    description:
      "Streamable HTTP of the Model Context Protocol, without sessions and streams: one tool per " +
      "skill. A paid tool returns its payment requirements (x402); send the payment in " +
      '_meta["x402/payment"].',
    standard: "https://modelcontextprotocol.io/specification/",
    call: { method: "tools/call", params: { name, arguments: {} } },
    result: (answer) => ({
      content: [{ type: "text", text: JSON.stringify(answer) }],
      structuredContent: answer,
    }),
    headers: {},
    responses: { 202: { description: "Accepted; a notification has no answer" } },
  },
}

const jsonrpc = { type: "string", const: "2.0", description: "Version of JSON-RPC" }

/** The schemas of the messages. */
export const agentSchemas = {
  RpcRequest: {
    type: "object",
    properties: {
      jsonrpc,
      id: {
        type: ["string", "integer"],
        description: "Absent in a notification, which has no answer",
      },
      method: { type: "string", description: "The method, as its protocol names it" },
      params: { type: "object", description: "Its parameters, as its protocol defines them" },
    },
    required: ["jsonrpc", "method"],
  },
  RpcAnswer: {
    type: "object",
    description: "It has either a result or an error",
    properties: {
      jsonrpc,
      id: {
        type: ["string", "integer", "null"],
        description: "The id of the request; null when it cannot be read",
      },
      result: { type: "object", description: "The result, as the protocol defines it" },
      error: {
        type: "object",
        description: "Why there is no result",
        properties: {
          code: { type: "integer", description: "JSON-RPC error code; no unit" },
          message: { type: "string", description: "The cause in words" },
          data: { description: "The same error in the HTTP format, where there is one" },
        },
        required: ["code", "message"],
      },
    },
    required: ["jsonrpc", "id"],
  },
  RpcRefusal: {
    description: "An error found before the message is read has the HTTP format",
    anyOf: ["RpcAnswer", "Error"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  },
}

/** The refusals of both endpoints: name and description. */
const refusals: Readonly<Record<string, readonly [name: string, description: string]>> = {
  "4XX": [
    "MessageRefused",
    "400 the message cannot be read, or the Host header is invalid; 403 this Origin may not call " +
    "/mcp; 404 /mcp has no such method; 405 another method; 413 larger than 64 KiB; 415 Content-Type " +
    "must be application/json; 429 too many requests from this address",
  ],
  "5XX": [
    "MessageFailed",
    "500 the service failed, and `charged` in the error's data says whether a payment was taken; " +
    `503 unavailable now; after a call with a payment, ${resend}`,
  ],
}

/** The responses of both endpoints, by their name in the document. */
export const agentResponses = Object.fromEntries(
  Object.entries(refusals).map(([status, [name, description]]) => [
    name,
    { description, headers: errorHeaders(status), ...json(either, refusal) },
  ]),
)

const commonRefusals = Object.fromEntries(
  Object.entries(refusals).map(([status, [name]]) => [
    status,
    { $ref: `#/components/responses/${name}` },
  ]),
)

/** The POST operations of /a2a and /mcp. */
export const agentOperations: Readonly<Record<string, Json>> = Object.fromEntries(
  Object.entries(agents).map((
    [path, row],
  ) => [path, operationOf(row, row.result(freeRows.index.sample()))]),
)

function operationOf(
  { operationId, summary, description, standard, call, responses, headers }: AgentRow,
  result: Json,
): Json {
  const message = { jsonrpc: "2.0", id: 1 }
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
        description: "The answer, or a JSON-RPC error",
        headers: { ...answerHeaders.fresh, ...headers },
        ...json(answer, { ...message, result }),
      },
      ...responses,
      ...commonRefusals,
    },
  }
}

function json(schema: Json, example: unknown) {
  return { content: { "application/json": { schema, example } } }
}
