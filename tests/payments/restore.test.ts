/**
 * After a restore from a backup, what was delivered is not refunded, and the scan starts only where
 * it refunds nothing else.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Duration, Effect, Layer, Option, Result } from "effect"
import { Chain } from "../../src/payments/Chain.ts"
import { recordOf } from "../support/payments/record.ts"
import { layer } from "../../src/payments/postgres/paymentStore.ts"
import { addDelivered, scanSince } from "../../src/payments/postgres/restore.ts"
import { PaymentStore } from "../../src/payments/PaymentStore.ts"
import { SqlClient } from "effect/sql/SqlClient"
import { onEveryStoreWith } from "../support/stores.ts"
import { paymentIn, ticket, transferOf } from "./paymentStore.laws.ts"

const newest = 40_000_000n
const notCalled = () => Effect.die("called")
const chain = Layer.succeed(
  Chain,
  Chain.of({
    head: Effect.succeed({ number: newest, timestamp: 0n, safeNumber: newest }),
    ...{
      transfers: notCalled,
      paymentProof: notCalled,
      balanceOf: notCalled,
      isNonceUsed: notCalled,
      hasCode: notCalled,
      wouldSettle: notCalled,
    },
  }),
)
const { token: { chainId, asset }, authorization: { to: payTo } } = ticket(0)
const account = { chainId, asset, payTo }
const paidAt = { transaction: "0xaa", block: 7n, logIndex: 3, finality: "safe" } as const

onEveryStoreWith("restore", layer, (law) => {
  law(
    "a delivered answer is never owed, whether its row is lost or not, and others are",
    function* () {
      const store = yield* PaymentStore
      const unresolved = yield* paymentIn(0, "unresolved")
      const answered = yield* paymentIn(1, "answered")
      const sent = yield* paymentIn(2, "answered")
      yield* store.markSent(sent.paymentId)
      const released = yield* paymentIn(6, "released")
      const lost = transferOf(3, paidAt)
      const other = yield* paymentIn(5, "unresolved")
      const delivered = new Set(
        [unresolved, answered, sent, released, lost].map(({ paymentId }) => paymentId),
      )
      equal([yield* addDelivered(delivered), yield* addDelivered(delivered)], [4, 0])
      equal(yield* store.insertUnmatched(lost), false)
      equal(yield* store.find(lost.paymentId), Option.none())
      equal(yield* store.insertUnmatched(transferOf(4, paidAt)), true)
      const states = yield* store.states([...delivered, ticket(4).paymentId, other.paymentId])
      equal(
        [...delivered].map((id) => states.get(id)),
        ["answered", "answered", "answered", "answered", "answered"],
      )
      equal(states.get(other.paymentId), "unresolved")
      const owe = { event: "owe", reason: "paid_undelivered", paidAt } as const
      equal(yield* store.move(unresolved, owe), Option.none())
      equal(Option.isSome(yield* store.move(other, owe)), true)
      const row = yield* Effect.flatMap(store.find(answered.paymentId), Effect.fromOption)
      equal(recordOf(row).sent, true)
      for (const kind of ["urgent", "released"] as const) {
        const waiting = yield* store.waiting({
          ...{ kind, nowSeconds: 9_000_000_000n, answerWindow: Duration.zero, skip: 0, limit: 9 },
        })
        equal(waiting.map((row) => Result.getOrThrow(row).paymentId), [])
      }
    },
  )

  law(
    "the scan starts at the given block, but skips no block and reads none that is too old",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const store = yield* PaymentStore
      const refused = (since: bigint, because: RegExp) =>
        Effect.map(Effect.flip(scanSince(account, since)), (error) => match(`${error}`, because))
      yield* refused(newest + 2n, /have not been read/)
      yield* refused(newest - 15_768_001n, /twelve months/)
      equal(yield* store.scanned(account), Option.none())
      yield* scanSince(account, newest - 15_768_000n)
      yield* scanSince(account, newest - 15_768_000n)
      const oldest = newest - 15_768_001n
      equal(yield* store.scanned(account), Option.some({ after: oldest, through: oldest }))
      yield* store.saveScannedThrough(account, newest - 9n)
      yield* refused(newest - 7n, /have not been read/)
      yield* scanSince(account, newest - 8n)
      yield* scanSince(account, newest - 100n)
      equal(
        yield* store.scanned(account),
        Option.some({ after: oldest, through: newest - 101n }),
      )
      yield* sql`INSERT INTO payment_deleted VALUES (${chainId}, ${asset}, ${payTo}, ${
        newest - 50n
      })`
      yield* refused(newest - 200n, /were deleted/)
      yield* refused(newest - 150n, /were deleted/)
    }).pipe(Effect.provide(Layer.merge(layer, chain))),
  )
})
