/**
 * A refund worker in memory, for tests: real decisions, real signatures, a ledger to be read back.
 *
 * @module
 */
import { Context, Duration, Effect, Fiber, Layer, Redacted, References, Schedule } from "effect"
import type { Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { layerLedger, type SimulationOptions } from "../../../src/payments/simulated/facilitator.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address, type Authorization } from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import type { Caps } from "../../../src/payments/domain/refund.ts"
import { Chain } from "../../../src/payments/Chain.ts"
import { Facilitator } from "../../../src/payments/Facilitator.ts"
import { RefundQueue } from "../../../src/payments/refunds/Refunds.ts"
import { RefundStore } from "../../../src/payments/refunds/RefundStore.ts"
import {
  defaultRefundTiming,
  type RefundTiming,
  RefundWorker,
} from "../../../src/payments/refunds/RefundWorker.ts"
import { Signatures } from "../../../src/payments/Signatures.ts"
import { Treasury } from "../../../src/payments/refunds/Treasury.ts"
import { buyer } from "./buyers.ts"
import { type Debt, Debts, type MemoryRefunds, memoryRefunds } from "./memoryRefunds.ts"
import { startSeconds } from "./sales.ts"
import { authorizationFor, nonce, terms, token } from "./terms.ts"
import { layerMemory } from "./memoryLedger.ts"

export const product = products.signals
const key = Redacted.make(`0x${"ab".repeat(32)}` as const)
/** How often a worker sweeps. */
const sweepEvery = Duration.seconds(15)

export type Ports =
  | RefundStore
  | RefundQueue
  | Debts
  | Ledger
  | Facilitator
  | Chain
  | Signatures
  | Treasury

/** What stands between the worker and its ports, to fail where it is told to. */
export interface PortOverrides {
  readonly store?: (store: RefundStore["Service"]) => RefundStore["Service"]
  readonly facilitator?: (facilitator: Facilitator["Service"]) => Facilitator["Service"]
  readonly chain?: (chain: Chain["Service"]) => Chain["Service"]
  readonly treasury?: (treasury: Treasury["Service"]) => Treasury["Service"]
}

export interface RefundHarnessOptions extends PortOverrides {
  readonly simulation?: SimulationOptions
}

export interface WorkerOptions {
  readonly caps?: Caps
  readonly timing?: Partial<RefundTiming>
}

const roomy: Caps = { perHour: 10n ** 12n, perDay: 10n ** 12n }

/** One more worker, for as long as the scope lives. */
export const worker = ({ caps = roomy, timing = {} }: WorkerOptions = {}): Effect.Effect<
  RefundWorker["Service"],
  never,
  Ports | Scope.Scope
> =>
  Layer.fresh(RefundWorker.layer({
    token,
    payTo: address(terms.payTo),
    caps,
    timing: { ...defaultRefundTiming, ...timing },
  })).pipe(Layer.build, Effect.map((context) => Context.get(context, RefundWorker)))

export interface House {
  readonly memory: MemoryRefunds
  /** Everything the treasury has signed, in order. */
  readonly signed: ReadonlyArray<Authorization>
}

/** Sets the clock to the start and gives the body a store of debts, a chain and a treasury. */
export const withRefundHarness = <A, E>(
  body: (house: House) => Effect.Effect<A, E, Ports | Scope.Scope>,
  options: RefundHarnessOptions = {},
): Effect.Effect<A, E> => {
  const same = <S>(service: S): S => service
  const { store = same, facilitator = same, chain = same, treasury = same } = options
  const memory = memoryRefunds()
  const signed: Array<Authorization> = []
  const ports = Layer.mergeAll(
    memory.layer,
    layerLedger(options.simulation).pipe(Layer.provideMerge(layerMemory)),
    Treasury.layer({ privateKey: key }),
  ).pipe(Layer.provideMerge(signatures))
  const noting = (treasury: Treasury["Service"]): Treasury["Service"] => ({
    ...treasury,
    sign: (token, authorization) =>
      Effect.tap(
        treasury.sign(token, authorization),
        () => Effect.sync(() => signed.push(authorization)),
      ),
  })
  const spoil = <I, S>(service: Context.Service<I, S>, change: (inner: S) => S) =>
    Effect.updateService(service, change)
  return TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.scoped(Effect.suspend(() => body({ memory, signed })))),
    spoil(RefundStore, store),
    spoil(Facilitator, facilitator),
    spoil(Chain, chain),
    spoil(Treasury, (inner) => noting(treasury(inner))),
    Effect.provide(ports),
    // What goes wrong here goes wrong on purpose.
    Effect.provideService(References.MinimumLogLevel, "None"),
  )
}

/** The n-th buyer's payment, and what is owed for it. */
export const debtOf = Effect.fnUntraced(function* (n: number, changes: Partial<Debt> = {}) {
  const { paymentId } = yield* Signatures
  const payment = authorizationFor(buyer(n), product, startSeconds, { nonce: nonce(n) })
  const debt: Debt = {
    paymentId: paymentId({ ...token, ...payment }),
    ...{ chainId: token.chainId, asset: token.asset, payer: payment.from, payTo: payment.to },
    ...{ amount: payment.value, paymentNonce: payment.nonce },
    ...{ paymentValidBefore: payment.validBefore, paidTransaction: null },
    ...changes,
  }
  return debt
})

/** The n-th buyer has paid, as the chain shows now. */
export const pay = Effect.fnUntraced(function* (debt: Debt) {
  const ledger = yield* Ledger
  const { digest } = yield* Signatures
  const nowMs = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
  yield* ledger.transfer({
    ...{ asset: debt.asset, from: debt.payer, to: debt.payTo, value: debt.amount },
    ...{ nonce: debt.paymentNonce, transaction: digest(`paid:${debt.paymentId}`) },
    blockTime: BigInt(Math.floor(nowMs / 1_000)),
  })
})

/** The n-th buyer has paid, and nobody has answered. */
export const owed = Effect.fnUntraced(function* (n: number) {
  const debt = yield* debtOf(n)
  yield* pay(debt)
  yield* Effect.flatMap(Debts, ({ owe }) => owe(debt))
  return debt
})

/** A worker's process for a while: a sweep, and 15 s later the next. What it does goes on after it. */
export const sweepFor = Effect.fnUntraced(
  function* ({ sweep }: RefundWorker["Service"], seconds: number) {
    const fiber = yield* Effect.forkChild(
      sweep.pipe(Effect.catchDefect(() => Effect.void), Effect.repeat(Schedule.spaced(sweepEvery))),
    )
    for (let passed = 0; passed < seconds; passed += 5) yield* TestClock.adjust("5 seconds")
    yield* Fiber.interrupt(fiber)
  },
)

/** Where refunds stand. */
export const statesOf = (debts: ReadonlyArray<Debt>) =>
  Effect.flatMap(
    Debts,
    ({ read }) =>
      Effect.forEach(debts, ({ paymentId }) => Effect.map(read(paymentId), ({ refund }) => refund)),
  )

/** What the treasury has paid on the chain, and what the payers of these debts were paid by anybody. */
export const paidBack = Effect.fnUntraced(function* (debts: ReadonlyArray<Debt>) {
  const ledger = yield* Ledger
  const treasury = yield* Treasury
  const payers = [...new Set(debts.map(({ payer }) => payer))]
  const received = yield* Effect.forEach(payers, ledger.received)
  return {
    spent: playBalance - (yield* ledger.balance(treasury.address)),
    received: received.reduce((sum, units) => sum + units, 0n),
  }
})

/** Every one of these debts was paid back, whole, and once. */
export const eachPaidOnce = (debts: ReadonlyArray<Debt>) => {
  const sum = debts.reduce((sum, { amount }) => sum + amount, 0n)
  return { spent: sum, received: sum }
}
