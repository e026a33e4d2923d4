/**
 * Unmodified clients of MCP, old and new, and hand-written requests.
 *
 * @module
 */
import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from "@modelcontextprotocol/client"
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js"
import {
  StreamableHTTPClientTransport as EarlierTransport,
} from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { x402Client } from "@x402/core/client"
import { ExactEvmScheme } from "@x402/evm"
import { Effect, type Scope } from "effect"
import { buyer } from "../payments/buyers.ts"

/** The two packages; the newer in each of its modes of version negotiation. */
export const clientKinds = ["sdk 1", "2 legacy", "2 auto", "2 pinned"] as const
export type ClientKind = typeof clientKinds[number]

/** The current revision, which has no sessions. */
export const revision = "2026-07-28"

/** The fields of a tool's result that tests read. */
export interface ToolResult {
  readonly isError?: boolean
  readonly content: ReadonlyArray<{ readonly type: string; readonly text?: string }>
  readonly structuredContent?: Record<string, unknown>
  readonly _meta?: Record<string, unknown>
}

export interface McpClient {
  readonly tools: () => Promise<ReadonlyArray<{ readonly name: string }>>
  readonly call: (
    name: string,
    args?: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ) => Promise<ToolResult>
}

export interface ConnectOptions {
  readonly fetch?: typeof fetch
  readonly headers?: Record<string, string>
}

const clientInfo = { name: "a-test", version: "1.0.0" }

/** A connected client; closed with the scope. */
export const connect = (
  kind: ClientKind,
  url: string,
  { fetch, headers = {} }: ConnectOptions = {},
): Effect.Effect<McpClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const transportOptions = {
          requestInit: { headers },
          ...(fetch === undefined ? {} : { fetch }),
        }
        if (kind === "sdk 1") {
          const client = new EarlierClient(clientInfo)
          await client.connect(new EarlierTransport(new URL(url), transportOptions))
          return client
        }
        const mode = kind === "2 pinned" ? { pin: revision } : kind === "2 auto" ? "auto" : "legacy"
        const client = new CurrentClient(clientInfo, { versionNegotiation: { mode } })
        await client.connect(new CurrentTransport(new URL(url), transportOptions))
        return client
      }),
      (client) => Effect.promise(() => client.close()),
    ),
    (client): McpClient => ({
      tools: async () => (await client.listTools()).tools,
      call: async (name, args, meta) =>
        await client.callTool({
          name,
          arguments: args ?? {},
          ...(meta === undefined ? {} : { _meta: meta }),
        }) as ToolResult,
    }),
  )

/** The payment payload that the reference buyer signs for the payment terms in a result. */
export const payFor = (
  { structuredContent }: ToolResult,
  payer = 0,
): Effect.Effect<Record<string, unknown>> =>
  Effect.promise(async () => {
    const client = new x402Client().register("eip155:*", new ExactEvmScheme(buyer(payer)))
    const required = structuredContent as unknown as Parameters<
      typeof client.createPaymentPayload
    >[0]
    return { ...await client.createPaymentPayload(required) }
  })

/** The `_meta` that every request of the current revision carries. */
export const envelope = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** A valid request of the current revision, with optional changes. */
export function currentRequest(
  method: string,
  params: Record<string, unknown> = {},
  { headers = {}, meta = {} }: {
    readonly headers?: Record<string, string>
    readonly meta?: Record<string, unknown>
  } = {},
): RequestInit {
  const name: Record<string, string> = typeof params["name"] === "string"
    ? { "mcp-name": params["name"] }
    : {}
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": method,
      ...name,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 7,
      method,
      params: { ...params, _meta: { ...envelope, ...meta } },
    }),
  }
}

/** A valid request of an earlier revision, with optional changes. */
export function earlierRequest(
  method: string,
  params: Record<string, unknown> = {},
  { version, headers = {}, ...message }: {
    readonly version?: string
    readonly headers?: Record<string, string>
    readonly id?: undefined
  } = {},
): RequestInit {
  return {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(version === undefined ? {} : { "mcp-protocol-version": version }),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params, ...message }),
  }
}
