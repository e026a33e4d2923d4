/**
 * A seller in memory for tests: the real sale, real signatures, and a ledger that can be read.
 *
 * @module
 */
import {
  Context,
  Deferred,
  Duration,
  Effect,
  Fiber,
  Layer,
  Option,
  References,
  Result,
  type Scope,
} from "effect"
import { TestClock } from "effect/testing"
import { layerLedger, type SimulationOptions } from "./simulated.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import {
  address,
  type Authorization,
  type PaymentId,
  type PaymentState,
} from "../../../src/payments/domain/payment.ts"
import { recordOf } from "./record.ts"
import type { Purchase, Work, WorkResult } from "../../../src/payments/purchase.ts"
import type { Outcome } from "../../../src/payments/purchase.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { type Product, products } from "../../../src/catalog/domain/product.ts"
import {
  type FailedSale,
  NotCharged,
  RefundQueued,
  Unresolved,
} from "../../../src/payments/domain/failedSale.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { failover } from "../../../src/payments/facilitator/failover.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import type { PaymentOptions } from "../../../src/payments/sell.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { defaultTiming, type PaymentTiming } from "../../../src/payments/timing.ts"
import { testKey } from "../signing/key.ts"
import { buyer, payloadOf, sign } from "./buyers.ts"
import { RateLimits } from "../../../src/core/RateLimits.ts"
import { authorizationFor, terms, token } from "./terms.ts"
import { memoryPaymentStore } from "./memoryPayments.ts"
import { claimed } from "./claims.ts"
import { layerMemory } from "./memoryLedger.ts"

export type { Purchase, Work, WorkResult }
/** The end of a call. */
export type Ended = Result.Result<Outcome, FailedSale>

export const startSeconds = 1_800_000_000
export const product = products.latest
/** A settle-early product of the same price. */
export const early: Product = { ...product, id: "early", settlementOrder: "settle-early" }
const utf8 = new TextEncoder()

/** The default timing with fewer retries, which no TestClock test needs. */
export const timing: PaymentTiming = { ...defaultTiming, proveRetriesMax: 2, waitRetriesMax: 5 }

/** The payments of a service; what is not paid for is not counted. */
export const paymentsLayer = (options: Partial<PaymentOptions> = {}) =>
  Payments.layer({
    terms,
    timing: defaultTiming,
    sign: testKey.sign,
    verificationsMax: 256,
    salesMax: 512,
    rateLimits: RateLimits.of({
      take: () => Effect.succeed({ granted: true, remaining: 1, resetMs: 0 }),
      giveBack: () => Effect.void,
      prune: () => Effect.succeed(0),
    }),
    ...options,
  })

/** The memory store with some methods replaced. */
export const memoryStoreWith = (
  replace: (store: PaymentStore["Service"]) => Partial<PaymentStore["Service"]>,
): Layer.Layer<PaymentStore> =>
  Layer.effect(
    PaymentStore,
    Effect.map(PaymentStore, (store) => PaymentStore.of({ ...store, ...replace(store) })),
  ).pipe(Layer.provide(memoryPaymentStore))

/** What a market has besides one facilitator and one endpoint of the chain. */
interface MarketChanges {
  readonly chain?: (chain: Chain["Service"]) => Chain["Service"]
  /** A second facilitator on the same ledger, which is asked when the first does not answer. */
  readonly second?: SimulationOptions
}

export const market = (
  simulation: SimulationOptions = {},
  store: Layer.Layer<PaymentStore> = memoryPaymentStore,
  { chain = (one) => one, second }: MarketChanges = {},
) => {
  const ledger = layerLedger(simulation).pipe(Layer.provideMerge(layerMemory))
  const bothFacilitators = Effect.gen(function* () {
    const first = yield* Facilitator
    if (second === undefined) return first
    const built = yield* Layer.build(Layer.fresh(layerLedger(second)))
    return failover([first, Context.get(built, Facilitator)])
  })
  const ports = Layer.merge(
    store,
    Layer.merge(
      Layer.effect(Chain, Effect.map(Chain, chain)),
      Layer.effect(Facilitator, bothFacilitators),
    ).pipe(Layer.provideMerge(ledger)),
  ).pipe(Layer.provideMerge(signatures))
  return paymentsLayer({ timing }).pipe(Layer.provideMerge(ports))
}

type Ports = PaymentStore | Ledger | Signatures | Chain | Facilitator
export type Market = Payments | Ports

/** Another service on the same store, ledger and chain, as replicas share them. */
export const replicaWith = Effect.fnUntraced(function* (options: Partial<PaymentOptions> = {}) {
  const ports = yield* Effect.context<Ports>()
  const layer = Layer.fresh(paymentsLayer({ timing, ...options }))
  const built = yield* Layer.build(Layer.provide(layer, Layer.succeedContext(ports)))
  return Context.get(built, Payments)
})

export const replica = replicaWith()

/** A work without a check. */
export const workOf = (work: Effect.Effect<WorkResult, NotCharged>): Work => ({
  check: Effect.void,
  compute: work,
})

/** An answer with this text, worth its price by default. */
export const answering = (text = "answer", charge = true): Effect.Effect<WorkResult, NotCharged> =>
  Effect.succeed({ body: utf8.encode(text), charge })

/** A signed payment for the product, with its request. */
export const purchase = Effect.fnUntraced(function* (
  changes: Partial<Purchase> & {
    readonly authorization?: Partial<Authorization>
    readonly payer?: number
  } = {},
) {
  const { authorization: changed, payer = 0, ...rest } = changes
  const account = buyer(payer)
  const sold = rest.product ?? product
  const authorization = authorizationFor(account, sold, startSeconds, changed)
  const signature = yield* sign(account, authorization)
  return purchaseOf({ payment: payloadOf(authorization, signature), ...rest })
})

/** A purchase of the product, from one address as behind one proxy, with these changes. */
export const purchaseOf = (
  changes: Partial<Purchase> & Pick<Purchase, "payment">,
): Purchase => ({
  product,
  request: "latest?[]",
  validityFault: null,
  secret: null,
  client: { client: "192.0.2.1", site: null },
  onAbandoned: () => Effect.void,
  ...changes,
})

/** The id of a payment. */
export const idOf = ({ payment }: Purchase): Effect.Effect<PaymentId, never, Signatures> =>
  Effect.map(Signatures, ({ paymentId }) => paymentId({ ...token, ...payment.authorization }))

/** The record of a payment; null when there is none. */
export const rowOf = Effect.fnUntraced(function* (bought: Purchase) {
  const store = yield* PaymentStore
  const found = yield* store.find(yield* idOf(bought))
  return Option.getOrNull(Option.map(found, recordOf))
})

/** The state of a payment; null when there is none. */
export const stateOf = (bought: Purchase): Effect.Effect<
  PaymentState | null,
  never,
  PaymentStore | Signatures
> => Effect.map(rowOf(bought), (row) => row?.state ?? null)

/** A buyer's outcome as text: the answer, or the code of the error. */
export function outcomeText(result: Result.Result<Outcome, { readonly _tag: string }>): string {
  if (Result.isSuccess(result)) {
    const { body, replayed } = result.success
    return `${new TextDecoder().decode(body)}${replayed ? " again" : ""}`
  }
  const { failure } = result
  if (failure instanceof NotCharged) return failure.code
  return failure instanceof RefundQueued ? `RefundQueued: ${failure.code}` : failure._tag
}

/** A refusal without a charge by this call; `taken`: by an earlier one. */
export const refusing = (
  code: NotCharged["code"],
  taken?: boolean,
): Effect.Effect<never, NotCharged> =>
  Effect.fail(new NotCharged({ code, message: code, ...taken === undefined ? {} : { taken } }))

/** The `charged` value of the response, as the paywall sends it. */
export function chargedOf(result: Ended): boolean | null {
  if (Result.isSuccess(result)) return result.success.receipt !== null
  const { failure } = result
  if (failure instanceof RefundQueued) return true
  if (failure instanceof Unresolved) return null
  return failure.taken === undefined ? false : failure.taken
}

/** The id of the payment that a response is about, when it names one. */
export function idIn(result: Ended): string | null {
  if (Result.isSuccess(result)) return result.success.paymentId
  return result.failure instanceof RefundQueued ? result.failure.refund.id : null
}

/** Looks up a payment, with the outcome that a call with it would have. */
export const lookingUp = (
  { findOutcome }: Payments["Service"],
  ...found: Parameters<Payments["Service"]["findOutcome"]>
): Effect.Effect<Outcome, FailedSale> =>
  Effect.flatMap(
    findOutcome(...found),
    (outcome) =>
      outcome === null ? refusing("payments_unavailable", false) : Effect.succeed(outcome),
  )

/** Stores a payment as claimed, as when the process of its worker stops responding. */
export const storeClaimed = Effect.fnUntraced(function* (
  bought: Purchase,
  lease: Duration.Duration = timing.lease,
) {
  const { digest } = yield* Signatures
  const { payment: { authorization, signature }, product, request, secret } = bought
  const id = yield* idOf(bought)
  const ticket = {
    paymentId: id,
    token,
    authorization,
    signature,
    amount: product.price,
    settlementOrder: product.settlementOrder,
    productId: product.id,
    request,
  }
  const hash = secret === null ? null : digest(`secret/v1:${id}:${secret}`)
  return yield* claimed(ticket, hash, lease)
})

/** Stores a payment as claimed and released, as when its buyer hangs up before the intent. */
export const storeReleased = Effect.fnUntraced(function* (bought: Purchase) {
  const store = yield* PaymentStore
  const payment = yield* storeClaimed(bought)
  yield* store.move(payment, { event: "release", reason: "internal_error" })
})

/** Starts a call in the background, and returns its fiber. */
export const calling = Effect.fnUntraced(function* (bought: Purchase, task: Work) {
  const { sell } = yield* Payments
  return yield* Effect.forkChild(Effect.map(Effect.result(sell(bought, task)), outcomeText))
})

/** A sale that waits in its work; `end` lets it end, and returns the buyer's outcome. */
export const heldSale = Effect.fnUntraced(function* (bought: Purchase) {
  const { began, open, work } = yield* gatedWork
  const call = yield* calling(bought, workOf(work))
  yield* began
  return { call, end: Effect.andThen(open, Effect.andThen(passing(1), Fiber.join(call))) }
})

/** Sales that wait in their work, and what lets them end. */
export const heldSales = Effect.fnUntraced(function* (purchases: ReadonlyArray<Purchase>) {
  const { began, open, work } = yield* gatedWork
  const calls = yield* Effect.forEach(purchases, (bought) => calling(bought, workOf(work)))
  yield* began
  yield* passing(0)
  return Effect.andThen(open, Effect.andThen(passing(2), Effect.forEach(calls, Fiber.join)))
})

/** Makes a call, lets this many seconds pass, and returns the buyer's outcome. */
export const buying = Effect.fnUntraced(function* (bought: Purchase, task: Work, seconds = 5) {
  const call = yield* calling(bought, task)
  yield* passing(seconds)
  return yield* Fiber.join(call)
})

/**
 * Uses the payment's nonce directly on the chain: for a transfer of `value`, or for a cancellation.
 */
export const useNonce = Effect.fnUntraced(function* (
  { payment }: Purchase,
  value: bigint | null,
  blockTime = BigInt(startSeconds),
) {
  const ledger = yield* Ledger
  const { from, to, nonce } = payment.authorization
  const spent = { asset: token.asset, from, nonce, transaction: "0xcc", blockTime }
  yield* value === null ? ledger.cancel(spent) : ledger.transfer({ ...spent, to, value })
})

/**
 * What the ledger shows as taken from the buyer and as received by us. When they differ, money was
 * lost.
 */
export const taken = Effect.gen(function* () {
  const ledger = yield* Ledger
  const spent = playBalance - (yield* ledger.balance(address(buyer(0).address)))
  const received = yield* ledger.received(address(terms.payTo))
  return { spent, received }
})

export const nothing = { spent: 0n, received: 0n }
export const once = { spent: product.price as bigint, received: product.price as bigint }

/** Sets the clock to the start, and runs the body in a market. */
export const inMarket = <A, E>(
  body: Effect.Effect<A, E, Market | Scope.Scope>,
  simulation: SimulationOptions = {},
  store: Layer.Layer<PaymentStore> = memoryPaymentStore,
  changes: MarketChanges = {},
): Effect.Effect<A, E> =>
  TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.scoped(body)),
    Effect.provide(market(simulation, store, changes)),
  )

/** Runs the service's sweeps and its scan every 15 s. */
export const sweepingFor = Effect.fnUntraced(function* (seconds: number) {
  const { sweep, sweepReleased, scan } = yield* Payments
  const round = Effect.all([sweep, sweepReleased, Effect.ignore(scan)])
  for (let passed = 0; passed < seconds; passed += 15) {
    yield* Effect.forkChild(round)
    yield* TestClock.adjust("15 seconds")
  }
})

/** Without logs, for failures that are intended. */
export const quietly = Effect.provideService(References.MinimumLogLevel, "None")

/** A work that signals its start and waits until it is opened. */
export const gatedWork = Effect.gen(function* () {
  const began = yield* Deferred.make<void>()
  const gate = yield* Deferred.make<void>()
  const work: Effect.Effect<WorkResult, NotCharged> = Deferred.succeed(began, undefined).pipe(
    Effect.andThen(Deferred.await(gate)),
    Effect.andThen(answering()),
  )
  return { began: Deferred.await(began), open: Deferred.succeed(gate, undefined), work }
})

/** Lets this much time pass, and runs everything that is due in it. */
export const passing = (seconds: number) => TestClock.adjust(Duration.seconds(seconds))
