/**
 * /a2a and /mcp in /openapi.json: one JSON-RPC message in, one out. The messages themselves are
 * defined by the two protocols.
 *
 * @module
 */
import { freeRows } from "../../catalog/domain/freeRow.ts"
import { skillName } from "../../catalog/domain/skill.ts"
import { commonErrors, errorResponse } from "./errors.ts"
import { answerHeaders, errorHeaders } from "./headers.ts"

type Json = Readonly<Record<string, unknown>>

const name = skillName(freeRows.index)

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
  /** Descriptions of the statuses that only this path has. */
  readonly statuses: Readonly<Record<number, string>>
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
    statuses: {},
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
    statuses: {
      202: "Accepted; a notification has no answer",
      403: "This Origin may not call the service",
      404: "The method does not exist",
    },
  },
}

/** The schemas of the messages. */
export const agentSchemas = {
  RpcRequest: {
    type: "object",
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: {
        type: ["string", "integer"],
        description: "Absent in a notification, which has no answer",
      },
      method: { type: "string" },
      params: { type: "object" },
    },
    required: ["jsonrpc", "method"],
  },
  RpcAnswer: {
    type: "object",
    description: "It has either a result or an error",
    properties: {
      jsonrpc: { type: "string", const: "2.0" },
      id: { type: ["string", "integer", "null"] },
      result: { type: "object" },
      error: {
        type: "object",
        properties: {
          code: { type: "integer" },
          message: { type: "string" },
          data: { description: "The same error in the HTTP format, where there is one" },
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
const commonStatuses = {
  400: "The message cannot be read, or the Host header is invalid",
  413: "The message is larger than 64 KiB",
  415: "Content-Type must be application/json",
  429: "Too many requests from this address",
  500: "The service failed; `charged` in the error's data says whether a payment was taken",
  503: "Unavailable now",
}

/** The POST operations of /a2a and /mcp. */
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
  const refused = Object.entries({ ...commonStatuses, ...statuses }).map((
    [status, description],
  ) => [
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
        description: "The answer, or a JSON-RPC error",
        headers: { ...answerHeaders.fresh, ...headers },
        ...json(answer, { ...message, result }),
      },
      ...commonErrors,
      ...Object.fromEntries(refused),
    },
  }
}

function json(schema: Json, example: unknown) {
  return { content: { "application/json": { schema, example } } }
}

/** An error found before the message is read has the HTTP format. */
function refusalSchema(status: string): Json {
  return errorResponse(Number(status)) === undefined
    ? answer
    : { anyOf: [answer, { $ref: "#/components/schemas/Error" }] }
}
