/**
 * Payments that share SQL statements: each has the result that it would have alone.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Arbitrary, Duration, Effect, Exit, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer } from "../../src/payments/postgres/paymentStore.ts"
import {
  Bytes32,
  type PaidAt,
  type Payment,
  type PaymentState,
} from "../../src/payments/domain/payment.ts"
import { recordOf } from "../support/payments/record.ts"
import { type Move, PaymentStore } from "../../src/payments/PaymentStore.ts"
import type { SettlementOrder } from "../../src/catalog/domain/product.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import { checkProperty, onEveryStoreWith } from "../support/stores.ts"
import { claimAndMove, paymentIn, ticket } from "./paymentStore.laws.ts"
import { moves } from "../support/payments/moves.ts"
import { claim } from "../support/payments/claims.ts"
import { refusalOf } from "../support/payments/refusals.ts"

const lease = Duration.seconds(60)
const answer = { body: new TextEncoder().encode('{"success":true}') }
const paidAt: PaidAt = { transaction: "0xaa", block: 7n, logIndex: 3, finality: "latest" }

/** Histories of payments: the choice of one legal move at each step. */
const histories = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    order: Schema.Literals(["compute-first", "settle-early"]),
    choices: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })))
      .check(Schema.isMaxLength(7)),
  })).check(Schema.isMaxLength(30)),
)

/** The legal moves in a state. A refund that is due ends with its refund row, not with a move. */
function legal(order: SettlementOrder, state: PaymentState): ReadonlyArray<Move> {
  if (state === "refund_due") return []
  const proven = state === "settled" || state === "answered" ? null : paidAt
  const all: { readonly [E in Move["event"]]: Extract<Move, { event: E }> } = {
    claim: { event: "claim", secretHash: null, lease },
    release: { event: "release", reason: "test" },
    intend: { event: "intend", answer: order === "compute-first" ? answer : null, lease },
    doubt: { event: "doubt", reason: "timeout", transactionHint: "0xbb" },
    settle: { event: "settle", paidAt, lease },
    answer: { event: "answer", answer: order === "compute-first" ? null : answer, paidAt: proven },
    owe: { event: "owe", reason: "test", paidAt: proven },
    void: { event: "void", reason: "expired" },
  }
  return Object.values(all).filter(({ event }) => event in moves[order][state])
}

/** Makes every call twice at the same time: only one of the two may succeed. */
const runHistory = Effect.fnUntraced(function* (
  n: number,
  order: SettlementOrder,
  choices: ReadonlyArray<number>,
) {
  const store = yield* PaymentStore
  const claiming = claim(ticket(n, order), null, lease)
  const claims = yield* Effect.all([claiming, claiming], { concurrency: 2 })
  const made: ReadonlyArray<Payment> = claims.flatMap(Option.toArray)
  equal(made.length, 1)
  let row = made[0]
  const previous: Array<Payment> = []
  for (const choice of choices) {
    if (row === undefined) break
    previous.push(row)
    const legalMoves = legal(order, row.state)
    const move = legalMoves[choice % legalMoves.length]
    if (move === undefined) break
    const twice = Effect.all([store.move(row, move), store.move(row, move)], { concurrency: 2 })
    const moved: ReadonlyArray<Option.Option<Payment>> = yield* twice
    equal(moved.filter(Option.isSome).length, 1)
    row = moved.map(Option.getOrUndefined).find((moved) => moved !== undefined)
  }
  const stored = Option.getOrThrow(yield* store.find(ticket(n, order).paymentId))
  return [...previous, ...row === undefined ? [] : [row], stored].map(timeless)
}, Effect.orDie)

/** A row without its ages, which differ between stores. */
const timeless = (payment: Payment) => {
  const { leaseLeftMs, intendedAgoMs, answeredAgoMs, answeredAt: _, ...row } = recordOf(payment)
  return {
    ...row,
    leased: leaseLeftMs !== null && leaseLeftMs > 0,
    intended: intendedAgoMs !== null,
    answered: answeredAgoMs !== null,
  }
}

onEveryStoreWith("payments together", layer, (law) => {
  law(
    "concurrent payments have the same results and rows as sequential ones in the memory store",
    checkProperty(histories, (histories) =>
      Effect.gen(function* () {
        const all = (concurrency: number) =>
          Effect.forEach(histories, ({ order, choices }, n) => runHistory(n, order, choices), {
            concurrency,
          })
        const alone = yield* Effect.provide(all(1), memoryPaymentStore)
        equal(yield* Effect.provide(all(histories.length + 1), layer), alone)
      }), { runs: 12 }),
  )

  law("a move that the database refuses fails alone", function* () {
    const store = yield* PaymentStore
    const rows = yield* Effect.forEach(
      [0, 1, 2, 3, 4],
      (n) => paymentIn(n, "claimed"),
    )
    const exits = yield* Effect.forEach(rows, (row, n) =>
      // A compute-first payment is not settled without its answer.
      Effect.exit(store.move(row, { event: "intend", answer: n === 2 ? null : answer, lease })), {
      concurrency: "unbounded",
    })
    equal(exits.map(Exit.isSuccess), [true, true, false, true, true])
    const states = yield* Effect.forEach(rows, ({ paymentId }) => store.find(paymentId))
    equal(
      states.map((row) => Option.getOrThrow(row).state),
      ["settling", "settling", "claimed", "settling", "settling"],
    )
  })

  law("answers in one batch keep their own bytes", function* () {
    const store = yield* PaymentStore
    const bodies = Array.from({ length: 40 }, (_, n) => new Uint8Array([n, 0, 255 - n]))
    // A settle-early payment has no answer when its intent is stored.
    const orderOf = (n: number) => n % 3 === 0 ? "settle-early" : "compute-first"
    const rows = yield* Effect.forEach(bodies, (_, n) => claimAndMove(n, orderOf(n), []))
    yield* Effect.forEach(rows, (row, n) => {
      const body = bodies[n]
      const answer = body === undefined || n % 3 === 0 ? null : { body }
      return store.move(row, { event: "intend", answer, lease })
    }, { concurrency: "unbounded" })
    const stored = yield* Effect.forEach(rows, ({ paymentId }) => store.find(paymentId))
    equal(
      stored.map((row) => recordOf(Option.getOrThrow(row)).answer?.body ?? null),
      bodies.map((body, n) => n % 3 === 0 ? null : body),
    )
  })

  law(
    "payments that are looked up together are each found, and so are the holders of their keys",
    function* () {
      const store = yield* PaymentStore
      const key = (n: number) => Bytes32.make(`0x${`${n}`.repeat(64)}`)
      for (const n of [1, 2, 3]) yield* store.claim(ticket(n), null, lease, key(n))
      const idAt = (n: number) => ticket(n).paymentId
      const [one, two, three, unknown] = [idAt(1), idAt(2), idAt(3), idAt(4)] as const
      const third = Option.getOrThrow(yield* store.find(three))
      yield* store.move(third, { event: "release", reason: "test" })
      // A released payment keeps the hash of its key, and holds it no longer.
      const lookups = [[one, key(1)], [two, key(1)], [unknown, key(3)], [three, null], [
        unknown,
        key(2),
      ]] as const
      const found = yield* Effect.forEach(lookups, ([id, held]) => store.findWithKey(id, held), {
        concurrency: "unbounded",
      })
      const idOf = (payment: Option.Option<Payment>) => Option.getOrNull(payment)?.paymentId ?? null
      equal(found.map(({ payment, holder }) => [idOf(payment), idOf(holder)]), [
        [one, null],
        [two, one],
        [null, null],
        [three, null],
        [null, two],
      ])
    },
  )

  law("delivered answers are marked together, and only those", function* () {
    const store = yield* PaymentStore
    const rows = yield* Effect.forEach(
      [0, 1, 2, 3],
      (n) => paymentIn(n, n === 1 ? "settling" : "answered"),
    )
    const marked = rows.slice(0, 3)
    yield* Effect.forEach([...marked, ...marked], ({ paymentId }) => store.markSent(paymentId), {
      concurrency: "unbounded",
    })
    const stored = yield* Effect.forEach(rows, ({ paymentId }) => store.find(paymentId))
    equal(stored.map((row) => recordOf(Option.getOrThrow(row)).sent), [true, false, true, false])
  })

  const fresh = { payment_id: `0x${"ee".repeat(32)}`, nonce: `0x${"ee".repeat(32)}` }
  const malformed: ReadonlyArray<Readonly<Record<string, string | number | null>>> = [
    { payment_id: `0x${"EE".repeat(32)}` },
    { payment_id: "ee".repeat(32) },
    { nonce: `0x${"ee".repeat(31)}` },
    { asset: `0x${"gg".repeat(20)}` },
    { payer: `0x${"ee".repeat(21)}` },
    { pay_to: "0x" },
    { payer: `0x${"ee".repeat(20)}`, pay_to: `0x${"ee".repeat(20)}` },
    { signature: `0x${"ee".repeat(64)}` },
    { chain_id: 0 },
    { amount: 0 },
    { settlement: "sometime" },
    { request: null },
  ]
  law("the database refuses to insert a malformed payment", function* () {
    const sql = yield* SqlClient
    yield* paymentIn(0, "claimed")
    const insert = (changed: (typeof malformed)[number]) =>
      sql`INSERT INTO payment
          SELECT (jsonb_populate_record(payment, ${
        JSON.stringify({ ...fresh, ...changed })
      }::jsonb)).*
          FROM payment`
    for (const changed of malformed) {
      match(yield* refusalOf(insert(changed)), /malformed/)
    }
    match(
      yield* refusalOf(
        insert({}).pipe(
          Effect.andThen(sql`UPDATE payment SET pay_to = payer, asset = 'x'`),
        ),
      ),
      /identity/,
    )
  })
})
