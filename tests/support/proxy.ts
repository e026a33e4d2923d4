/**
 * A TCP proxy on loopback that can stall (connections stay open, but no data passes) and be switched
 * to another target.
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
  /** Closes all connections; new ones lead to another target. */
  readonly switchTo: (target: Deno.ConnectOptions) => Effect.Effect<void>
}

/** Proxies to a target until the scope closes. */
export const proxyTo = (first: Deno.ConnectOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 })
      const open = new Set<Deno.Conn>()
      let target = first
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
        switchTo: (next: Deno.ConnectOptions) =>
          Effect.sync(() => {
            target = next
            open.forEach(close)
          }),
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
