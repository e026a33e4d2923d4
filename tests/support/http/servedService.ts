/**
 * The service on a real socket; its documents and its terms name the socket's own address.
 *
 * @module
 */
import { Clock, Effect, Layer } from "effect"
import type { Site } from "../../../src/http/site.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { stock } from "../products.ts"
import { makeService, makeWorld, serviceOptions, type World } from "./httpService.ts"

/** A world with something to sell on every route. */
export const stockedWorld = Effect.fnUntraced(function* (items = 3) {
  const world = yield* makeWorld(items)
  yield* stock(world.productPorts, yield* Clock.currentTimeMillis)
  return world
})

/** Answers a request, possibly with the service's own answer. */
export type Between = (
  request: Request,
  answer: (request: Request) => Promise<Response>,
) => Response | Promise<Response>

/** Serves a world until the scope closes. */
export const serve = Effect.fnUntraced(function* (
  world: World,
  payments?: Layer.Layer<Payments>,
  options: Partial<Site> = {},
  between: Between = (request, answer) => answer(request),
) {
  const opened = Promise.withResolvers<Effect.Success<ReturnType<typeof makeService>>["handle"]>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve({
        ...{ port: 0, hostname: "127.0.0.1", onListen: () => {} },
        onError: () => new Response(null, { status: 500 }),
      }, (request, info) =>
        between(request, async (sent) => await (await opened.promise)(sent, info)))
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  const base = `http://127.0.0.1:${server.addr.port}`
  const service = yield* makeService(world, payments, {
    ...serviceOptions,
    terms: { ...serviceOptions.terms, publicBaseUrl: base },
    ...options,
  })
  opened.resolve(service.handle)
  return { base, service }
})

const plenty = { limit: 1_000, windowMs: 60_000 }
/** Limits for programs that send many requests from one address. */
export const wideLimits = {
  ...{ free: plenty, documents: plenty, pages: plenty, invalidPayments: plenty },
}

/** Serves a world to readers that send requests as fast as they can; returns its origin. */
export const serveWorld = (world: World) =>
  Effect.map(
    serve(world, undefined, {
      limits: { free: "off", documents: "off", pages: "off", invalidPayments: "off" },
    }),
    ({ base }) => base,
  )

/** Serves a service over a small feed. */
export const servedService = Effect.flatMap(makeWorld(3), serveWorld)

/** Sells from a stocked world with the payments in the context; returns the origin. */
export const openShop = Effect.fnUntraced(function* (
  between?: Between,
  options?: Partial<Site>,
) {
  const payments = Layer.succeed(Payments, yield* Payments)
  const { base } = yield* serve(yield* stockedWorld(), payments, options, between)
  return base
})
