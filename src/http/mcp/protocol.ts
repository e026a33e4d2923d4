/**
 * The Model Context Protocol, through its official library: the current revision and earlier ones,
 * all without sessions, so that any replica answers any call.
 *
 * The library frames messages, checks headers and negotiates the revision; it knows nothing about
 * tools or payments. It gets the decoded message and a function that runs the tool, and returns one
 * JSON message with its status.
 *
 * @module
 */
import {
  type CallToolResult,
  createMcpHandler,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  type Tool,
  UnsupportedProtocolVersionError,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { prepared } from "../../core/domain/prepared.ts"

/** The identity of the server, and its tools. */
interface McpIdentity {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly websiteUrl: string
  readonly instructions: string
  /** Called once, for the first list. */
  readonly tools: () => ReadonlyArray<Tool>
}

/** One message with its headers, which the library checks against it. */
interface McpMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly json: unknown
  /** Runs the called tool, after the library has accepted the message; null without such a tool. */
  readonly call: (() => Promise<CallToolResult>) | null
}

/** Answers one message with a status and a JSON text, which is empty for none. It never rejects. */
export type Mcp = (
  message: McpMessage,
) => Promise<{ readonly status: number; readonly text: string }>

/** How long a client may cache the list of tools; it changes only with a new version. */
const listTtlMs = 300_000
const listCache = { ttlMs: listTtlMs, cacheScope: "public" } as const

/** Every supported revision, the current one first. */
export const revisions = ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS]

/** The headers that the library reads. */
const headerNames = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const

const unknownTool = new ProtocolError(
  ProtocolErrorCode.InvalidParams,
  "There is no tool with this name. tools/list returns all names. Nothing was charged",
)

/**
 * Builds the MCP server. The library checks every result, which takes milliseconds for the list of
 * tools; so it gets an empty list, and the text of the list is put in its place.
 */
export function makeMcp({ instructions, tools, ...info }: McpIdentity): Mcp {
  const toolsText = prepared(() => `"tools":${JSON.stringify(tools())}`)
  const calls = new WeakMap<Request, McpMessage["call"]>()
  const serverFor = (request: Request | undefined): Server => {
    const server = new Server(info, {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { "server/discover": listCache, "tools/list": listCache },
    })
    server.setRequestHandler("tools/list", () => ({ tools: [] }))
    server.setRequestHandler("tools/call", () => {
      const call = request === undefined ? null : calls.get(request) ?? null
      if (call === null) throw unknownTool
      return call()
    })
    return server
  }
  const current = createMcpHandler(({ requestInfo }) => serverFor(requestInfo), {
    legacy: "reject",
  })
  const earlier = async (request: Request, parsedBody: unknown) => {
    const requested = request.headers.get("mcp-protocol-version")
    if (requested !== null && !revisions.includes(requested)) {
      const { code, message } = new UnsupportedProtocolVersionError({
        supported: revisions,
        requested,
      })
      const error = { code, message, data: { supported: revisions, requested } }
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 })
    }
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    const server = serverFor(request)
    try {
      await server.connect(transport)
      return await transport.handleRequest(request, { parsedBody })
    } finally {
      await server.close()
    }
  }

  return async ({ url, headers, json, call }) => {
    const protocolHeaders = headerNames.flatMap((name): Array<[string, string]> => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    })
    const request = new Request(url, {
      method: "POST",
      // Every answer is one JSON message, so the client's Accept header makes no difference.
      headers: [
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
        ...protocolHeaders,
      ],
    })
    calls.set(request, call)
    const reply = await isLegacyRequest(request, json)
      ? await earlier(request, json)
      : await current.fetch(request, { parsedBody: json })
    const text = await reply.text()
    // Only a key has its quotation marks without backslashes.
    return {
      status: reply.status,
      text: call === null ? text.replace('"tools":[]', toolsText) : text,
    }
  }
}
