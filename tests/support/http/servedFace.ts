/**
 * The face on a real socket, which names its own address in everything it says.
 *
 * @module
 */
import { Effect } from "effect"
import { makeService, makeWorld, serviceOptions } from "./face.ts"
import { terms } from "../payments/terms.ts"

/** Serves a face over a small feed for as long as the scope lives; gives its address. */
export const servedService = Effect.gen(function* () {
  const world = yield* makeWorld(3)
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
  const face = yield* makeService(world, undefined, {
    ...serviceOptions,
    terms: { ...terms, publicBaseUrl: base },
    // A reader asks as fast as it can: what it finds is the question here, not how soon.
    limits: { free: "off", documents: "off", invalidPayments: "off" },
  })
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 }
  opened.resolve((request) => face.handle(request, { remoteAddr }))
  return base
})
