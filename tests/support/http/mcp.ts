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
import { Effect, type Layer, type Scope } from "effect"
import type { Payments } from "../../../src/payments/Payments.ts"
import { buyer } from "../payments/buyers.ts"
import { makeService, makeWorld } from "./httpService.ts"

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
    options?: CallOptions,
  ) => Promise<ToolResult>
}

/** What both packages accept with a call. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void
}

export interface ConnectOptions {
  readonly fetch?: typeof fetch
  readonly headers?: Record<string, string>
}

const clientInfo = { name: "a-test", version: "1.0.0" }

/** A client connected over HTTP; closed with the scope. */
export const connect = (
  kind: ClientKind,
  url: string,
  { fetch, headers = {} }: ConnectOptions = {},
): Effect.Effect<McpClient, never, Scope.Scope> => {
  const options = { requestInit: { headers }, ...(fetch === undefined ? {} : { fetch }) }
  return connectOver(kind, {
    earlier: () => new EarlierTransport(new URL(url), options),
    current: () => new CurrentTransport(new URL(url), options),
  })
}

/** A client connected over the transport of its package; closed with the scope. */
export const connectOver = (
  kind: ClientKind,
  { earlier, current }: {
    readonly earlier: () => Parameters<EarlierClient["connect"]>[0]
    readonly current: () => Parameters<CurrentClient["connect"]>[0]
  },
): Effect.Effect<McpClient, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        if (kind === "sdk 1") {
          const client = new EarlierClient(clientInfo)
          await client.connect(earlier())
          const call: Call = (params, options) => client.callTool(params, undefined, options)
          return { client, call }
        }
        const mode = kind === "2 pinned" ? { pin: revision } : kind === "2 auto" ? "auto" : "legacy"
        const client = new CurrentClient(clientInfo, { versionNegotiation: { mode } })
        await client.connect(current())
        const call: Call = (params, options) => client.callTool(params, options)
        return { client, call }
      }),
      ({ client }) => Effect.promise(() => client.close()),
    ),
    ({ client, call }): McpClient => ({
      tools: async () => (await client.listTools()).tools,
      call: async (name, args, meta, options) =>
        await call({
          name,
          arguments: args ?? {},
          ...(meta === undefined ? {} : { _meta: meta }),
        }, options) as ToolResult,
    }),
  )

type Call = (
  params: {
    readonly name: string
    readonly arguments: Record<string, unknown>
    readonly _meta?: Record<string, unknown>
  },
  options?: CallOptions,
) => Promise<unknown>

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

/** A service, with what answers a post to its /mcp, and the result of a tool. */
export const openMcp = Effect.fnUntraced(function* (payments?: Layer.Layer<Payments>) {
  const world = yield* makeWorld(3)
  const service = yield* makeService(world, payments)
  const post = (init: RequestInit) =>
    Effect.gen(function* () {
      const response = yield* service.get("/mcp", { method: "POST", ...init })
      const text = yield* Effect.promise(() => response.text())
      const body: Json = text === "" ? {} : JSON.parse(text)
      return { status: response.status, headers: response.headers, body }
    })
  const call = (name: string, args: Json = {}, meta: Json = {}, headers = {}) =>
    Effect.map(
      post(currentRequest("tools/call", { name, arguments: args }, { meta, headers })),
      ({ body }) => Object(body["result"]) as ToolResult,
    )
  return { ...service, world, post, call }
})

type Json = Record<string, unknown>

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
