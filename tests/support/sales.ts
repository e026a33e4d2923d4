/**
 * A seller in memory, for tests: real saga, real signatures, a ledger that can be read back.
 *
 * @module
 */
import { Deferred, Duration, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { layerLedger, type SimulationOptions } from "../../src/adapters/simulation/facilitator.ts"
import { layerMemory, Ledger, playBalance } from "../../src/adapters/simulation/ledger.ts"
import { layer as signatures } from "../../src/adapters/signatures.ts"
import { address, type Authorization, type PaymentState } from "../../src/domain/payment.ts"
import { products } from "../../src/domain/product.ts"
import type { NotCharged } from "../../src/domain/refusal.ts"
import { Payments } from "../../src/services/Payments.ts"
import type { Answer, Purchase } from "../../src/services/sale.ts"
import { PaymentStore } from "../../src/services/PaymentStore.ts"
import type { Task } from "../../src/services/settlement.ts"
import { Signatures } from "../../src/services/Signatures.ts"
import { defaultTiming, type PaymentTiming } from "../../src/services/timing.ts"
import { buyer, shown, sign } from "./buyers.ts"
import { authorizationFor, terms, token } from "./terms.ts"
import { memoryPaymentStore } from "./memoryPayments.ts"

export const startSeconds = 1_800_000_000
export const product = products.latest
const utf8 = new TextEncoder()

/** Real timing but for the length of the waits, which no TestClock test needs. */
export const timing: PaymentTiming = { ...defaultTiming, proveTimes: 2, waitTimes: 5 }

export const market = (
  simulation: SimulationOptions = {},
  store: Layer.Layer<PaymentStore> = memoryPaymentStore,
) => {
  const ports = Layer.mergeAll(
    store,
    layerLedger(simulation).pipe(Layer.provideMerge(layerMemory)),
  ).pipe(Layer.provideMerge(signatures))
  return Payments.layer({ terms, timing }).pipe(Layer.provideMerge(ports))
}

export type Market = Payments | PaymentStore | Ledger | Signatures

/** A task that has nothing to check. */
export const doing = (work: Effect.Effect<Answer, NotCharged>): Task => ({
  check: Effect.void,
  work,
})

/** An answer that is worth its price, and says which one it is. */
export const answering = (text = "answer", charge = true): Effect.Effect<Answer, NotCharged> =>
  Effect.succeed({ body: utf8.encode(text), charge })

/** A signed payment for the product, and the request it is for. */
export const purchase = Effect.fnUntraced(function* (
  changes: Partial<Purchase> & { readonly authorization?: Partial<Authorization> } = {},
) {
  const { authorization: changed, ...rest } = changes
  const account = buyer(0)
  const authorization = authorizationFor(account, product, startSeconds, changed)
  const signature = yield* sign(account, authorization)
  const bought: Purchase = {
    product,
    request: "latest?[]",
    payment: shown(authorization, signature),
    late: null,
    secret: null,
    ...rest,
  }
  return bought
})

/** Where a payment stands. */
export const stateOf = Effect.fnUntraced(function* ({ payment }: Purchase) {
  const store = yield* PaymentStore
  const signatures = yield* Signatures
  const found = yield* store.find(
    signatures.paymentId({ ...token, ...payment.authorization }),
  )
  return Option.map(found, ({ state }): PaymentState => state).pipe(Option.getOrNull)
})

/** What the ledger says was taken: from the buyer, and by us. They are equal, or money was lost. */
export const taken = Effect.gen(function* () {
  const ledger = yield* Ledger
  const spent = playBalance - (yield* ledger.balance(address(buyer(0).address)))
  const received = yield* ledger.received(address(terms.payTo))
  return { spent, received }
})

export const nothing = { spent: 0n, received: 0n }
export const once = { spent: product.price as bigint, received: product.price as bigint }

/** Sets the clock to the start and gives the body a market. */
export const inMarket = <A, E>(
  body: Effect.Effect<A, E, Market>,
  simulation: SimulationOptions = {},
  store: Layer.Layer<PaymentStore> = memoryPaymentStore,
): Effect.Effect<A, E> =>
  TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(body),
    Effect.provide(market(simulation, store)),
  )

/** A work that waits until it is let go, and says when it began. */
export const gatedWork = Effect.gen(function* () {
  const began = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const work: Effect.Effect<Answer, NotCharged> = Deferred.succeed(began, undefined).pipe(
    Effect.andThen(Deferred.await(gate)),
    Effect.andThen(answering()),
  )
  return { began: Deferred.await(began), open: Deferred.succeed(gate, undefined), work }
})

/** Lets time pass until everything that waits for it has come to an end. */
export const passing = (seconds: number) => TestClock.adjust(Duration.seconds(seconds))
