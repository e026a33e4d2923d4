/**
 * The laws of the payment store on every store, and the changes that PostgreSQL itself refuses.
 *
 * @module
 */
import { deepStrictEqual as equal, doesNotMatch, match } from "node:assert/strict"
import { Cause, Duration, Effect, Exit, Logger, Option, Result } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Chain } from "../../src/payments/Chain.ts"
import { layer } from "../../src/payments/postgres/paymentStore.ts"
import { type PaymentState, paymentStates, stateAfter } from "../../src/payments/domain/payment.ts"
import { recordOf } from "../support/payments/record.ts"
import { PaymentStore, StoreReadOnly } from "../../src/payments/PaymentStore.ts"
import { sweep } from "../../src/payments/reconcile.ts"
import { defaultTiming } from "../../src/payments/timing.ts"
import { test } from "../support/effect.ts"
import { memoryPaymentStore } from "../support/payments/memoryPayments.ts"
import { onEveryStoreWith } from "../support/stores.ts"
import {
  claimAndMove,
  outdatedCopy,
  paths,
  paymentIn,
  paymentLaws,
  ticket,
} from "./paymentStore.laws.ts"
import { moves } from "../support/payments/moves.ts"
import { answerColumn, answerSql, storeAnswer } from "../support/payments/storedAnswer.ts"
import { refusalOf } from "../support/payments/refusals.ts"

for (const [name, body] of paymentLaws) {
  test(`payments in memory: ${name}`, () => Effect.provide(body, memoryPaymentStore))
}

/** Runs without the constraints and triggers that refuse invalid rows, and rolls back. */
const unconstrained = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const withoutChecks = Effect.gen(function* () {
      yield* sql`SET LOCAL session_replication_role = replica`
      const checks = yield* sql<{ conname: string }>`SELECT conname FROM pg_constraint
        WHERE conrelid = 'payment'::regclass AND contype = 'c'`
      for (const { conname } of checks) {
        yield* sql`ALTER TABLE payment DROP CONSTRAINT ${sql(conname)}`
      }
      return yield* Effect.fail(yield* Effect.exit(body))
    })
    const exit = yield* Effect.flip(sql.withTransaction(withoutChecks))
    if (Exit.isExit(exit) && Exit.isFailure(exit)) return yield* Effect.failCause(exit.cause)
    equal(Exit.isExit(exit), true, `${exit}`)
  })

const notCalled = () => Effect.die("called")
/** A chain that proves every payment to be expired and unpaid. */
const emptyChain = Chain.of({
  head: notCalled(),
  paymentProof: () => Effect.succeed({ proof: "never", reason: "expired" }),
  ...{ transfers: notCalled, balanceOf: notCalled, isNonceUsed: notCalled, hasCode: notCalled },
  wouldSettle: notCalled,
})

/** The number of payments that a sweep on that chain moves, and the lines that it logs. */
const sweepOnEmptyChain = Effect.gen(function* () {
  const store = yield* PaymentStore
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => logged.push([message].flat().at(-1)))
  const unfetched = () => Effect.void
  const ports = { store, chain: emptyChain, windows: defaultTiming, unfetched }
  const moved = yield* Effect.all([sweep(ports, "urgent"), sweep(ports, "released")]).pipe(
    Effect.provide(Logger.layer([logger])),
  )
  return { moved: moved[0] + moved[1], logged }
})

/** A change of a payment that the database must refuse, and what it says. */
interface Refusal {
  readonly name: string
  readonly statement:
    | string
    | ((sql: SqlClient, paymentId: string) => Effect.Effect<unknown, unknown>)
  readonly because: RegExp
  readonly state: PaymentState
  readonly sent: boolean
}

onEveryStoreWith("payments", layer, (law) => {
  for (const [name, body] of paymentLaws) law(name, body)

  law(
    "a store that accepts reads only refuses a claim as such, of a new and of a released payment",
    function* () {
      const sql = yield* SqlClient
      const { claim, find, move } = yield* PaymentStore
      const lease = Duration.seconds(30)
      const released = yield* paymentIn(0, "released")
      const claims: ReadonlyArray<Effect.Effect<unknown>> = [
        claim(ticket(1), null, lease),
        move(released, { event: "claim", secretHash: null, lease }),
      ]
      for (const write of claims) {
        const refused = yield* sql`SET TRANSACTION READ ONLY`.pipe(
          Effect.andThen(write),
          sql.withTransaction,
          Effect.catchDefect(Effect.succeed),
        )
        equal(refused instanceof StoreReadOnly, true, `${refused}`)
      }
      equal(yield* find(ticket(1).paymentId), Option.none())
    },
  )

  law("the database makes exactly the moves of the domain's table", function* () {
    const sql = yield* SqlClient
    const column = sql(answerColumn)
    yield* storeAnswer(sql)
    let n = 0
    for (const order of ["compute-first", "settle-early"] as const) {
      const legal = new Set(
        paymentStates.flatMap((from) =>
          Object.values(moves[order][from]).map((to) => `${from} ${to}`)
        ),
      )
      for (const [from, path] of Object.entries(paths[order])) {
        for (const to of paymentStates) {
          if (to === from) continue
          const row = yield* claimAndMove(n++, order, path)
          const { paymentId } = row
          const exit = yield* Effect.exit(sql.withTransaction(Effect.gen(function* () {
            // The refund ends, and moves its payment.
            if (from === "refund_due" && to === "refunded") return yield* confirmRefund(paymentId)
            if (from === "refund_due" && to === "void") return yield* cancelRefund(paymentId)
            const paid = ["settled", "answered", "refund_due"].includes(to)
            const first = sql.literal(
              paid && recordOf(row).paidAt === null
                ? `, paid_transaction = '0xaa', paid_block = 1, paid_log_index = 1,
                  paid_finality = 'safe'`
                : "",
            )
            yield* sql`UPDATE payment SET state = ${to},
                fence = fence + ${from === "released" && to === "claimed" ? 1 : 0},
                lease_until = now(),
                intended_at = CASE ${to} WHEN 'settling' THEN now() ELSE intended_at END,
                answered_at = CASE ${to} WHEN 'answered' THEN now() ELSE answered_at END,
                ${column} = CASE WHEN ${to} IN ('settling', 'unresolved', 'settled', 'answered')
                  THEN coalesce(${column}, ${sql.literal(answerSql)}) END${first}
                WHERE payment_id = ${paymentId}`
          })))
          const [now] = yield* sql<{ state: PaymentState }>`
              SELECT state FROM payment WHERE payment_id = ${paymentId}`
          equal(now?.state, Exit.isSuccess(exit) ? to : from)
          const result = Exit.isSuccess(exit) ? "moved" : Cause.pretty(exit.cause)
          match(
            `${order} ${from} ${to}: ${result}`,
            legal.has(`${from} ${to}`) ? /: moved$/ : /a payment cannot go from/,
          )
        }
      }
    }
  })

  const refusals: Array<Refusal> = []
  const refused = (
    name: string,
    statement: Refusal["statement"],
    because: RegExp,
    state: PaymentState = "refund_due",
    sent = false,
  ) => refusals.push({ name, statement, because, state, sent })

  law("the database guards every column of a payment that no sale changes", function* () {
    const sql = yield* SqlClient
    const guarded = yield* sql<{ name: string }>`
        SELECT event_object_column AS name FROM information_schema.triggered_update_columns
        WHERE trigger_schema = current_schema() AND trigger_name = 'payment_identity_guard'`
    const all = yield* sql<{ name: string }>`
        SELECT column_name AS name FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = 'payment'`
    const names = new Set(guarded.map(({ name }) => name))
    equal(
      all.map(({ name }) => name).filter((name) => !names.has(name)).sort(),
      `${answerColumn} answered_at changed_at fence intended_at key_hash lease_until paid_amount paid_block paid_finality paid_log_index paid_transaction reason secret_hash sent_at state transaction_hint`
        .split(" "),
    )
  })

  refused("another amount", "UPDATE payment SET amount = 1", /identity/)
  refused("another payee", "UPDATE payment SET pay_to = payer", /identity|check/)
  refused("another request", "UPDATE payment SET request = 'x'", /identity/)
  refused("a deleted payment", "DELETE FROM payment", /cannot be deleted/)
  refused("a rewritten event", "UPDATE payment_event SET reason = 'x'", /cannot be changed/)
  refused("another secret without a claim", "UPDATE payment SET secret_hash = 'x'", /secret/)
  refused("another fence without a claim", "UPDATE payment SET fence = 9", /fence/)
  refused(
    "an answer revealed after a refund is due",
    `UPDATE payment SET ${answerColumn} = ${answerSql}`,
    /answer|check/,
  )
  refused(
    "a second refund",
    (sql, id) =>
      sql`INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
      SELECT payment_id, payer, amount, asset, chain_id, 'x' FROM payment
      WHERE payment_id = ${id}`,
    /unique|duplicate/i,
  )
  refused("a refund of another amount", "UPDATE refund SET amount = 1", /identity|foreign/)

  const queue = (sql: SqlClient) =>
    sql`INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
      SELECT payment_id, payer, amount, asset, chain_id, 'x' FROM payment`
  refused(
    "the refund of a delivered answer",
    (sql) =>
      Effect.andThen(
        sql`UPDATE payment SET state = 'refund_due', ${sql(answerColumn)} = NULL, sent_at = NULL`,
        queue(sql),
      ),
    /after its answer was delivered/,
    "answered",
    true,
  )
  for (
    const [change, statement] of [
      ["removed", "UPDATE payment SET sent_at = NULL"],
      ["moved", "UPDATE payment SET sent_at = now() + interval '1 hour'"],
    ] as const
  ) {
    refused(
      `a delivery mark that is ${change}`,
      statement,
      /sent_at can be set once/,
      "answered",
      true,
    )
  }
  refused(
    "a delivery mark before the charge",
    "UPDATE payment SET sent_at = now()",
    /sent_at can be set once/,
    "settling",
  )
  for (const state of ["settling", "unresolved"] as const) {
    refused(
      `an answer other than the one stored at the intent of a ${state} payment`,
      (sql) =>
        Effect.andThen(
          storeAnswer(sql),
          sql`UPDATE payment SET state = 'answered', answered_at = now(),
            ${sql(answerColumn)} = ${sql.literal(answerSql)},
            paid_transaction = '0xaa', paid_block = 1, paid_log_index = 1, paid_finality = 'safe'`,
        ),
      new RegExp(`${answerColumn} can be set once`),
      state,
    )
    refused(
      `a transfer in a ${state} payment that becomes void`,
      (sql) =>
        sql`UPDATE payment SET state = 'void', ${sql(answerColumn)} = NULL,
          paid_transaction = '0xaa', paid_block = 1, paid_log_index = 1, paid_finality = 'safe'`,
      /recorded transfer/,
      state,
    )
    refused(
      `a transfer in a ${state} payment that does not move`,
      "UPDATE payment SET paid_transaction = '0xaa'",
      /recorded transfer/,
      state,
    )
  }
  for (
    const change of [
      "paid_transaction = '0xbb'",
      "paid_block = 8",
      "paid_log_index = 4",
      "paid_transaction = NULL",
    ]
  ) {
    for (const state of ["answered", "refund_due"] as const) {
      refused(
        `${change} in a proven payment that is ${state}`,
        `UPDATE payment SET ${change}`,
        /recorded transfer/,
        state,
      )
    }
  }
  for (const column of ["intended_at", "answered_at"]) {
    for (const value of ["now() + interval '1 hour'", "NULL"]) {
      refused(
        `another ${column}: ${value}`,
        `UPDATE payment SET ${column} = ${value}`,
        /can be set once/,
        "answered",
      )
    }
  }
  refused(
    "a new payment that has a transfer",
    (sql, id) =>
      sql`INSERT INTO payment SELECT (jsonb_populate_record(payment, jsonb_build_object(
        'payment_id', reverse(substr(payment_id, 3)), 'state', 'claimed', 'lease_until', now()))).*
        FROM payment WHERE payment_id = ${id}`,
    /must be inserted without/,
    "answered",
  )
  for (const tables of ["payment, refund, payment_event", "payment_event", "refund"]) {
    refused(`truncating ${tables}`, `TRUNCATE ${tables}`, /cannot be truncated/)
  }
  refused("truncating payments with cascade", "TRUNCATE payment CASCADE", /cannot be truncated/)

  for (const [of, rows] of Map.groupBy(refusals, (row) => `${row.state}, sent: ${row.sent}`)) {
    law(`the database refuses ${rows.length} changes of a payment, ${of}`, function* () {
      const sql = yield* SqlClient
      const [{ state, sent } = { state: "claimed", sent: false } as const] = rows
      const { paymentId } = yield* paymentIn(0, state)
      if (sent) yield* Effect.flatMap(PaymentStore, (store) => store.markSent(paymentId))
      const all = sql`SELECT * FROM payment LEFT JOIN refund USING (payment_id)`
      const before = yield* all
      for (const { name, statement, because } of rows) {
        const text = yield* refusalOf(sql.withTransaction(
          typeof statement === "string" ? sql.unsafe(statement) : statement(sql, paymentId),
        ))
        match(text, because, `${name}: ${text}`)
        equal(yield* all, before, name)
      }
    })
  }

  law(
    "the database accepts a safe position, and a new position for a void payment that was paid",
    function* () {
      const sql = yield* SqlClient
      yield* paymentIn(0, "answered")
      yield* sql`UPDATE payment SET paid_block = 8, paid_finality = 'safe'`
      match(yield* refusalOf(sql`UPDATE payment SET paid_finality = 'latest'`), /recorded transfer/)
      const owed = yield* paymentIn(1, "refund_due")
      yield* cancelRefund(owed.paymentId)
      const store = yield* PaymentStore
      const again = yield* store.move(outdatedCopy(owed, "void"), {
        event: "owe",
        reason: "paid_undelivered",
        paidAt: { transaction: "0xcc", block: 20n, logIndex: 1, finality: "safe" },
      })
      equal(recordOf(Option.getOrThrow(again)).paidAt?.transaction, "0xcc")
    },
  )

  law(
    "the database queues a refund with the move that makes it due, and refuses any other",
    function* () {
      const sql = yield* SqlClient
      const owed = yield* paymentIn(0, "answered")
      yield* sql`UPDATE payment
        SET state = 'refund_due', reason = 'test', ${sql(answerColumn)} = NULL
        WHERE payment_id = ${owed.paymentId}`
      const refunds = yield* sql<{ state: string; reason: string; amount: bigint }>`
        SELECT state, reason, amount FROM refund`
      equal(refunds, [{ state: "queued", reason: "test", amount: owed.amount }])
      yield* paymentIn(1, "answered")
      match(
        yield* refusalOf(sql`
        INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
        SELECT payment_id, payer, amount, asset, chain_id, 'x' FROM payment
        WHERE state = 'answered'`),
        /does not match its refund/,
      )
    },
  )

  law("the refund has the paid amount, which is refused when no refund is due", function* () {
    const sql = yield* SqlClient
    const { paymentId } = yield* paymentIn(0, "released")
    match(yield* refusalOf(sql`UPDATE payment SET paid_amount = 7`), /paid_amount can be set only/)
    yield* sql`UPDATE payment SET state = 'refund_due', paid_amount = 7, paid_transaction = '0xaa',
        paid_block = 1, paid_log_index = 1, paid_finality = 'safe' WHERE payment_id = ${paymentId}`
    match(yield* refusalOf(sql`UPDATE payment SET paid_amount = 8`), /paid_amount can be set only/)
    equal(yield* sql<{ amount: bigint }>`SELECT amount FROM refund`, [{ amount: 7n }])
    match(yield* refusalOf(sql`UPDATE refund SET amount = 8`), /identity/)
  })

  const invalidRow = (name: string, state: PaymentState, change: string) =>
    law(
      `a waiting row ${name} stops neither the sweep nor the next rows, and logs no secret`,
      unconstrained(Effect.gen(function* () {
        const sql = yield* SqlClient
        const store = yield* PaymentStore
        const { paymentId } = yield* paymentIn(0, state)
        const next = yield* paymentIn(1, "unresolved")
        yield* sql.unsafe(`UPDATE payment SET changed_at = changed_at - interval '1 hour', ${change}
          WHERE payment_id = '${paymentId}'`)
        const waiting = yield* store.waiting({
          ...{ kind: "urgent", nowSeconds: 0n, answerWindow: Duration.zero, skip: 0, limit: 9 },
        })
        equal(waiting.map(Result.isSuccess), [false, true])
        equal(yield* sweepOnEmptyChain, {
          moved: 1,
          logged: [`The row of payment ${paymentId} fits no state`],
        })
        equal((yield* Effect.flatMap(store.find(next.paymentId), Effect.fromOption)).state, "void")
        const found = yield* Effect.exit(store.find(paymentId))
        doesNotMatch(Exit.isFailure(found) ? Cause.pretty(found.cause) : "", /[0-9a-f]{65}/)
      })),
    )
  invalidRow("without its request", "unresolved", "request = NULL")
  invalidRow("without its intent", "unresolved", "intended_at = NULL")
  invalidRow("without its answer", "unresolved", `${answerColumn} = NULL`)
  invalidRow(
    "without its block",
    "answered",
    "paid_block = NULL, answered_at = answered_at - interval '30 days'",
  )
  invalidRow(
    "of a compute-first payment that is settled",
    "unresolved",
    "state = 'settled', lease_until = '-infinity'",
  )
  invalidRow(
    "with a signature that is too long",
    "unresolved",
    "signature = rpad(signature, 4100, '0')",
  )

  law(
    "a sweep skips more unreadable rows than one round has, and ends",
    unconstrained(Effect.gen(function* () {
      const sql = yield* SqlClient
      const { paymentId } = yield* paymentIn(0, "unresolved")
      yield* sql`INSERT INTO payment
        SELECT (jsonb_populate_record(payment, jsonb_build_object(
          'payment_id', '0x' || lpad(n::text, 64, 'f'), 'nonce', '0x' || lpad(n::text, 64, 'f'),
          'intended_at', NULL, 'changed_at', changed_at - interval '1 hour'))).*
        FROM payment, generate_series(1, 400) AS n`
      const { moved, logged } = yield* sweepOnEmptyChain
      equal([moved, logged.length], [1, 400])
      const [row] = yield* sql<{ state: PaymentState }>`
        SELECT state FROM payment WHERE payment_id = ${paymentId}`
      equal(row?.state, "void")
    })),
  )

  law("the event log replays to the row", function* () {
    const sql = yield* SqlClient
    const payment = yield* paymentIn(0, "refund_due")
    const events = yield* sql<{ from_state: string | null; to_state: string }>`
        SELECT from_state, to_state FROM payment_event
        WHERE payment_id = ${ticket(0).paymentId} ORDER BY event_id`
    equal(events.map(({ to_state }) => to_state), [
      "claimed",
      ...["intend", "doubt", "owe"].map((event) => stateAfter[event as keyof typeof stateAfter]),
    ])
    equal(
      events.slice(1).map(({ from_state }) => from_state),
      events.slice(0, -1).map((e) => e.to_state),
    )
    equal(events.at(-1)?.to_state, payment.state)
  })
})

const confirmRefund = Effect.fnUntraced(function* (paymentId: string) {
  const sql = yield* SqlClient
  yield* sql`UPDATE refund SET state = 'signed', treasury = ${`0x${"22".repeat(20)}`},
    refund_nonce = ${paymentId}, valid_before = 1, signature = ${`0x${"22".repeat(65)}`},
    signed_at = now() WHERE payment_id = ${paymentId}`
  yield* sql`UPDATE refund SET state = 'confirmed', transaction = '0xbb', confirmed_at = now(),
    confirmed_block = 1, confirmed_log_index = 1 WHERE payment_id = ${paymentId}`
})

const cancelRefund = Effect.fnUntraced(function* (paymentId: string) {
  const sql = yield* SqlClient
  yield* sql`UPDATE refund SET state = 'cancelled' WHERE payment_id = ${paymentId}`
})
