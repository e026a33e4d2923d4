/**
 * Unmodified clients of MCP, old and new, and messages put together by hand.
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

/** The two packages, the newer in each of its ways to agree on a revision. */
export const clientKinds = ["sdk 1", "2 legacy", "2 auto", "2 pinned"] as const
export type ClientKind = typeof clientKinds[number]

/** The revision that is current; it knows no session. */
export const revision = "2026-07-28"

/** The result of a call, as far as tests look. */
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
    given?: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ) => Promise<ToolResult>
}

export interface ConnectOptions {
  readonly fetch?: typeof fetch
  readonly headers?: Record<string, string>
}

const who = { name: "a-test", version: "1.0.0" }

/** A client that has connected; closed with the scope. */
export const connect = (
  kind: ClientKind,
  url: string,
  { fetch, headers = {} }: ConnectOptions = {},
): Effect.Effect<McpClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const given = {
          requestInit: { headers },
          ...(fetch === undefined ? {} : { fetch }),
        }
        if (kind === "sdk 1") {
          const client = new EarlierClient(who)
          await client.connect(new EarlierTransport(new URL(url), given))
          return client
        }
        const mode = kind === "2 pinned" ? { pin: revision } : kind === "2 auto" ? "auto" : "legacy"
        const client = new CurrentClient(who, { versionNegotiation: { mode } })
        await client.connect(new CurrentTransport(new URL(url), given))
        return client
      }),
      (client) => Effect.promise(() => client.close()),
    ),
    (client): McpClient => ({
      tools: async () => (await client.listTools()).tools,
      call: async (name, given, meta) =>
        await client.callTool({
          name,
          arguments: given ?? {},
          ...(meta === undefined ? {} : { _meta: meta }),
        }) as ToolResult,
    }),
  )

/** What the reference buyer signs for the terms of payment in a result. */
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

/** The envelope of the current revision. */
export const envelope = {
  "io.modelcontextprotocol/protocolVersion": revision,
  "io.modelcontextprotocol/clientInfo": who,
  "io.modelcontextprotocol/clientCapabilities": {},
}

/** A request of the current revision, as a client would send it, with changes where a test wants them. */
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

/** A request of a revision before that, with changes where a test wants them. */
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
