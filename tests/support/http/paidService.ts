/**
 * The service with something to sell on every route, and real payments on a simulated chain.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, References } from "effect"
import type { SimulationOptions } from "../payments/simulated.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import type { DigestStore } from "../../../src/digest/DigestStore.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { buyer, sign } from "../payments/buyers.ts"
import { makeService, makeWorld, type World } from "./httpService.ts"
import { endingMarket, type ProductPorts, stock } from "../products.ts"
import { inMarket, type Market, passing, startSeconds } from "../payments/sales.ts"
import { faultOf } from "./shape.ts"
import { authorizationFor, headerOf, nonce, token, wirePayment } from "../payments/terms.ts"

export const now = startSeconds * 1_000
/** The test clock's time for one call: more than a sale needs when the facilitator has no delay. */
const callSeconds = 2

export interface PaidService {
  readonly productPorts: ProductPorts
  /** One digest is stored at the start. */
  readonly digests: DigestStore["Service"]
  /** The feed, and when the last good tick ended. */
  readonly feed: Pick<World, "items" | "lastTickAt">
  /** Calls while the test clock advances, and checks the answer against the contract. */
  readonly call: (target: string, init?: RequestInit) => Effect.Effect<Response>
  readonly pay: (product: Product, query?: string, n?: number) => Effect.Effect<Response>
}

export const payment = Effect.fnUntraced(function* (product: Product, n: number) {
  const account = buyer(0)
  const authorization = authorizationFor(account, product, startSeconds, { nonce: nonce(n) })
  const signature = yield* sign(account, authorization)
  return { authorization, header: headerOf(wirePayment(product, authorization, signature)) }
})

/** Runs `body` with a service whose payments are real, except for the chain and the facilitator. */
export const withPaidService = <E>(
  body: (service: PaidService) => Effect.Effect<void, E, Market>,
  simulation: SimulationOptions = {},
) =>
  inMarket(
    Effect.gen(function* () {
      const world = yield* makeWorld(3)
      yield* stock(world.productPorts, now, [1, 2, 30].map((n) => endingMarket(n, now)))
      const service = yield* makeService(world, Layer.succeed(Payments, yield* Payments))
      const call = Effect.fnUntraced(function* (target: string, init: RequestInit = {}) {
        const fiber = yield* Effect.forkChild(service.get(target, init))
        yield* passing(callSeconds)
        const response = yield* Fiber.join(fiber)
        const path = target.split("?")[0] ?? ""
        strictEqual(yield* faultOf(path, init.method ?? "GET", response), null, target)
        return response
      })
      const pay = Effect.fnUntraced(function* (product: Product, query = "", n = 0) {
        const { header } = yield* payment(product, n)
        return yield* call(product.path + query, { headers: { "payment-signature": header } })
      })
      return yield* body({
        productPorts: world.productPorts,
        digests: world.digests,
        feed: world,
        call,
        pay,
      })
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
    simulation,
  )

export const json = (response: Response) => Effect.promise(() => response.json())

/** What `taken` returns after one payment for a product. */
export const once = (product: Product) => ({ spent: product.price, received: product.price })

export const statusOf = Effect.fnUntraced(
  function* ({ call }: PaidService, product: Product, n = 0) {
    const signatures = yield* Signatures
    const { authorization } = yield* payment(product, n)
    return yield* call(`/v1/payments/${signatures.paymentId({ ...token, ...authorization })}`)
  },
)
