/**
 * The service on a real socket, with something to sell on every route.
 *
 * @module
 */
import { Clock, Effect, Layer, Ref } from "effect"
import { Payments } from "../../../src/payments/Payments.ts"
import { makeService, makeWorld } from "./httpService.ts"
import { bookOf, endingMarket, pricesOver, whaleRow } from "../products.ts"

/** A world with something to sell on every route. */
export const stockedWorld = Effect.gen(function* () {
  const world = yield* makeWorld(3)
  const now = yield* Clock.currentTimeMillis
  const { markets, books, series, whales } = world.productPorts
  const sold = endingMarket(1, now)
  yield* Ref.set(markets, [sold])
  yield* Ref.set(books, [bookOf(sold, now)])
  yield* Ref.set(series, pricesOver(7 * 24, now, { from: 0.4, to: 0.6 }))
  yield* Ref.set(whales, [{ computedAt: now, row: whaleRow() }])
  return world
})

/** Serves until the scope closes and returns the origin; `alter` may change each response. */
export const openService = Effect.fnUntraced(function* (
  alter: (response: Response, request: Request) => Response = (response) => response,
) {
  const world = yield* stockedWorld
  const service = yield* makeService(world, Layer.succeed(Payments, yield* Payments))
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        async (request, info) => alter(await service.handle(request, info), request),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  return `http://127.0.0.1:${server.addr.port}`
})
