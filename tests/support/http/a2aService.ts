/**
 * A service for tests of /a2a, whose requests advance the test clock; and the payments of its
 * buyers.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Fiber, Layer } from "effect"
import type { Authorization } from "../../../src/payments/domain/payment.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { dataPart, type Handle, type Json, objectIn, send } from "./a2a.ts"
import { eventLoopTurn } from "../effect.ts"
import { makeService, type World } from "./httpService.ts"
import { passing, taken } from "../payments/sales.ts"
import { stockedWorld } from "./servedService.ts"
import { signedFor, type Wire } from "./signed.ts"

/** The event loop turns that a request may take. */
const turnsMax = 400
/** After so many turns the test clock advances by a second. */
const turnsPerSecond = 10

/** Advances the test clock until each request has its answer. */
const advancingClock = (service: Handle): Handle => ({
  get: Effect.fnUntraced(function* (path, init) {
    const request = yield* Effect.forkChild(service.get(path, init))
    for (let n = 0; n < turnsMax && request.pollUnsafe() === undefined; n++) {
      yield* eventLoopTurn
      if (n % turnsPerSecond === turnsPerSecond - 1) yield* passing(1)
    }
    return yield* Fiber.join(request)
  }),
})

export const serviceOver = Effect.fnUntraced(
  function* (world: World, payments: Payments["Service"]) {
    return advancingClock(yield* makeService(world, Layer.succeed(Payments, payments)))
  },
)
export const a2aService = Effect.gen(function* () {
  const world = yield* stockedWorld()
  return { world, service: yield* serviceOver(world, yield* Payments) }
})

/** The payment payload that a buyer signs for a product, valid now. */
export const signed = (product: Product, changes: Partial<Authorization> = {}, payer = 0) =>
  Effect.map(signedFor(product, { ...changes, n: payer }), ({ wire }) => wire)

/** The same payment with an invalid signature. */
export const forged = (wire: Wire) => ({
  ...wire,
  payload: { ...wire.payload, signature: wire.payload.signature.replace(/^0x.{8}/, "0x11111111") },
})

export const offer = Effect.fnUntraced(
  function* (service: Handle, product: Product, params: Json = {}) {
    const { task } = yield* send(service, [dataPart(`get_${product.id}`, params)])
    equal([task.state, task.metadata["x402.payment.status"]], [
      "input-required",
      "payment-required",
    ])
    return task
  },
)

export const receiptsIn = ({ metadata }: { readonly metadata: Json }) =>
  metadata["x402.payment.receipts"] as ReadonlyArray<Json>
export const errorIn = ({ data }: { readonly data: Json | null }) => objectIn(data?.["error"])
export const pricesTaken = Effect.map(taken, ({ spent, received }) => {
  equal(spent, received)
  return received
})
