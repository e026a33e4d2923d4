/**
 * A TCP proxy on loopback that can stall: connections stay open, but no data passes.
 *
 * @module
 */
import { Effect } from "effect"

export interface Proxy {
  readonly port: number
  /** Stops data in both directions; new connections are accepted but not forwarded. */
  readonly stall: Effect.Effect<void>
  /** Forwards the delayed data and everything after it. */
  readonly resume: Effect.Effect<void>
}

/** Proxies to `target` until the scope closes. */
export const proxyTo = (target: Deno.ConnectOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
      const open = new Set<Deno.Conn>()
      let gate = Promise.withResolvers<void>()
      gate.resolve()

      const pass = async (from: Deno.Conn, to: Deno.Conn) => {
        for await (const chunk of from.readable) {
          await gate.promise
          for (let sent = 0; sent < chunk.length;) sent += await to.write(chunk.subarray(sent))
        }
      }
      const join = async (client: Deno.Conn) => {
        open.add(client)
        await gate.promise
        const server = await Deno.connect(target)
        open.add(server)
        const ended = () => [client, server].forEach(close)
        await Promise.allSettled([
          pass(client, server).finally(ended),
          pass(server, client).finally(ended),
        ])
      }
      const close = (connection: Deno.Conn) => {
        if (open.delete(connection)) quietly(() => connection.close())
      }
      const accepting = (async () => {
        for await (const client of listener) join(client).catch(() => close(client))
      })()
      return {
        port: listener.addr.port,
        stall: Effect.sync(() => {
          gate = Promise.withResolvers<void>()
        }),
        resume: Effect.sync(() => gate.resolve()),
        end: async () => {
          listener.close()
          gate.resolve()
          open.forEach(close)
          await accepting
        },
      }
    }),
    ({ end }) => Effect.promise(end),
  )

/** Ignores the error of closing a connection that is already closed. */
function quietly(close: () => void): void {
  try {
    close()
  } catch {
    // Already closed.
  }
}
