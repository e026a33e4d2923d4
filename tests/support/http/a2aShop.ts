/**
 * A shop at /a2a for tests: faces that take their time, and buyers who sign what a task asks for.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Clock, Effect, Fiber, Layer } from "effect"
import type { Authorization } from "../../../src/payments/domain/payment.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { dataPart, type Handle, type Json, objectIn, send } from "./a2a.ts"
import { buyer, sign } from "../payments/buyers.ts"
import { eventLoopTurn } from "../effect.ts"
import { makeService, type World } from "./face.ts"
import { passing, taken } from "../payments/sales.ts"
import { stockedWorld } from "./shop.ts"
import { authorizationFor, wirePayment } from "../payments/terms.ts"

/** Turns of the event loop a request may take, and how many go by in a second of the test's clock. */
const turnsMax = 400
const turnsASecond = 10

/** A face whose every request has as much time as it needs. */
const timely = (face: Handle): Handle => ({
  get: Effect.fnUntraced(function* (path, init) {
    const asked = yield* Effect.forkChild(face.get(path, init))
    for (let n = 0; n < turnsMax && asked.pollUnsafe() === undefined; n++) {
      yield* eventLoopTurn
      if (n % turnsASecond === turnsASecond - 1) yield* passing(1)
    }
    return yield* Fiber.join(asked)
  }),
})

export const serviceOver = Effect.fnUntraced(
  function* (world: World, payments: Payments["Service"]) {
    return timely(yield* makeService(world, Layer.succeed(Payments, payments)))
  },
)
export const shop = Effect.gen(function* () {
  const world = yield* stockedWorld
  return { world, face: yield* serviceOver(world, yield* Payments) }
})

/** What a buyer signs for a product now, as it looks on the wire. */
export const signed = Effect.fnUntraced(function* (
  product: Product,
  changes: Partial<Authorization> = {},
  payer = 0,
) {
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  const account = buyer(payer)
  const authorization = authorizationFor(account, product, now, changes)
  return wirePayment(product, authorization, yield* sign(account, authorization))
})

/** A payment of the same authorization that nobody has signed. */
export const forged = (wire: Effect.Success<ReturnType<typeof signed>>) => ({
  ...wire,
  payload: { ...wire.payload, signature: wire.payload.signature.replace(/^0x.{8}/, "0x11111111") },
})

export const offer = Effect.fnUntraced(
  function* (face: Handle, product: Product, params: Json = {}) {
    const { task } = yield* send(face, [dataPart(`get_${product.id}`, params)])
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
