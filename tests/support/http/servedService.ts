/**
 * The service on a real socket; its documents name the socket's own address.
 *
 * @module
 */
import { Effect } from "effect"
import { makeService, makeWorld, serviceOptions, type World } from "./httpService.ts"
import { terms } from "../payments/terms.ts"

/** Serves a service over a world until the scope closes; returns its origin. */
export const serveWorld = Effect.fnUntraced(function* (world: World) {
  const opened = Promise.withResolvers<(request: Request) => Response | Promise<Response>>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        async (request) => await (await opened.promise)(request),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  const base = `http://127.0.0.1:${server.addr.port}`
  const service = yield* makeService(world, undefined, {
    ...serviceOptions,
    terms: { ...terms, publicBaseUrl: base },
    // External readers send requests as fast as they can.
    limits: { free: "off", documents: "off", pages: "off", invalidPayments: "off" },
  })
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 }
  opened.resolve((request) => service.handle(request, { remoteAddr }))
  return base
})

/** Serves a service over a small feed. */
export const servedService = Effect.flatMap(makeWorld(3), serveWorld)
