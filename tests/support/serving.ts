/**
 * Servers of tests, on free ports of loopback.
 *
 * @module
 */
import { Effect, type Scope } from "effect"

export type Handler = (request: Request) => Response | Promise<Response>

/** Serves until the scope closes, then drops the requests that have no answer; returns the URL. */
export const serving = (
  handler: Handler,
  options: Pick<Deno.ServeOptions, "onError"> = {},
): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const closing = new AbortController()
        const { signal } = closing
        const server = Deno.serve(
          { hostname: "127.0.0.1", port: 0, signal, onListen: () => {}, ...options },
          handler,
        )
        return { closing, server }
      }),
      ({ closing, server }) =>
        Effect.promise(() => {
          closing.abort()
          return server.finished
        }),
    ),
    ({ server }) => `http://127.0.0.1:${server.addr.port}`,
  )
