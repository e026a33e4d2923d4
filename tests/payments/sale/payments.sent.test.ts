/**
 * A delivery is stored, also when the store or the journal fails at that moment.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Effect, Ref } from "effect"
import { layerFile } from "../../../src/payments/DeliveryJournal.ts"
import { Payments } from "../../../src/payments/Payments.ts"
import { test } from "../../support/effect.ts"
import { nonce } from "../../support/payments/terms.ts"
import {
  answering,
  inMarket,
  memoryStoreWith,
  passing,
  purchase,
  rowOf,
  workOf,
} from "../../support/payments/sales.ts"

/** The memory store, whose `markSent` fails this many times. */
const storeFailingMarkSent = (failures: Ref.Ref<number>) =>
  memoryStoreWith((store) => ({
    markSent: (id) =>
      Effect.flatMap(
        Ref.getAndUpdate(failures, (left) => left - 1),
        (left) => left > 0 ? Effect.die("The store is down") : store.markSent(id),
      ),
  }))

test("sent() retries a store that is down, so that a delivered answer is not refunded too", function* () {
  const failures = yield* Ref.make(8)
  const delivering = Effect.gen(function* () {
    const { sell, sent } = yield* Payments
    const bought = yield* purchase()
    const delivery = yield* sell(bought, workOf(answering()))
    yield* sent(delivery)
    yield* passing(1)
    equal((yield* rowOf(bought))?.sent, false)
    yield* passing(2)
    equal((yield* rowOf(bought))?.sent, true)
    equal(yield* Ref.get(failures), -1)
  })
  yield* inMarket(delivering, {}, storeFailingMarkSent(failures))
})

test("an answer that was delivered before five minutes without a store is not refunded after HOLD", function* () {
  const failures = yield* Ref.make(Infinity)
  const delivering = Effect.gen(function* () {
    const { sell, sent, sweep } = yield* Payments
    const bought = yield* purchase()
    yield* sent(yield* sell(bought, workOf(answering())))
    yield* passing(300)
    yield* Ref.set(failures, 0)
    yield* passing(900)
    equal([yield* sweep, (yield* rowOf(bought))?.sent], [0, true])
  })
  yield* inMarket(delivering, {}, storeFailingMarkSent(failures))
})

test("with the journal on a full disk 3 of 3 answers are delivered, and none is refunded", function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => Deno.makeTempDir()),
    (folder) => Effect.promise(() => Deno.remove(folder, { recursive: true })),
  )
  const full = (_: string, text: string) => Deno.writeTextFileSync("/dev/full", text)
  const delivering = Effect.gen(function* () {
    const { sell, sent, sweep } = yield* Payments
    const rows = []
    for (const n of [0, 1, 2]) {
      const bought = yield* purchase({ authorization: { nonce: nonce(n) } })
      yield* sent(yield* sell(bought, workOf(answering())))
      rows.push(bought)
    }
    // More than HOLD: what is not marked as delivered is refunded.
    yield* passing(1_200)
    equal(yield* sweep, 0)
    for (const bought of rows) {
      const row = yield* rowOf(bought)
      equal([row?.state, row?.sent], ["answered", true])
    }
  })
  yield* Effect.provide(inMarket(delivering), layerFile(folder, full))
})
