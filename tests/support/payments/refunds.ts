/**
 * A refund worker in memory for tests: real decisions, real signatures, and a ledger that can be
 * read.
 *
 * @module
 */
import { Context, Duration, Effect, Fiber, Layer, Redacted, References, Schedule } from "effect"
import type { Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as signatures } from "../../../src/payments/wasmSignatures.ts"
import { layerLedger, type SimulationOptions } from "./simulated.ts"
import { Ledger, playBalance } from "../../../src/payments/simulated/ledger.ts"
import { address, type Authorization } from "../../../src/payments/domain/payment.ts"
import { products } from "../../../src/catalog/domain/product.ts"
import type { Caps, RefundOutcome } from "../../../src/payments/domain/refund.ts"
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
/** The interval between sweeps. */
const sweepInterval = Duration.seconds(15)

export type Ports =
  | RefundStore
  | RefundQueue
  | Debts
  | Ledger
  | Facilitator
  | Chain
  | Signatures
  | Treasury

/** Wrappers around the worker's ports, to make them fail. */
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
  readonly unmatchedCaps?: Caps
  readonly timing?: Partial<RefundTiming>
}

const noCaps: Caps = { perHour: 10n ** 12n, perDay: 10n ** 12n }

interface TestWorker {
  /** Sweeps both queues, one after the other. */
  readonly sweep: Effect.Effect<ReadonlyArray<RefundOutcome>>
  readonly sweepQueue: RefundWorker["Service"]["sweep"]
}

/** Starts another worker, until the scope closes. */
export const worker = (
  { caps = noCaps, unmatchedCaps = noCaps, timing = {} }: WorkerOptions = {},
): Effect.Effect<
  TestWorker,
  never,
  Ports | Scope.Scope
> =>
  Layer.fresh(RefundWorker.layer({
    token,
    payTo: address(terms.payTo),
    caps: { sales: caps, unmatched: unmatchedCaps },
    timing: { ...defaultRefundTiming, ...timing },
  })).pipe(
    Layer.build,
    Effect.map((context) => {
      const { sweep } = Context.get(context, RefundWorker)
      const both = Effect.zipWith(sweep("sales"), sweep("unmatched"), (a, b) => [...a, ...b])
      return { sweep: both, sweepQueue: sweep }
    }),
  )

export interface RefundHarness {
  readonly memory: MemoryRefunds
  /** Everything that the treasury has signed, in order. */
  readonly signed: ReadonlyArray<Authorization>
}

/** Sets the clock to the start, and runs the body with a store of debts, a chain and a treasury. */
export const withRefundHarness = <A, E>(
  body: (harness: RefundHarness) => Effect.Effect<A, E, Ports | Scope.Scope>,
  options: RefundHarnessOptions = {},
): Effect.Effect<A, E> => {
  const unchanged = <S>(service: S): S => service
  const { store = unchanged, facilitator = unchanged, chain = unchanged, treasury = unchanged } =
    options
  const memory = memoryRefunds()
  const signed: Array<Authorization> = []
  const ports = Layer.mergeAll(
    memory.layer,
    layerLedger(options.simulation).pipe(Layer.provideMerge(layerMemory)),
    Treasury.layer({ privateKey: key }),
  ).pipe(Layer.provideMerge(signatures))
  const recording = (treasury: Treasury["Service"]): Treasury["Service"] => ({
    ...treasury,
    sign: (token, authorization) =>
      Effect.tap(
        treasury.sign(token, authorization),
        () => Effect.sync(() => signed.push(authorization)),
      ),
  })
  const override = <I, S>(service: Context.Service<I, S>, change: (inner: S) => S) =>
    Effect.updateService(service, change)
  return TestClock.setTime(startSeconds * 1_000).pipe(
    Effect.andThen(Effect.scoped(Effect.suspend(() => body({ memory, signed })))),
    override(RefundStore, store),
    override(Facilitator, facilitator),
    override(Chain, chain),
    override(Treasury, (inner) => recording(treasury(inner))),
    Effect.provide(ports),
    // The failures in these tests are intended.
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

/** Records the n-th buyer's payment on the chain. */
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

/** The n-th buyer has paid and has no answer. */
export const owed = Effect.fnUntraced(function* (n: number, changes: Partial<Debt> = {}) {
  const debt = yield* debtOf(n, changes)
  yield* pay(debt)
  yield* Effect.flatMap(Debts, ({ owe }) => owe(debt))
  return debt
})

/** Runs a worker for some time, with a sweep every 15 s. What it started continues after it. */
export const sweepFor = Effect.fnUntraced(
  function* ({ sweep }: Pick<TestWorker, "sweep">, seconds: number) {
    const fiber = yield* Effect.forkChild(
      sweep.pipe(
        Effect.catchDefect(() => Effect.void),
        Effect.repeat(Schedule.spaced(sweepInterval)),
      ),
    )
    for (let passed = 0; passed < seconds; passed += 5) yield* TestClock.adjust("5 seconds")
    yield* Fiber.interrupt(fiber)
  },
)

/** The states of refunds. */
export const statesOf = (debts: ReadonlyArray<Debt>) =>
  Effect.flatMap(
    Debts,
    ({ read }) =>
      Effect.forEach(debts, ({ paymentId }) => Effect.map(read(paymentId), ({ refund }) => refund)),
  )

/** What the treasury spent on the chain, and what these payers received from anyone. */
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

/** Every debt was paid back once, in full. */
export const eachPaidOnce = (debts: ReadonlyArray<Debt>) => {
  const sum = debts.reduce((sum, { amount }) => sum + amount, 0n)
  return { spent: sum, received: sum }
}
