/**
 * Old payments are deleted, and nothing else can be.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Arbitrary, Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Payments } from "../../src/payments/Payments.ts"
import { type Move, PaymentStore } from "../../src/payments/PaymentStore.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { Retention } from "../../src/payments/postgres/retention.ts"
import { Signatures } from "../../src/payments/Signatures.ts"
import { Bytes32, type PaymentId, paymentStates } from "../../src/payments/domain/payment.ts"
import { recordOf } from "../support/payments/record.ts"
import { startingAt } from "../support/effect.ts"
import {
  answering,
  market,
  purchase,
  rowOf,
  startSeconds,
  workOf,
} from "../support/payments/sales.ts"
import { ageAnswer, deleteAnswer } from "../support/payments/storedAnswer.ts"
import { checkProperty, onEveryStoreWith } from "../support/stores.ts"
import { claimAndMove, paths, paymentIn, ticket, transferOf } from "./paymentStore.laws.ts"
import { claim } from "../support/payments/claims.ts"
import { refusalOf } from "../support/payments/refusals.ts"

const layer = Layer.mergeAll(paymentStore, Retention.layer)
const prune = Effect.flatMap(Retention, ({ deleteOld }) => deleteOld)

/** Runs as a superuser can: without triggers. */
const untriggered = Effect.fnUntraced(function* (...changes: ReadonlyArray<string>) {
  const sql = yield* SqlClient
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql`SET LOCAL session_replication_role = replica`
    for (const change of changes) yield* sql.unsafe(change)
  }))
})

/** Moves everything that is known of a payment to the past. */
const age = (paymentId: PaymentId, interval: string) => {
  const where = `WHERE payment_id = '${paymentId}'`
  return untriggered(
    `UPDATE payment SET created_at = created_at - interval '${interval}',
      changed_at = changed_at - interval '${interval}', sent_at = sent_at - interval '${interval}',
      valid_before = extract(epoch FROM now() - interval '${interval}') + 120 ${where}`,
    `UPDATE payment_event SET at = at - interval '${interval}' ${where}`,
    ...ageAnswer(paymentId),
  )
}

const countOf = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient
  const rows = yield* sql.unsafe<{ payment_id: PaymentId }>(
    `SELECT DISTINCT payment_id FROM ${table} ORDER BY payment_id`,
  )
  return rows.map(({ payment_id }) => payment_id)
})

/** Ends a refund as the worker does. */
const endRefund = Effect.fnUntraced(
  function* (paymentId: PaymentId, end: "confirmed" | "cancelled") {
    const sql = yield* SqlClient
    yield* end === "cancelled"
      ? sql`UPDATE refund SET state = 'cancelled' WHERE payment_id = ${paymentId}`
      : sql`UPDATE refund SET state = 'confirmed', treasury = ${`0x${"22".repeat(20)}`},
        refund_nonce = ${paymentId}, transaction = '0xbb', confirmed_at = now(),
        confirmed_block = 1, confirmed_log_index = 1 WHERE payment_id = ${paymentId}`
  },
)

/** Sells on the store of the law, on a clock that starts at these seconds. */
const sellingAt = <A, E>(
  seconds: number,
  body: Effect.Effect<A, E, Payments | PaymentStore | Signatures | Retention | SqlClient>,
) =>
  Effect.flatMap(PaymentStore, (store) =>
    startingAt(
      seconds * 1_000,
      Effect.provide(body, market({}, Layer.succeed(PaymentStore, store))),
    )).pipe(Effect.scoped, Effect.provide(layer))

/** How a payment can stand: each state, and the ends that no path of the laws reaches. */
const endings = [
  ...paymentStates.filter((state) => state !== "refunded"),
  "sent",
  "refunded",
  "back",
]
const endedStates = ["void", "sent", "refunded", "back"]

/** A move that brings an answer, with one that no other payment has. */
const withOwnAnswer = (n: number) => (move: Move): Move =>
  "answer" in move && move.answer !== null
    ? { ...move, answer: { body: new TextEncoder().encode(`{"answer":${n}}`) } }
    : move

const paymentAs = Effect.fnUntraced(function* (n: number, ending: string) {
  const store = yield* PaymentStore
  const order = ending === "settled" ? "settle-early" : "compute-first"
  const paths_ = paths[order] as Readonly<Record<string, typeof paths[typeof order]["void"]>>
  const base = ending === "sent" ? "answered" : ending === "back" ? "refund_due" : ending
  const path = paths_[base === "refunded" ? "refund_due" : base] ?? []
  const { paymentId } = yield* claimAndMove(n, order, path.map(withOwnAnswer(n)))
  if (ending === "sent") yield* store.markSent(paymentId)
  if (ending === "refunded") yield* endRefund(paymentId, "confirmed")
  if (ending === "back") yield* endRefund(paymentId, "cancelled")
  return paymentId
})

const Case = Schema.Struct({
  ending: Schema.Literals(endings),
  months: Schema.Literals(["0 months", "12 months 27 days", "13 months 1 day", "3 years"]),
})

onEveryStoreWith("retention", layer, (law) => {
  law(
    "prune deletes exactly the ended payments of 13 months ago, with their events and refunds",
    checkProperty(
      Arbitrary.array(Arbitrary.schema(Case), { maxLength: 12 }),
      Effect.fnUntraced(function* (cases) {
        const kept: Array<PaymentId> = []
        for (const [n, { ending, months }] of cases.entries()) {
          const paymentId = yield* paymentAs(n, ending)
          yield* age(paymentId, months)
          const isOld = months === "13 months 1 day" || months === "3 years"
          if (!isOld || !endedStates.includes(ending)) kept.push(paymentId)
        }
        equal((yield* prune).payments, cases.length - kept.length)
        equal([yield* countOf("payment"), yield* countOf("payment_event")], [kept, kept])
        const refunds = yield* countOf("refund")
        equal(refunds.filter((id) => !kept.includes(id)), [])
        equal(yield* prune, { bodies: 0, payments: 0 })
      }),
    ),
  )

  law("prune passes more old payments that are kept than a batch has events", function* () {
    const { deletePayments } = yield* Retention
    for (const n of [0, 1, 2]) yield* age(yield* paymentAs(n, "refund_due"), "3 years")
    const old = yield* paymentAs(3, "refunded")
    yield* age(old, "3 years")
    const recent = yield* paymentAs(4, "refunded")
    let after: bigint | null = 0n
    let deleted = 0
    let batches = 0
    for (; after !== null && batches < 20; batches++) {
      const batch: Effect.Success<ReturnType<typeof deletePayments>> = yield* deletePayments(
        after,
        3,
      )
      deleted += batch.deleted
      after = batch.throughEvent
    }
    equal([deleted, after], [1, null])
    equal((yield* countOf("payment")).includes(old), false)
    equal((yield* countOf("payment")).includes(recent), true)
  })

  law("a key is free when the body of its answer is deleted, and not before", function* () {
    const store = yield* PaymentStore
    const key = Bytes32.make(`0x${"cd".repeat(32)}`)
    const path = paths["compute-first"].answered ?? []
    const { paymentId } = yield* claimAndMove(0, "compute-first", path, key)
    yield* store.markSent(paymentId)
    const lease = Duration.seconds(60)
    equal(yield* claim(ticket(1), null, lease, key), Option.none())
    yield* age(paymentId, "24 hours")
    equal(yield* prune, { bodies: 1, payments: 0 })
    equal(Option.isNone((yield* store.findWithKey(ticket(1).paymentId, key)).holder), true)
    equal(Option.isSome(yield* claim(ticket(1), null, lease, key)), true)
  })

  law("bodies are deleted in batches 24 hours after delivery, and never before", function* () {
    const sql = yield* SqlClient
    const store = yield* PaymentStore
    const { deleteBodies } = yield* Retention
    for (const n of [0, 1, 2, 3, 4]) yield* age(yield* paymentAs(n, "sent"), "24 hours")
    yield* age(yield* paymentAs(5, "sent"), "23 hours 59 minutes")
    yield* age(yield* paymentAs(6, "answered"), "3 years")
    const deleted = []
    for (let batch = 0; batch < 4; batch++) deleted.push(yield* deleteBodies(2))
    equal(deleted, [2, 2, 1, 0])
    const rows = yield* Effect.forEach(
      [0, 5, 6],
      (n) => Effect.flatMap(store.find(ticket(n).paymentId), Effect.fromOption),
    )
    equal(rows.map((row) => [row.state, recordOf(row).sent, recordOf(row).answer !== null]), [
      ["answered", true, false],
      ["answered", true, true],
      ["answered", false, true],
    ])
    for (const n of [5, 6]) {
      match(yield* refusalOf(deleteAnswer(sql, ticket(n).paymentId)), /body of an answer/)
    }
  })

  law(
    "a payment whose times are forged is not deleted, nor an event or a refund alone",
    function* () {
      const sql = yield* SqlClient
      const { paymentId } = yield* paymentIn(0, "answered")
      yield* sql`UPDATE payment SET changed_at = '2020-01-01', sent_at = '2020-01-01'`
      yield* untriggered("UPDATE payment SET created_at = '2020-01-01', valid_before = 1")
      equal((yield* prune).payments, 0)
      const old = yield* paymentAs(1, "refunded")
      yield* age(old, "3 years")
      for (
        const [statement, because] of [
          [`DELETE FROM payment WHERE payment_id = '${paymentId}'`, /cannot be deleted until/],
          ["DELETE FROM payment_event", /payment_event row cannot be deleted without/],
          ["DELETE FROM refund", /refund row cannot be deleted without/],
        ] as const
      ) {
        match(yield* refusalOf(sql.unsafe(statement)), because)
      }
      // An authorization that can still be presented keeps its payment.
      yield* untriggered("UPDATE payment SET valid_before = extract(epoch FROM now()) + 60")
      equal((yield* prune).payments, 0)
      yield* age(old, "0 months")
      yield* untriggered("UPDATE payment SET valid_before = 1")
      equal((yield* prune).payments, 1)
    },
  )

  law("a transfer as old as a deleted payment is never inserted as unmatched", function* () {
    const store = yield* PaymentStore
    yield* age(yield* paymentAs(0, "sent"), "3 years")
    equal((yield* prune).payments, 1)
    const transfer = transferOf(0)
    match(yield* refusalOf(store.insertUnmatched(transfer)), /through block 7 were deleted/)
    equal(yield* store.find(transfer.paymentId), Option.none())
    equal(yield* store.insertUnmatched({ ...transfer, at: { ...transfer.at, block: 8n } }), true)
  })

  law(
    "without its body a payment with its secret gets its receipt, and nothing is charged again",
    sellingAt(
      startSeconds,
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const secret = "a-secret-of-16-chars"
        const { sell, sent, findOutcome } = yield* Payments
        const bought = yield* purchase({ secret })
        const delivery = yield* sell(bought, workOf(answering()))
        yield* sent(delivery)
        const again = yield* sell(bought, workOf(Effect.die("computed again")))
        equal(again.replayed, true)
        // The mark is written in the background.
        yield* Effect.repeat(rowOf(bought), { until: (row) => row?.sent === true })
        yield* age(delivery.paymentId, "24 hours")
        equal(yield* prune, { bodies: 1, payments: 0 })
        const late = yield* Effect.flip(sell(bought, workOf(Effect.die("computed again"))))
        // A signed receipt has the hash of the body, so it goes with it.
        const { extensions: _, ...plain } = delivery.receipt ?? {}
        equal(late._tag === "NotCharged" && [late.code, late.taken, late.receipt], [
          "payment_already_used",
          true,
          plain,
        ])
        const outcome = yield* Effect.flip(findOutcome(delivery.paymentId, secret))
        equal(outcome._tag === "NotCharged" && outcome.code, "payment_already_used")
        equal((yield* sql`SELECT 1 FROM refund`).length, 0)
      }),
    ),
  )
})
