/**
 * An authorization that its payer cancels, or spends elsewhere under the same nonce, at any moment of a
 * sale: over HTTP, to the end. Nothing is served, nothing is refunded, nothing was taken.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Duration, Effect, Layer, Option, References, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { layer as signatures } from "../../src/payments/wasmSignatures.ts"
import { layerLedger } from "../../src/payments/simulated/facilitator.ts"
import { Ledger, playBalance } from "../../src/payments/simulated/ledger.ts"
import { address, recordOf } from "../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { defaultTiming } from "../../src/payments/timing.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { meanwhile } from "../support/payments/badFacilitator.ts"
import { buyer } from "../support/payments/buyers.ts"
import { test } from "../support/effect.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import { startSeconds } from "../support/payments/sales.ts"
import {
  ask,
  openReplica,
  orders,
  productBySettlementOrder,
  type ReplicaPorts,
  type Signed,
  signedFor,
  stockedWorld,
} from "../support/http/socketReplicas.ts"
import { terms, token } from "../support/payments/terms.ts"
import { makeBarrier, type Step } from "../support/payments/barrier.ts"
import { layerMemory } from "../support/payments/memoryLedger.ts"

const key = "the-first-callers-secret"
const friend = address(buyer(9).address)

const ports: Layer.Layer<ReplicaPorts> = Layer.merge(
  memoryPaymentStore,
  layerLedger().pipe(Layer.provideMerge(layerMemory)),
).pipe(Layer.provideMerge(signatures))

/** What the payer does with the nonce behind our back. */
const ways = {
  cancelled: null,
  "spent on another payee": { to: friend, value: 10_000n },
} as const

const spend = Effect.fnUntraced(function* ({ authorization }: Signed, way: keyof typeof ways) {
  const ledger = yield* Ledger
  const spent = ways[way]
  const { from, nonce } = authorization
  const use = {
    ...{ asset: token.asset, from, nonce, transaction: `0x${"cc".repeat(32)}` },
    blockTime: BigInt(startSeconds),
  }
  yield* spent === null ? ledger.cancel(use) : ledger.transfer({ ...use, ...spent })
})

const rowOf = Effect.fnUntraced(function* ({ authorization }: Signed) {
  const { paymentId } = yield* Signatures
  const store = yield* PaymentStore
  const found = yield* store.find(paymentId({ ...token, ...authorization }))
  return Option.getOrNull(Option.map(found, recordOf))
})

const inShop = (name: string, body: Effect.Effect<void, unknown, ReplicaPorts | Scope.Scope>) =>
  test(name, () =>
    TestClock.setTime(startSeconds * 1_000).pipe(
      Effect.andThen(body),
      Effect.provide(ports),
      Effect.provideService(References.MinimumLogLevel, "None"),
      Effect.orDie,
    ))

/** Before the call, between verify and settle, and where the facilitator is just being asked. */
const moments = {
  "compute-first": [null, "verify", "work", "intend", "settle"],
  "settle-early": [null, "check", "verify", "intend", "settle"],
} as const satisfies Record<typeof orders[number], ReadonlyArray<Step | null>>

/** A sale during which the payer spends the nonce, and all that may follow. */
const buysNothing = Effect.fnUntraced(function* (
  order: typeof orders[number],
  place: Step | null,
  way: keyof typeof ways,
) {
  const barrier = makeBarrier()
  const replica = yield* barrier.guard(
    openReplica(yield* stockedWorld, { works: barrier.works }),
  )
  const signed = yield* signedFor(productBySettlementOrder[order])
  const { path } = signed.product
  const buying = ask(replica.base, { path, payment: signed.header, key })
  const call = Effect.gen(function* () {
    if (place === null) {
      yield* spend(signed, way)
      return yield* buying
    }
    const held = yield* barrier.close(place)
    const meddling = Effect.andThen(held.reached, Effect.andThen(spend(signed, way), held.open))
    const [told] = yield* Effect.all([buying, meddling], { concurrency: 2 })
    return told
  })
  strictEqual((yield* meanwhile(call)).status, 402)
  strictEqual((yield* meanwhile(buying)).status, 402)

  // Long after, by every sweep and scan there is.
  yield* TestClock.adjust(Duration.sum(defaultTiming.answerWindow, Duration.minutes(5)))
  yield* replica.payments.sweep
  yield* Effect.orDie(replica.payments.scan)
  yield* TestClock.adjust("1 minute")
  yield* Effect.orDie(replica.payments.scan)
  const row = yield* rowOf(signed)
  equal([row?.state, row?.refund, row?.answer], ["void", null, null])
  strictEqual((yield* meanwhile(buying)).status, 402)
  const ledger = yield* Ledger
  const spent = playBalance - (yield* ledger.balance(signed.authorization.from))
  strictEqual(spent, ways[way]?.value ?? 0n)
  strictEqual(yield* ledger.received(address(terms.payTo)), 0n)
})

for (const order of orders) {
  for (const place of moments[order]) {
    for (const way of ["cancelled", "spent on another payee"] as const) {
      inShop(
        `an authorization ${way} ${place === null ? "before the call" : `at ${place}`} buys ` +
          `nothing, and is owed nothing: ${order}`,
        buysNothing(order, place, way),
      )
    }
  }
}
