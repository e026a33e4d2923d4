/**
 * Three replicas: one clock is right, one is 20 s ahead, one is 20 s behind. They sell and refund as if
 * all clocks were right, because leases, HOLD and expiry use the clocks of the store and the chain. And
 * replicas that are wrong by more than the margin of a payment's times: they have the store's clock.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Clock, Duration, Effect, Layer, References, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger, type Misbehaviour } from "../support/payments/simulated.ts"
import { Ledger } from "../../src/payments/simulated/ledger.ts"
import { address } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { defaultTiming } from "../../src/payments/timing.ts"
import { meanwhile } from "../support/payments/badFacilitator.ts"
import { type Body, effectOf, test } from "../support/effect.ts"
import { type MemoryPayments, memoryPayments } from "../support/payments/memoryPayments.ts"
import { startSeconds } from "../support/payments/sales.ts"
import {
  ask,
  openReplica,
  orders,
  productBySettlementOrder,
  type Replica,
  type ReplicaPorts,
} from "../support/http/socketReplicas.ts"
import { type Signed, signedFor } from "../support/http/signed.ts"
import type { World } from "../support/http/httpService.ts"
import { stockedWorld } from "../support/http/servedService.ts"
import { day, hour } from "../../src/core/domain/time.ts"
import { StoreClock } from "../../src/core/StoreClock.ts"
import { StoreProbe } from "../../src/core/StoreProbe.ts"
import { onClockAhead } from "../support/skewedClock.ts"
import { nonce, terms } from "../support/payments/terms.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const skewsMs = [-20_000, 0, 20_000] as const
/** One key buys one answer, so each payment has its own. */
const keyOf = ({ authorization: { nonce } }: Signed) => `the-secret-of-${nonce.slice(-16)}`
const second = Duration.seconds(1)

let misbehaviour: Misbehaviour | null = null
const misbehave = (call: string) => call === "settle" ? misbehaviour : null
/** How late a late broadcast is: shortly before the payment expires. */
const lateSeconds = 118

const portsOn = ({ store }: MemoryPayments): Layer.Layer<ReplicaPorts> =>
  Layer.merge(
    Layer.succeed(PaymentStore, store),
    layerLedger({ misbehave, late: Duration.seconds(lateSeconds) }).pipe(
      Layer.provideMerge(layerMemory),
    ),
  ).pipe(Layer.provideMerge(signatures))

const skewed = (
  name: string,
  body: (
    replicas: ReadonlyArray<Replica>,
    memory: MemoryPayments,
  ) => ReturnType<Body<ReplicaPorts | Scope.Scope>>,
) =>
  test(name, () => {
    const memory = memoryPayments()
    return Effect.gen(function* () {
      misbehaviour = null
      yield* TestClock.setTime(startSeconds * 1_000)
      const world = yield* stockedWorld()
      const replicas = yield* Effect.forEach(
        skewsMs,
        (ms) => onClockAhead(openReplica(world), ms),
      )
      yield* effectOf(() => body(replicas, memory))
    }).pipe(
      Effect.provide(portsOn(memory)),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.orDie,
    )
  })

const buy = ({ base }: Replica, signed: Signed) =>
  meanwhile(
    ask(base, { path: signed.product.path, payment: signed.header, key: keyOf(signed) }),
  )

const received = Effect.flatMap(Ledger, ({ received }) => received(address(terms.payTo)))
const secondsPassed = Effect.map(Clock.currentTimeMillis, (ms) => ms / 1_000 - startSeconds)
const sweepAll = (replicas: ReadonlyArray<Replica>) =>
  Effect.forEach(replicas, ({ payments }) => payments.sweep, { discard: true })

skewed(
  "each replica sells new payments, and returns the answers that the others sold",
  function* (replicas, memory) {
    let n = 0
    let price = 0n
    for (const order of orders) {
      for (const first of replicas) {
        const signed = yield* signedFor(productBySettlementOrder[order], { nonce: nonce(n++) })
        price += signed.product.price
        const answer = yield* buy(first, signed)
        strictEqual(answer.status, 200)
        for (const other of replicas) {
          equal((yield* buy(other, signed)).text, answer.text)
          yield* other.payments.sweep
        }
      }
    }
    strictEqual(yield* received, price)
    yield* TestClock.adjust(Duration.sum(defaultTiming.answerWindow, defaultTiming.answerWindow))
    yield* sweepAll(replicas)
    equal(memory.countByState(), new Map([["answered", n]]))
  },
)

skewed("no replica gives up a payment that can still settle, and all accept the chain's result", (
  replicas,
  memory,
) =>
  Effect.gen(function* () {
    misbehaviour = "late_broadcast"
    const sold: Array<Signed> = []
    for (const order of orders) {
      for (const replica of replicas) {
        const signed = yield* signedFor(productBySettlementOrder[order], {
          nonce: nonce(sold.length),
        })
        sold.push(signed)
        strictEqual((yield* buy(replica, signed)).status, 503)
      }
    }
    const expiry = Math.min(...sold.map(({ authorization }) => Number(authorization.validBefore)))
    while ((yield* secondsPassed) < expiry - startSeconds - 3) {
      yield* TestClock.adjust(second)
      yield* sweepAll(replicas)
      equal(memory.countByState(), new Map([["unresolved", sold.length]]))
    }
    // By the clock that is ahead, all payments have expired. Now the late broadcasts settle.
    yield* TestClock.adjust(Duration.seconds(lateSeconds))
    strictEqual(yield* received, sold.reduce((sum, { product }) => sum + product.price, 0n))
    for (const signed of sold) {
      const answers = yield* Effect.forEach(replicas, (replica) => buy(replica, signed))
      // A compute-first answer is stored and within HOLD; a settle-early one was not computed in time.
      const isEarly = signed.product.settlementOrder === "settle-early"
      equal(answers.map(({ status }) => status), isEarly ? [410, 410, 410] : [200, 200, 200])
    }
  }))

skewed(
  "a payment is void for all once it has expired by the chain's clock, and not a second earlier",
  function* (replicas) {
    misbehaviour = "html"
    const [behind] = replicas
    const signed = yield* signedFor(productBySettlementOrder["compute-first"])
    if (behind !== undefined) strictEqual((yield* buy(behind, signed)).status, 503)
    const until = Number(signed.authorization.validBefore) - startSeconds
    for (;;) {
      const passed = yield* secondsPassed
      const answers = yield* Effect.forEach(replicas, (replica) => buy(replica, signed))
      equal(new Set(answers.map(({ status }) => status)), new Set([passed > until ? 402 : 503]))
      if (passed > until) break
      yield* TestClock.adjust(second)
    }
    ok((yield* secondsPassed) <= until + 2)
    strictEqual(yield* received, 0n)
  },
)

/** A replica as the service builds it, on a machine that is `ms` ahead. Its store has the right clock. */
const openOnWrongMachine = (world: World, ms: number) =>
  Effect.clockWith((right) => {
    const probe = Layer.mock(StoreProbe, { now: right.currentTimeMillis })
    return onClockAhead(
      Effect.flatMap(
        Layer.build(Layer.provide(StoreClock.layer, probe)),
        (clock) => Effect.provide(openReplica(world, { invalidPayments: 1 }), clock),
      ),
      ms,
    )
  })

for (const ms of [45_000, -45_000, hour, -hour, 100 * day, -100 * day]) {
  const memory = memoryPayments()
  test(`a machine whose clock is ${ms / 1_000} s off refuses no standard payment`, () =>
    Effect.gen(function* () {
      misbehaviour = null
      yield* TestClock.setTime(startSeconds * 1_000)
      const replica = yield* openOnWrongMachine(yield* stockedWorld(), ms)
      for (const [n, order] of [...orders, ...orders].entries()) {
        const signed = yield* signedFor(productBySettlementOrder[order], { nonce: nonce(n) })
        const { status, text } = yield* buy(replica, signed)
        strictEqual(status, 200, text)
      }
    }).pipe(
      Effect.provide(portsOn(memory)),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.orDie,
    ))
}
