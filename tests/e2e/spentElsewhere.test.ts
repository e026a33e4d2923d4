/**
 * An authorization that its payer cancels, or spends elsewhere with the same nonce, at any step of a
 * sale over HTTP: nothing is delivered, charged or refunded.
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
const otherPayee = address(buyer(9).address)

const ports: Layer.Layer<ReplicaPorts> = Layer.merge(
  memoryPaymentStore,
  layerLedger().pipe(Layer.provideMerge(layerMemory)),
).pipe(Layer.provideMerge(signatures))

/** How the payer uses the nonce itself. */
const uses = {
  cancelled: null,
  "spent on another payee": { to: otherPayee, value: 10_000n },
} as const

const spend = Effect.fnUntraced(function* ({ authorization }: Signed, use: keyof typeof uses) {
  const ledger = yield* Ledger
  const spent = uses[use]
  const { from, nonce } = authorization
  const spending = {
    ...{ asset: token.asset, from, nonce, transaction: `0x${"cc".repeat(32)}` },
    blockTime: BigInt(startSeconds),
  }
  yield* spent === null ? ledger.cancel(spending) : ledger.transfer({ ...spending, ...spent })
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

/** When the nonce is used: null is before the request, else at a blocked step. */
const steps = {
  "compute-first": [null, "verify", "work", "intend", "settle"],
  "settle-early": [null, "check", "verify", "intend", "settle"],
} as const satisfies Record<typeof orders[number], ReadonlyArray<Step | null>>

/** A sale during which the payer uses the nonce; afterwards every sweep and scan runs. */
const checkSpent = Effect.fnUntraced(function* (
  order: typeof orders[number],
  step: Step | null,
  use: keyof typeof uses,
) {
  const barrier = makeBarrier()
  const replica = yield* barrier.guard(
    openReplica(yield* stockedWorld, { works: barrier.works }),
  )
  const signed = yield* signedFor(productBySettlementOrder[order])
  const { path } = signed.product
  const buying = ask(replica.base, { path, payment: signed.header, key })
  const call = Effect.gen(function* () {
    if (step === null) {
      yield* spend(signed, use)
      return yield* buying
    }
    const blocked = yield* barrier.close(step)
    const spending = Effect.andThen(
      blocked.reached,
      Effect.andThen(spend(signed, use), blocked.open),
    )
    const [answer] = yield* Effect.all([buying, spending], { concurrency: 2 })
    return answer
  })
  strictEqual((yield* meanwhile(call)).status, 402)
  strictEqual((yield* meanwhile(buying)).status, 402)

  // After HOLD, every sweep and scan has run.
  yield* TestClock.adjust(Duration.sum(defaultTiming.answerWindow, Duration.minutes(5)))
  yield* replica.payments.sweep
  yield* Effect.orDie(replica.payments.scan)
  yield* TestClock.adjust("1 minute")
  yield* Effect.orDie(replica.payments.scan)
  const row = yield* rowOf(signed)
  // Only a payment that was found valid has a row.
  const isClaimed = step !== null && step !== "check" && step !== "verify"
  equal(
    row === null ? null : [row.state, row.refund, row.answer],
    isClaimed ? ["void", null, null] : null,
  )
  strictEqual((yield* meanwhile(buying)).status, 402)
  const ledger = yield* Ledger
  const spent = playBalance - (yield* ledger.balance(signed.authorization.from))
  strictEqual(spent, uses[use]?.value ?? 0n)
  strictEqual(yield* ledger.received(address(terms.payTo)), 0n)
})

for (const order of orders) {
  for (const step of steps[order]) {
    for (const use of ["cancelled", "spent on another payee"] as const) {
      inShop(
        `an authorization ${use} ${step === null ? "before the request" : `at ${step}`} buys ` +
          `nothing and is not refunded: ${order}`,
        checkSpent(order, step, use),
      )
    }
  }
}
