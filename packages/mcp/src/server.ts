/**
 * The MCP server of one connection, over the official library: the tools of the service, and
 * `get_budget`. It serves the current revision of the protocol and the earlier ones.
 *
 * @module
 */
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server"

/** How often a call that is not finished reports progress. */
const progressEveryMs = 5_000
/** How long a client may keep the list of tools, which changes only with a new version. */
const listTtlMs = 3_600_000
const listCache = { ttlMs: listTtlMs, cacheScope: "public" } as const

/** The answer to a call, and what to do when it has been written. */
export interface Called {
  readonly result: CallToolResult
  readonly onWritten: () => void
}

export interface ServerOptions {
  readonly version: string
  readonly instructions: string
  readonly tools: ReadonlyArray<Tool>
  /** Calls a tool of the list; it never rejects, and ends soon after the signal. */
  readonly call: (
    name: string,
    args: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ) => Promise<Called>
  /** Runs `onWritten` when the answer to this request has been written. */
  readonly whenWritten: (id: RequestId, onWritten: () => void) => void
}

/** Builds the server. */
export function makeServer(
  { version, instructions, tools, call, whenWritten }: ServerOptions,
): Server {
  const server = new Server({ name: "bellwether-mcp", title: "Bellwether", version }, {
    capabilities: { tools: {} },
    instructions,
    cacheHints: { "server/discover": listCache, "tools/list": listCache },
  })
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }))
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    const tool = tools.find(({ name }) => name === params.name)
    if (tool === undefined) throw unknownTool(tools)
    const stop = reportProgress(mcpReq)
    try {
      const { result, onWritten } = await call(tool.name, params.arguments ?? {}, mcpReq.signal)
      // The answer to a cancelled request is never written.
      if (!mcpReq.signal.aborted) whenWritten(mcpReq.id, onWritten)
      return result
    } finally {
      stop()
    }
  })
  return server
}

const unknownTool = (tools: ReadonlyArray<Tool>) =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool with this name. The tools are ${
      tools.map(({ name }) => name).join(", ")
    }. Nothing was paid`,
  )

/** Reports the seconds that a call has taken, where its client asked for progress. */
function reportProgress({ _meta, notify, signal }: ServerContext["mcpReq"]): () => void {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return () => {}
  let progress = 0
  const timer = setInterval(() => {
    progress += progressEveryMs / 1_000
    const message = `Waiting for the answer (${progress} s)`
    // A client that is gone is no reason to end the call.
    notify({ method: "notifications/progress", params: { progressToken, progress, message } })
      .catch(() => {})
  }, progressEveryMs)
  const stop = () => clearInterval(timer)
  signal.addEventListener("abort", stop, { once: true })
  return stop
}
