/**
 * The health of payments over the real sale, and over stores: what the ports do and what is stored
 * changes the verdict, and the metrics have it.
 *
 * @module
 */
import { deepStrictEqual as equal, match, ok, strictEqual } from "node:assert/strict"
import { Effect, Layer, Metric, Ref, References } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { reasonsOf } from "../../src/payments/domain/paymentHealth.ts"
import { type QueueName, type RefundState, refundStates } from "../../src/payments/domain/refund.ts"
import { layerChain, layerFacilitator, PortRecords } from "../../src/payments/observedPorts.ts"
import { Facilitator } from "../../src/payments/Facilitator.ts"
import { PaymentHealth, PaymentStats } from "../../src/payments/PaymentHealth.ts"
import { addDelivered } from "../../src/payments/postgres/restore.ts"
import { layer as paymentStats } from "../../src/payments/postgres/paymentStats.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { type OwedTotals, RefundQueue } from "../../src/payments/refunds/Refunds.ts"
import {
  layerLedger,
  type Misbehaviour,
  type SimulationOptions,
} from "../support/payments/simulated.ts"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { test } from "../support/effect.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import {
  answering,
  buying,
  passing,
  paymentsLayer,
  purchase,
  startSeconds,
  timing,
  workOf,
} from "../support/payments/sales.ts"
import { nonce, terms, token } from "../support/payments/terms.ts"
import { onEveryStore } from "../support/stores.ts"
import { signedRequest } from "./facilitator/facilitator.laws.ts"
import { claimAndMove, paths, paymentIn } from "./paymentStore.laws.ts"

const options = {
  terms,
  settleEarly: { cheapest: 20_000n, dearest: 1_000_000n },
  ...{ sweepEveryMs: 15_000, scanEveryMs: 60_000, blocksAreRegular: true },
}

/** What a test changes while the service runs. */
const makeWorld = Effect.gen(function* () {
  return {
    chainDown: yield* Ref.make(false),
    misbehaviour: yield* Ref.make<Misbehaviour | null>(null),
    owed: yield* Ref.make<OwedTotals>({ liability: 0n, refunds: [] }),
  }
})
type World = Effect.Success<typeof makeWorld>

const layerOf = (world: World) => {
  const simulation: SimulationOptions = {
    chainDown: () => Ref.getUnsafe(world.chainDown),
    misbehave: () => Ref.getUnsafe(world.misbehaviour),
  }
  const ports = Layer.merge(layerFacilitator, layerChain).pipe(
    Layer.provideMerge(PortRecords.layer),
    Layer.provide(layerLedger(simulation).pipe(Layer.provideMerge(layerMemory))),
    Layer.provideMerge(signatures),
    Layer.provideMerge(memoryPaymentStore),
  )
  const stored = Layer.mergeAll(
    Layer.mock(PaymentStats, {
      read: () => Effect.succeed({ open: new Map(), scannedThrough: null, soldAgo: new Map() }),
    }),
    Layer.mock(RefundQueue, { totals: Effect.map(Ref.get(world.owed), ({ refunds }) => refunds) }),
    Layer.mock(PaymentStore, {
      liability: Effect.map(Ref.get(world.owed), ({ liability }) => liability),
    }),
  )
  return Layer.merge(
    paymentsLayer({ timing }),
    PaymentHealth.layer(options).pipe(Layer.provide(stored)),
  ).pipe(Layer.provideMerge(ports))
}

type Services = Layer.Success<ReturnType<typeof layerOf>>

/** Runs `body` when the chain was read, the stores were measured, and a sweep has finished. */
const withHealth = <E>(
  body: (world: World) => Effect.Effect<void, E, Services>,
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(startSeconds * 1_000)
    const world = yield* makeWorld
    yield* Effect.gen(function* () {
      const { measure, swept } = yield* PaymentHealth
      yield* passing(1)
      yield* Effect.all([measure, swept])
      equal(yield* verdict, ["ok", []])
      yield* body(world)
    }).pipe(Effect.provide(layerOf(world)))
  }).pipe(
    Effect.provideService(Metric.MetricRegistry, new Map()),
    Effect.provideService(References.MinimumLogLevel, "None"),
  )

const verdict = Effect.gen(function* () {
  const { current } = yield* PaymentHealth
  const health = yield* current
  return [health.verdict, reasonsOf(health)]
})

const buy = (n: number) =>
  Effect.flatMap(
    purchase({ authorization: { nonce: nonce(n) } }),
    (bought) => buying(bought, workOf(answering()), 7),
  )

test("health degrades when the chain cannot be read for 30 s, and recovers with it", () =>
  withHealth(Effect.fnUntraced(function* (world) {
    yield* Ref.set(world.chainDown, true)
    yield* passing(25)
    equal((yield* verdict)[0], "ok")
    yield* passing(10)
    equal(yield* verdict, ["failing", ["Payments are not sold: the chain cannot be read"]])
    yield* Ref.set(world.chainDown, false)
    yield* passing(10)
    equal((yield* verdict)[0], "ok")
  })))

test("a refund of a sale owed for 3 hours is late, unless it is final", () =>
  withHealth(Effect.fnUntraced(function* (world) {
    const { measure } = yield* PaymentHealth
    const verdictWith = Effect.fnUntraced(function* (queue: QueueName, state: RefundState) {
      const totals = { refunds: 1, amount: 20_000n, oldestAgoMs: 3 * 3_600_000 }
      yield* Ref.set(world.owed, { liability: 0n, refunds: [{ queue, state, ...totals }] })
      yield* measure
      return (yield* verdict)[0]
    })
    for (const state of refundStates) {
      const isFinal = ["confirmed", "cancelled", "settled_by_hand"].includes(state)
      equal([state, yield* verdictWith("sales", state)], [state, isFinal ? "ok" : "degraded"])
      // Anyone can send a transfer that has to be refunded.
      equal([state, yield* verdictWith("unmatched", state)], [state, "ok"])
    }
  })))

test("health fails after five unclear verifications, and recovers with the first sale", () =>
  withHealth(Effect.fnUntraced(function* (world) {
    yield* Ref.set(world.misbehaviour, "html")
    for (let n = 0; n < 5; n++) strictEqual(yield* buy(n), "facilitator_error")
    equal(yield* verdict, ["failing", [
      "Payments are not sold: the facilitator does not verify them",
    ]])
    yield* Ref.set(world.misbehaviour, null)
    strictEqual(yield* buy(9), "answer")
    equal((yield* verdict)[0], "ok")
  })))

test("a verification that its caller no longer waits for is no failure of the facilitator", () =>
  withHealth(Effect.fnUntraced(function* (world) {
    yield* Ref.set(world.misbehaviour, "silence")
    for (let n = 0; n < 8; n++) strictEqual(yield* buy(n), "facilitator_error")
    const { verify } = yield* PortRecords
    equal(verify.failures, 0)
  })))

test("health degrades when the treasury does not cover what may be owed", () =>
  withHealth(Effect.fnUntraced(function* (world) {
    const { measure } = yield* PaymentHealth
    yield* Ref.update(world.owed, (owed) => ({ ...owed, liability: 10n ** 15n }))
    yield* measure
    equal(yield* verdict, ["degraded", [
      "All products that are settled early are not sold: the treasury does not cover them",
    ]])
  })))

test("health degrades when no sweep finishes", () =>
  withHealth(Effect.fnUntraced(function* () {
    const { measure } = yield* PaymentHealth
    yield* passing(70)
    yield* measure
    equal(yield* verdict, ["degraded", [
      "Waiting payments are resolved late: no sweep has finished",
    ]])
  })))

test("the metrics have the calls, the head, the treasury and the verdict of each part", () =>
  withHealth(Effect.fnUntraced(function* () {
    strictEqual(yield* buy(0), "answer")
    const { updateGauges } = yield* PaymentHealth
    yield* updateGauges
    const text = yield* PrometheusMetrics.format()
    for (
      const line of [
        /^facilitator_call_seconds_count\{call="verify",outcome="valid"\} 1$/m,
        /^facilitator_call_seconds_count\{call="settle",outcome="settled"\} 1$/m,
        /^chain_call_seconds_count\{call="proof",outcome="answered"\} 1$/m,
        /^chain_block \d+$/m,
        /^treasury_usdc \d+/m,
        /^payments_health\{part="chain"\} 0$/m,
        /^payments_health\{part="all"\} 0$/m,
      ]
    ) match(text, line)
  })))

test("a catalogue's verdict is counted and kept, and no status makes a metric of its own", function* () {
  const said = ["processing", "success", "rejected", "a status of another catalogue"]
  const waiting = [...said]
  const catalogued = Layer.mock(Facilitator, {
    name: "catalogued",
    settle: () => {
      const status = waiting.shift()
      const listed = status === undefined ? {} : { listed: { status, reason: "why" } }
      return Effect.succeed({ outcome: "settled", transaction: "0x1", ...listed })
    },
  })
  yield* Effect.gen(function* () {
    const { settle } = yield* Facilitator
    const request = yield* signedRequest(startSeconds)
    const records = yield* PortRecords
    const verdict = () => records.listing
    equal(verdict(), null)
    for (const status of said) {
      yield* settle(request)
      equal([verdict()?.status, verdict()?.reason], [status, "why"])
    }
    yield* settle(request)
    equal(verdict()?.status, said.at(-1))
    const text = yield* PrometheusMetrics.format()
    for (const status of ["processing", "success", "rejected", "other"]) {
      match(text, new RegExp(`^listing_verdicts\\{status="${status}"\\} 1$`, "m"))
    }
  }).pipe(
    Effect.provide(
      Layer.provideMerge(layerFacilitator, PortRecords.layer).pipe(Layer.provide(catalogued)),
    ),
  )
})

const account = { chainId: token.chainId, asset: token.asset, payTo: address(terms.payTo) }

onEveryStore("the statistics of payments", (law) => {
  law(
    "count the open payments of each state, and know the scanned block",
    Effect.gen(function* () {
      const stats = yield* PaymentStats
      equal(yield* stats.read(account), {
        open: new Map(),
        scannedThrough: null,
        soldAgo: new Map(),
      })
      yield* paymentIn(0, "refund_due")
      yield* claimAndMove(1, "settle-early", paths["settle-early"].settled ?? [])
      yield* paymentIn(2, "answered")
      yield* (yield* PaymentStore).saveScannedThrough(account, 77n)
      const { open, scannedThrough, soldAgo } = yield* stats.read(account)
      equal([...open.keys()].toSorted(), ["refund_due", "settled"])
      for (const { payments, amount, oldestAgoMs } of open.values()) {
        equal(payments, 1)
        ok(amount > 0n)
        ok(oldestAgoMs >= 0)
      }
      equal(scannedThrough, 77n)
      equal([...soldAgo.keys()], ["latest"])
      const [ago = -1] = soldAgo.values()
      ok(ago >= 0 && ago < 600, `${ago} s`)
      const { liability } = yield* PaymentStore
      const owed = yield* liability
      const settled = yield* claimAndMove(3, "settle-early", paths["settle-early"].settled ?? [])
      ok((yield* liability) > owed)
      yield* addDelivered(new Set([settled.paymentId]))
      equal((yield* stats.read(account)).open.get("settled")?.payments, 1)
      equal(yield* liability, owed)
    }).pipe(
      Effect.provide(
        Layer.merge(paymentStats, Layer.mock(RefundQueue, {})).pipe(
          Layer.provideMerge(paymentStore),
        ),
      ),
    ),
  )
})
