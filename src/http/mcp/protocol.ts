/**
 * The Model Context Protocol itself, spoken by its maintainers' own library: the current revision and
 * those before it, without a session in any of them, so that any replica answers any call.
 *
 * The library frames, checks headers and negotiates; it knows nothing of tools or money. It is given
 * the message that was read already and two effects, and gives back one JSON message with its status.
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

/** The identity of the server, and its tools. */
interface McpIdentity {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly websiteUrl: string
  readonly instructions: string
  readonly tools: ReadonlyArray<Tool>
}

/** One message, as it came: its headers are checked against it. */
interface McpMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly json: unknown
  /** What a call of a tool does, once the message was found to be one; null without such a tool. */
  readonly call: (() => Promise<CallToolResult>) | null
}

/** Answers one message. It never rejects. */
export type Mcp = (message: McpMessage) => Promise<Response>

/** How long a client may keep the list of tools: it changes only with a new version. */
const listTtlMs = 300_000
const listed = { ttlMs: listTtlMs, cacheScope: "public" } as const

/** Every revision that is spoken, the current one first. */
export const revisions = ["2026-07-28", ...SUPPORTED_PROTOCOL_VERSIONS]

/** The headers the protocol has; all others are ours to read. */
const headerNames = ["mcp-protocol-version", "mcp-method", "mcp-name"] as const

const unknownTool = new ProtocolError(
  ProtocolErrorCode.InvalidParams,
  "There is no tool of this name: tools/list names them. Nothing was charged",
)

/** The server of a face; make it once. */
export function makeMcp({ instructions, tools, ...info }: McpIdentity): Mcp {
  const calls = new WeakMap<Request, McpMessage["call"]>()
  const serverFor = (request: Request | undefined): Server => {
    const server = new Server(info, {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { "server/discover": listed, "tools/list": listed },
    })
    server.setRequestHandler("tools/list", () => ({ tools: [...tools] }))
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
    const ofProtocol = headerNames.flatMap((name): Array<[string, string]> => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    })
    const request = new Request(url, {
      method: "POST",
      // Every answer is one JSON message, so what the client would accept makes no difference.
      headers: [
        ["content-type", "application/json"],
        ["accept", "application/json, text/event-stream"],
        ...ofProtocol,
      ],
    })
    calls.set(request, call)
    return await isLegacyRequest(request, json)
      ? earlier(request, json)
      : current.fetch(request, { parsedBody: json })
  }
}
