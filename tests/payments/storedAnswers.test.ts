/**
 * An answer is stored once for all payments that bought it, and for as long as one of them needs it.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Deferred, Duration, Effect, Exit, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { recordOf } from "../support/payments/record.ts"
import { type Move, PaymentStore } from "../../src/payments/PaymentStore.ts"
import { layer as paymentStore } from "../../src/payments/postgres/paymentStore.ts"
import { Retention } from "../../src/payments/postgres/retention.ts"
import { migrate, migrationFiles } from "../../src/postgres/migrate.ts"
import { liveTest } from "../support/effect.ts"
import { onEveryStoreWith, postgresStore, unmigratedStores } from "../support/stores.ts"
import { registerSkipped } from "../support/venues/oracle.ts"
import { claimAndMove, ticket } from "./paymentStore.laws.ts"

const lease = Duration.seconds(60)
const bodyOf = (text: string) => ({ body: new TextEncoder().encode(text) })
const intend = (text: string): Move => ({ event: "intend", answer: bodyOf(text), lease })
const doubt: Move = { event: "doubt", reason: "timeout", transactionHint: null }
const answered = { event: "answer", answer: null, paidAt: null } as const
const paidAt = { transaction: "0xaa", block: 7n, logIndex: 3, finality: "latest" } as const
const proven: Move = { ...answered, paidAt }

/** Sells the n-th payment, compute-first, up to these moves. */
const sellAs = (n: number, ...moves: ReadonlyArray<Move>) => claimAndMove(n, "compute-first", moves)

/** The stored answer of the n-th payment. */
const answerOf = Effect.fnUntraced(function* (n: number) {
  const row = yield* Effect.flatMap(PaymentStore, (store) => store.find(ticket(n).paymentId))
  const { answer } = recordOf(Option.getOrThrow(row))
  return answer === null ? null : new TextDecoder().decode(answer.body)
})

const count = Effect.gen(function* () {
  const sql = yield* SqlClient
  const [row] = yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM payment_answer`
  return row?.n
})

/** Makes every use and every delivery a day older. */
const dayLater = Effect.gen(function* () {
  const sql = yield* SqlClient
  yield* sql.withTransaction(Effect.gen(function* () {
    yield* sql`SET LOCAL session_replication_role = replica`
    yield* sql`UPDATE payment_answer SET used_at = used_at - interval '25 hours'`
    yield* sql`UPDATE payment SET sent_at = sent_at - interval '25 hours'`
  }))
})

const deleted = Effect.flatMap(Retention, (store) => store.deleteBodies(9))
const deliver = (n: number) =>
  Effect.flatMap(PaymentStore, (store) => store.markSent(ticket(n).paymentId))
const layer = Layer.merge(paymentStore, Retention.layer)

onEveryStoreWith("stored answers", layer, (law) => {
  law(
    "payments that bought the same bytes share them, and each erases only its own claim to them",
    function* () {
      const store = yield* PaymentStore
      const [first] = yield* Effect.forEach(
        [0, 1, 2, 3],
        (n) => sellAs(n, intend(n === 3 ? "other" : "same"), doubt),
        { concurrency: "unbounded" },
      )
      equal(yield* count, 2)
      if (first !== undefined) yield* store.move(first, { event: "owe", reason: "test", paidAt })
      equal(yield* Effect.forEach([0, 1, 2, 3], answerOf), [null, "same", "same", "other"])
    },
  )

  law(
    "an answer is deleted a day after the last of its payments was delivered, not before",
    function* () {
      const waiting = yield* sellAs(0, intend("a"), doubt)
      yield* sellAs(1, intend("a"), proven)
      yield* deliver(1)
      yield* dayLater
      equal(yield* deleted, 0)
      const { move } = yield* PaymentStore
      yield* move(waiting, proven)
      equal(yield* deleted, 0)
      // A delivery uses the answer again.
      yield* deliver(0)
      equal([yield* deleted, yield* answerOf(0)], [0, "a"])
      yield* dayLater
      equal([yield* deleted, yield* answerOf(0), yield* count], [1, null, 0])
    },
  )

  law(
    "an answer is given for a day after its own delivery, even while others need it",
    function* () {
      yield* sellAs(0, intend("a"), proven)
      yield* deliver(0)
      yield* sellAs(1, intend("a"), proven)
      equal([yield* answerOf(0), yield* answerOf(1)], ["a", "a"])
      yield* dayLater
      equal([yield* answerOf(0), yield* answerOf(1)], [null, "a"])
    },
  )

  law(
    "an answer that a process has stored is stored again after it was deleted, and used when it is old",
    function* () {
      yield* sellAs(0, intend("a"), proven)
      yield* deliver(0)
      yield* dayLater
      equal(yield* deleted, 1)
      yield* sellAs(1, intend("a"), proven)
      equal(yield* answerOf(1), "a")
      yield* dayLater
      yield* sellAs(2, intend("a"))
      yield* deliver(1)
      equal([yield* deleted, yield* answerOf(2)], [0, "a"])
    },
  )
})

/** Polls for the sale to wait. */
const pollsMax = 40

/** Sells the n-th payment while a transaction deletes its answer and then ends. */
const sellDuringDeletion = Effect.fnUntraced(function* (n: number, end: "commit" | "rollback") {
  const sql = yield* SqlClient
  const isDeleted = yield* Deferred.make<void>()
  const sale = yield* Effect.forkChild(
    Effect.andThen(Deferred.await(isDeleted), sellAs(n, intend("a"))),
  )
  const waits = sql`SELECT FROM pg_stat_activity
    WHERE wait_event_type = 'Lock' AND pg_backend_pid() = ANY (pg_blocking_pids(pid))`
  const exit = yield* Effect.exit(sql.withTransaction(Effect.gen(function* () {
    equal(yield* deleted, 1)
    yield* Deferred.succeed(isDeleted, undefined)
    for (let n = 0; n < pollsMax && sale.pollUnsafe() === undefined; n++) {
      if ((yield* waits).length > 0) break
    }
    if (end === "rollback") yield* Effect.fail(end)
  })))
  equal(Exit.isSuccess(exit), end === "commit", `${exit}`)
  return recordOf(yield* Fiber.join(sale)).answer
})

const url = Deno.env.get("TEST_DATABASE_URL") || undefined
const race = "a payment that gets an answer while it is being deleted has it"
if (url === undefined) registerSkipped(race, "set TEST_DATABASE_URL")
else {
  liveTest(race, function* () {
    const { move } = yield* PaymentStore
    yield* sellAs(0, intend("a"), proven)
    yield* deliver(0)
    for (const [n, end] of [[1, "commit"], [2, "rollback"]] as const) {
      yield* dayLater
      equal(yield* sellDuringDeletion(n, end), bodyOf("a"))
      equal([yield* deleted, yield* answerOf(n)], [0, "a"])
      const sold = yield* Effect.flatMap(PaymentStore, ({ find }) => find(ticket(n).paymentId))
      yield* move(Option.getOrThrow(sold), proven)
      yield* deliver(n)
    }
  }, Layer.provideMerge(layer, postgresStore(url)))
}

/** The rows of the version before: each payment has its answer in a column. */
const insertOldRows = Effect.gen(function* () {
  const sql = yield* SqlClient
  for (const [n, body] of ["same", "same", "other", "same"].entries()) {
    const { paymentId } = ticket(n)
    yield* sql`INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer,
        nonce, pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
        state, lease_until)
      VALUES (${paymentId}, 8453, '0x' || repeat('a', 40), 'USD Coin', '2', '0x' || repeat('b', 40),
        ${paymentId}, '0x' || repeat('c', 40), 10000, 0, 2000000000, '0x' || repeat('11', 65),
        'compute-first', 'latest', 'latest?[]', 'claimed', now())`
    yield* sql`UPDATE payment SET state = 'settling', intended_at = now(), answer_body = ${
      bodyOf(body).body
    } WHERE payment_id = ${paymentId}`
  }
  yield* sql`UPDATE payment SET state = 'answered', answered_at = now(), paid_transaction = '0xaa',
    paid_block = 1, paid_log_index = 1, paid_finality = 'safe'
    WHERE payment_id = ANY(${[1, 3].map((n) => ticket(n).paymentId)}::text[])`
  yield* sql`UPDATE payment SET sent_at = now() WHERE payment_id = ${ticket(3).paymentId}`
})

for (const { name, layer: store } of unmigratedStores) {
  liveTest(`a ${name} store of the version before keeps its answers`, function* () {
    const files = yield* migrationFiles
    const isNew = ({ id }: { readonly id: number }) => id >= 4
    yield* migrate(files.filter((file) => !isNew(file)))
    yield* insertOldRows
    yield* migrate(files)
    yield* Effect.gen(function* () {
      const { find, move } = yield* PaymentStore
      equal(yield* count, 2)
      equal(yield* Effect.forEach([0, 1, 2, 3], answerOf), ["same", "same", "other", "same"])
      const waiting = Option.getOrThrow(yield* find(ticket(0).paymentId))
      equal(Option.isSome(yield* move(waiting, proven)), true)
      for (const n of [0, 1]) yield* deliver(n)
      yield* dayLater
      equal([yield* deleted, yield* answerOf(2)], [1, "other"])
      const states = yield* Effect.forEach([0, 1, 2, 3], (n) => find(ticket(n).paymentId))
      equal(states.map((row) => Option.getOrThrow(row).state), [
        ...["answered", "answered", "settling", "answered"],
      ])
    }).pipe(Effect.provide(layer))
  }, store)
}
