/**
 * The service on a real socket for buyers' packages: its terms name the socket's own address, its
 * payments are simulated, and a test may come between a request and its answer.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { address } from "../../../src/payments/domain/payment.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { makeService, serviceOptions } from "../http/httpService.ts"
import { stockedWorld } from "../http/socketService.ts"
import { terms } from "../payments/terms.ts"

/** Answers a request, possibly with the service's own answer. */
export type Between = (
  request: Request,
  answer: (request: Request) => Promise<Response>,
) => Promise<Response>

/** Serves until the scope closes; returns the origin. */
export const openShop = Effect.fnUntraced(function* (
  between: Between = (request, answer) => answer(request),
  options: Partial<typeof serviceOptions> = {},
) {
  const world = yield* stockedWorld
  const opened = Promise.withResolvers<(request: Request) => Promise<Response>>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        async (request) => await between(request, await opened.promise),
      )
    ),
    (server) => Effect.promise(() => server.shutdown()),
  )
  const base = `http://127.0.0.1:${server.addr.port}`
  const service = yield* makeService(world, Layer.succeed(Payments, yield* Payments), {
    ...serviceOptions,
    terms: { ...terms, publicBaseUrl: base },
    // Several hosts call it from one address within a minute.
    limits: { ...serviceOptions.limits, free: "off" },
    ...options,
  })
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "127.0.0.1", port: 1 }
  opened.resolve(async (request) => await service.handle(request, { remoteAddr }))
  return base
})

/** What an address has spent. */
export const spentBy = (payer: string) =>
  Effect.map(
    Effect.flatMap(Ledger, (ledger) => ledger.balance(address(payer))),
    (balance) => playBalance - balance,
  )
