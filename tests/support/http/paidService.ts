/**
 * The service with something to sell on every route, and real payments on a simulated chain.
 *
 * @module
 */
import { strictEqual } from "node:assert/strict"
import { Effect, Fiber, Layer, References, type Scope } from "effect"
import { type Body, effectOf, test } from "../effect.ts"
import type { SimulationOptions } from "../payments/simulated.ts"
import type { Product } from "../../../src/catalog/domain/product.ts"
import type { DigestStore } from "../../../src/digest/DigestStore.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { makeService, makeWorld, type World } from "./httpService.ts"
import { endingMarket, type ProductPorts, stock } from "../products.ts"
import { inMarket, type Market, passing, startSeconds } from "../payments/sales.ts"
import { faultOf } from "./shape.ts"
import { nonce, token } from "../payments/terms.ts"
import { signedFor } from "./signed.ts"

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

/** The n-th payment for a product, signed at the start of the test. */
export const payment = (product: Product, n: number) =>
  signedFor(product, { nonce: nonce(n), atSeconds: startSeconds })

/** Runs `body` with a service whose payments are real, except for the chain and the facilitator. */
export const withPaidService = (
  body: (service: PaidService) => ReturnType<Body<Market>>,
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
      const { productPorts, digests } = world
      yield* effectOf(() => body({ productPorts, digests, feed: world, call, pay }))
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "None")),
    simulation,
  )

/** A test with such a service. */
export const paidTest = (
  name: string,
  body: (service: PaidService) => ReturnType<Body<Market>>,
): void => test(name, () => withPaidService(body))

/** A test of a buyer's market, on the TestClock. */
export const marketTest = (
  name: string,
  body: Body<Market | Scope.Scope>,
  simulation?: SimulationOptions,
): void => test(name, () => inMarket(effectOf(body), simulation))

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
