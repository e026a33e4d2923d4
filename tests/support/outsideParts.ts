/**
 * Every outside part of the service on one real socket: chain, facilitator, venue and model.
 * Each answers as it should, unless a test gives it another behaviour.
 *
 * @module
 */
import { Effect } from "effect"
import { honestResponses, type RpcRequest } from "./payments/rpc.ts"
import { bookRow, gammaRow } from "./venues/polymarket.ts"

/** Secrets in the settings: none may be printed. */
export const secrets = {
  password: "hunter2-of-the-database",
  rpcKey: "k3y0fTheEndpoint",
  modelKey: "sk-secret-canary",
}

export type Part = "rpc" | "facilitator" | "venue" | "clob" | "model"
type Answer = (request: Request) => Response | Promise<Response>

/** The chain's answers: of an honest node whose newest block is now, with $5 in the treasury. */
export const rpc =
  (overrides: Readonly<Record<string, unknown>> = {}): Answer => async (request) => {
    const body: RpcRequest = await request.json()
    const seconds = Math.floor(Date.now() / 1_000)
    const honest: Readonly<Record<string, unknown>> = {
      eth_getBlockByNumber: {
        ...{ number: "0x1388", hash: `0x${"ab".repeat(32)}` },
        timestamp: `0x${seconds.toString(16)}`,
      },
      eth_call: `0x${(5_000_000).toString(16).padStart(64, "0")}`,
      ...overrides,
    }
    const result = honest[body.method] ?? honestResponses("expired")(body)
    return Response.json(
      result === "refused"
        ? { jsonrpc: "2.0", id: body.id, error: { code: -32_601, message: "no such method" } }
        : { jsonrpc: "2.0", id: body.id, result },
    )
  }

/** The kinds that a facilitator lists. */
export const kinds = (...networks: ReadonlyArray<string>): Answer => () =>
  Response.json({
    kinds: networks.map((network) => ({ x402Version: 2, scheme: "exact", network })),
  })

const honest: Readonly<Record<Part, Answer>> = {
  rpc: rpc(),
  facilitator: kinds("eip155:84532", "eip155:8453"),
  venue: () => Response.json({ markets: [gammaRow(1), gammaRow(2)], data: [] }),
  clob: () => Response.json([bookRow(1)]),
  model: () => new Response("no model", { status: 404 }),
}

/** The parts until the scope closes: their addresses, by name. */
export const startParts = Effect.fnUntraced(function* (
  answers: Partial<Readonly<Record<Part, Answer>>> = {},
) {
  const parts: Readonly<Record<string, Answer>> = { ...honest, ...answers }
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
        const [, part = ""] = new URL(request.url).pathname.split("/")
        return parts[part]?.(request) ?? new Response("no such part", { status: 404 })
      })
    ),
    // A request may never get a response, so the shutdown is not awaited.
    (server) =>
      Effect.sync(() => {
        server.shutdown().catch(() => {})
      }),
  )
  return (part: Part) => `http://127.0.0.1:${server.addr.port}/${part}`
})
