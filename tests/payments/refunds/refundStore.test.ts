/**
 * The laws of the refund store on every store, and the changes that PostgreSQL itself refuses.
 *
 * @module
 */
import { deepStrictEqual as equal, doesNotMatch, match } from "node:assert/strict"
import { Cause, Duration, Effect, Exit, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer as payments } from "../../../src/payments/postgres/paymentStore.ts"
import { requeue, settle } from "../../../src/payments/postgres/refundReview.ts"
import { layer as refunds, queueLayer } from "../../../src/payments/postgres/refundStore.ts"
import {
  type Refund,
  type RefundState,
  refundStateAfter,
  refundStates,
} from "../../../src/payments/domain/refund.ts"
import { UnmatchedRefundMin } from "../../../src/core/UnmatchedRefundMin.ts"
import { AtomicAmount } from "../../../src/core/domain/money.ts"
import { address } from "../../../src/payments/domain/payment.ts"
import { PaymentStore } from "../../../src/payments/PaymentStore.ts"
import { RefundStore, type UnreadableRefund } from "../../../src/payments/refunds/RefundStore.ts"
import { test } from "../../support/effect.ts"
import { Debts, memoryRefunds, type Owed } from "../../support/payments/memoryRefunds.ts"
import { onEveryStoreWith } from "../../support/stores.ts"
import { paymentIn, ticket, transferOf } from "../paymentStore.laws.ts"
import {
  debt,
  dustLaw,
  lease,
  moveOf,
  noCaps,
  refundIn,
  refundLaws,
  signature,
  treasury,
} from "./refundStore.laws.ts"
import { refundMoves } from "../../support/payments/moves.ts"
import { refusalOf } from "../../support/payments/refusals.ts"

for (const [name, body] of refundLaws) {
  test(`refunds in memory: ${name}`, () => Effect.provide(body, memoryRefunds().layer))
}

const withDust = Effect.provideService(UnmatchedRefundMin, debt(0).amount + 1n)

test(`refunds in memory: ${dustLaw[0]}`, () =>
  withDust(Effect.provide(dustLaw[1], memoryRefunds().layer)))

/** Runs a statement without triggers, as only a superuser can; a worker is none. */
const withoutTriggers = (statement: Effect.Effect<unknown, unknown>) =>
  Effect.flatMap(SqlClient, (sql) =>
    sql.withTransaction(Effect.andThen(
      sql`SET LOCAL session_replication_role = replica`,
      statement,
    ))).pipe(Effect.asVoid, Effect.orDie)

const byHand = { person: "Ada", note: "test" }

const at = { transaction: "0xaa", block: 1n, logIndex: 0, finality: "safe" } as const

const isFinal = (state: RefundState) => state === "confirmed" || state === "settled_by_hand"

/** Debts from payments in the payment store. */
const debts = Layer.effect(
  Debts,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const store = yield* PaymentStore
    const provided = Effect.provideService(PaymentStore, store)
    return Debts.of({
      owe: Effect.fnUntraced(function* ({ paymentId, amount, queue }) {
        const known = yield* store.find(paymentId)
        if (Option.isNone(known) && queue === "unmatched") {
          const n = Number(BigInt(paymentId)) - 1
          yield* store.insertUnmatched({ ...transferOf(n, at), value: amount })
        } else if (Option.isNone(known)) {
          const n = Number(BigInt(paymentId)) - 1
          yield* paymentIn(n, "refund_due").pipe(provided)
        } else {
          yield* store.move(known.value, {
            ...{ event: "owe", reason: "paid_undelivered" },
            paidAt: { transaction: "0xcc", block: 20n, logIndex: 1, finality: "safe" },
          })
        }
      }, Effect.orDie),
      read: (paymentId) =>
        sql<Omit<Owed, "at"> & { transaction: string | null; block: bigint; log_index: number }>`
          SELECT payment.state AS payment, refund.state AS refund, refund.transaction,
            confirmed_block AS block, confirmed_log_index AS log_index
          FROM payment JOIN refund USING (payment_id) WHERE payment_id = ${paymentId}`.pipe(
          Effect.flatMap(([row]) => Effect.fromNullishOr(row)),
          Effect.map(({ payment, refund, transaction, block, log_index }) => ({
            payment,
            refund,
            at: transaction === null ? null : { transaction, block, logIndex: log_index },
          })),
          Effect.orDie,
        ),
      review: (paymentId, action) =>
        (action === "settle"
          ? settle(paymentId, byHand, null)
          : requeue(paymentId, byHand, action === "approve_amount"))
          .pipe(Effect.provideService(SqlClient, sql), Effect.orDie),
      age: (paymentId, by) =>
        withoutTriggers(sql`UPDATE refund
          SET signed_at = signed_at - make_interval(secs => ${Duration.toSeconds(by)}::float8)
          WHERE payment_id = ${paymentId}`).pipe(Effect.provideService(SqlClient, sql)),
    })
  }),
)
const layer = Layer.mergeAll(refunds, queueLayer, debts).pipe(
  Layer.provideMerge(payments),
)

onEveryStoreWith("refunds", layer, (law) => {
  for (const [name, body] of refundLaws) law(name, body)
  law(dustLaw[0], withDust(Effect.provide(dustLaw[1], Layer.fresh(layer))))

  law(
    "a transfer counts as a liability while its refund is signed, and another amount is unmatched",
    function* () {
      const payments = yield* PaymentStore
      const { sign, claimDue, move } = yield* RefundStore
      const released = yield* paymentIn(0, "released")
      const paidAmount = AtomicAmount.make(21_000_000n)
      yield* payments.move(released, { event: "owe", reason: "x", paidAt: at, paidAmount })
      const [claim] = yield* claimDue("unmatched", lease, 9)
      if (claim === undefined || Result.isFailure(claim)) return yield* Effect.die("nothing is due")
      const refund = claim.success
      equal([refund.amount, yield* payments.liability], [paidAmount, 0n])
      yield* sign(refund, signature(0), noCaps)
      equal(yield* payments.liability, 21_000_000n)
      yield* move({ ...refund, state: "signed" }, moveOf.confirm(0))
      equal(yield* payments.liability, 0n)
    },
  )

  law("the database makes exactly the moves of the domain's table", function* () {
    const sql = yield* SqlClient
    let n = 0
    for (const from of refundStates) {
      const legal = refundMoves[from].map((event) => refundStateAfter[event])
      for (const to of refundStates) {
        const { paymentId } = yield* refundIn[from](n)
        const signed = to === "signed" || to === "broadcast" || to === "confirmed"
        const exit = yield* Effect.exit(sql.withTransaction(Effect.gen(function* () {
          if (from === "cancelled" && to === "queued") {
            // Allowed only with its payment, after the chain has proved it.
            yield* sql`UPDATE payment SET state = 'refund_due', paid_block = 21
                WHERE payment_id = ${paymentId}`
          }
          if (from === "needs_review" && (to === "queued" || to === "settled_by_hand")) {
            const action = to === "queued" ? "requeue" : "settle"
            yield* sql`INSERT INTO refund_action (payment_id, action, person, note)
                VALUES (${paymentId}, ${action}, 'Ada', 'test')`
          }
          yield* sql`UPDATE refund SET state = ${to},
              treasury = coalesce(treasury, CASE WHEN ${signed} THEN ${treasury} END),
              refund_nonce = coalesce(refund_nonce,
                CASE WHEN ${signed} THEN ${signature(n).nonce} END),
              valid_before = CASE WHEN ${to} = 'signed' THEN 9000 ELSE valid_before END,
              signature = CASE WHEN ${to} = 'signed' THEN ${signature(n, 9000n).signature}
                ELSE signature END,
              signed_at = CASE WHEN ${to} = 'signed' THEN now() ELSE signed_at END,
              transaction = CASE WHEN ${to} = 'confirmed' THEN '0xbb' ELSE transaction END,
              confirmed_at = CASE WHEN ${to} = 'confirmed' THEN now() ELSE confirmed_at END,
              confirmed_block = CASE WHEN ${to} = 'confirmed' THEN 1 ELSE confirmed_block END,
              confirmed_log_index = CASE WHEN ${to} = 'confirmed' THEN 1
                ELSE confirmed_log_index END
              WHERE payment_id = ${paymentId}`
        })))
        const isLegal = legal.includes(to) || (from === to && !isFinal(from))
        equal(Exit.isSuccess(exit), isLegal, `${from} ${to}: ${JSON.stringify(exit)}`)
        n++
      }
    }
  })

  /** Runs the effect, rolls its changes back, and returns its exit. */
  const rolledBack = <A, E>(effect: Effect.Effect<A, E, SqlClient>) =>
    Effect.flatMap(
      SqlClient,
      (sql) => Effect.flip(sql.withTransaction(Effect.flatMap(Effect.exit(effect), Effect.fail))),
    )

  /** A claim as text; checks that an error contains no signature. */
  const claimText = (claim: Result.Result<Refund, UnreadableRefund>) => {
    if (Result.isSuccess(claim)) return `read ${claim.success.paymentId}`
    const { failure } = claim
    doesNotMatch(JSON.stringify(failure) + Cause.pretty(Cause.fail(failure)), /[0-9a-f]{65}/)
    return failure.message
  }

  const claimsRow = (name: string, column: string, value: string | null, isBad = true) =>
    law(
      `claimDue() ${
        isBad ? "reports" : "reads"
      } ${name}, logs no secret, and claims the next refund`,
      function* () {
        const { claimDue } = yield* RefundStore
        const { paymentId } = yield* refundIn.signed(0)
        const next = yield* refundIn.signed(1)
        const exit = yield* rolledBack(Effect.gen(function* () {
          const sql = yield* SqlClient
          // The database refuses such rows by these constraints.
          yield* sql`SET LOCAL session_replication_role = replica`
          yield* sql`ALTER TABLE refund DROP CONSTRAINT refund_signature_required,
            DROP CONSTRAINT refund_signature_complete, DROP CONSTRAINT refund_signature_format`
          yield* sql`UPDATE refund SET lease_until = NULL`
          yield* sql`UPDATE refund SET ${sql(column)} = ${value},
            next_attempt_at = next_attempt_at - interval '1 hour' WHERE payment_id = ${paymentId}`
          const due = Effect.map(
            claimDue("sales", lease, 1),
            ([claim]) => claim && claimText(claim),
          )
          return [yield* due, yield* due, yield* due]
        }))
        const first = isBad ? `The row of refund ${paymentId} fits no state` : `read ${paymentId}`
        const claims = Exit.isExit(exit) && Exit.isSuccess(exit) ? exit.value : exit
        equal(claims, [first, `read ${next.paymentId}`, undefined])
      },
    )
  claimsRow("a valid row", "reason", "x", false)
  for (const column of ["treasury", "refund_nonce", "valid_before", "signature"]) {
    claimsRow(`a signed refund without its ${column}`, column, null)
  }
  claimsRow("a signature that is too long", "signature", `${signature(0).signature}00`)

  const refusals: Array<
    readonly [name: string, state: RefundState, statement: string, because: RegExp]
  > = []
  const refused = (...refusal: typeof refusals[number]) => refusals.push(refusal)

  const other = `0x${"66".repeat(20)}`
  const sign = (more: string) =>
    `UPDATE refund SET state = 'signed', valid_before = 9000, signed_at = now(),
      signature = '0x${"33".repeat(65)}', ${more}`
  const confirm = `UPDATE refund SET state = 'confirmed', transaction = '0xcc',
    confirmed_at = now(), confirmed_block = 2, confirmed_log_index = 2`
  for (const state of ["signed", "broadcast"] as const) {
    refused(`another treasury when ${state}`, state, sign(`treasury = '${other}'`), /identity/)
    refused(
      `another nonce when ${state}`,
      state,
      sign(`refund_nonce = '0x${"44".repeat(32)}'`),
      /identity/,
    )
    refused(
      `a signature that ends earlier when ${state}`,
      state,
      sign("valid_before = 600").replace("valid_before = 9000, ", ""),
      /signed again only/,
    )
    refused(
      `a removed treasury when ${state}`,
      state,
      "UPDATE refund SET treasury = NULL",
      /identity/,
    )
  }
  refused(
    "a new signature of a refund that was broadcast",
    "broadcast",
    `UPDATE refund SET signature = '0x${"33".repeat(65)}'`,
    /signed again only/,
  )
  law(
    "the database refuses to cancel a signed refund, even after an operator queued it again",
    function* () {
      const sql = yield* SqlClient
      yield* refundIn.signed(0)
      yield* sql`UPDATE refund SET state = 'needs_review'`
      yield* Effect.flatMap(Debts, ({ review }) => review(debt(0).paymentId, "requeue"))
      match(
        yield* refusalOf(sql`UPDATE refund SET state = 'cancelled'`),
        /signed refund cannot be cancelled/,
      )
    },
  )
  refused(
    "a removed confirmation",
    "confirmed",
    "UPDATE refund SET transaction = NULL",
    /confirmed refund cannot change/,
  )
  refused(
    "a confirmation without a position",
    "signed",
    "UPDATE refund SET state = 'confirmed'",
    /check/,
  )
  refused(
    "a position without a confirmation",
    "signed",
    confirm.replace("state = 'confirmed', ", ""),
    /check/,
  )
  refused("a fence that decreases", "queued", "UPDATE refund SET fence = 0", /fence/)
  refused(
    "a treasury without a signature",
    "queued",
    `UPDATE refund SET treasury = '${treasury}', refund_nonce = '0x${"44".repeat(32)}'`,
    /only when it is signed/,
  )
  refused("a deleted refund", "queued", "DELETE FROM refund", /cannot be deleted/)
  for (const state of ["queued", "signed", "broadcast", "needs_review"] as const) {
    for (const to of ["refunded", "void"]) {
      refused(
        `a payment that is ${to} while its refund is ${state}`,
        state,
        `UPDATE payment SET state = '${to}'`,
        new RegExp(`cannot become ${to} while its refund is ${state}`),
      )
    }
  }

  for (const [state, rows] of Map.groupBy(refusals, ([, state]) => state)) {
    law(`the database refuses ${rows.length} changes of a refund that is ${state}`, function* () {
      const sql = yield* SqlClient
      yield* refundIn[state](0)
      const all = sql`SELECT * FROM payment LEFT JOIN refund USING (payment_id)`
      const before = yield* all
      for (const [name, , statement, because] of rows) {
        const text = yield* refusalOf(sql.unsafe(statement))
        match(text, because, `${name}: ${text}`)
        equal(yield* all, before, name)
      }
    })
  }

  const insertTreasury = `INSERT INTO refund_treasury (treasury, after_block)`
  for (
    const [name, statement, because] of [
      ["another first treasury", `${insertTreasury} VALUES ('${other}', NULL)`, /must start after/],
      [
        "a treasury with an earlier block",
        `${insertTreasury} VALUES ('${other}', 99)`,
        /must start after/,
      ],
      [
        "a treasury with the same block",
        `${insertTreasury} VALUES ('${other}', 100)`,
        /must start after/,
      ],
      ["another block range", "UPDATE refund_treasury SET after_block = 101", /cannot be changed/],
      ["a deleted treasury", "DELETE FROM refund_treasury", /cannot be changed/],
      ["truncated treasuries", "TRUNCATE refund_treasury", /cannot be truncated/],
    ] as const
  ) {
    law(`the database refuses ${name}`, function* () {
      const sql = yield* SqlClient
      const store = yield* RefundStore
      yield* store.addTreasury(treasury, 0n)
      yield* store.addTreasury(address(`0x${"7f".repeat(20)}`), 100n)
      match(yield* refusalOf(sql.unsafe(statement)), because)
    })
  }

  law("the database refuses to insert a refund that is not queued", function* () {
    const sql = yield* SqlClient
    yield* refundIn.confirmed(0)
    match(
      yield* refusalOf(sql.withTransaction(Effect.gen(function* () {
        yield* withoutTriggers(sql`DELETE FROM refund`).pipe(Effect.provideService(SqlClient, sql))
        yield* sql`SET LOCAL session_replication_role = origin`
        yield* sql`INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason, state,
            treasury, refund_nonce, transaction, confirmed_at, confirmed_block, confirmed_log_index)
          SELECT payment_id, payer, amount, asset, chain_id, 'x', 'confirmed', ${treasury},
            payment_id, '0xbb', now(), 1, 1 FROM payment`
      }))),
      /must be inserted as queued/,
    )
  })

  law("the end of a refund moves its payment, also when the login shadows the table", function* () {
    const sql = yield* SqlClient
    const { paymentId } = yield* refundIn.signed(0)
    const schema = yield* sql<{ name: string }>`SELECT current_schema() AS name`
    const real = `${schema[0]?.name ?? "public"}.payment`
    const exit = yield* Effect.exit(sql.withTransaction(Effect.gen(function* () {
      yield* sql.unsafe(`CREATE TEMPORARY TABLE payment (LIKE ${real}) ON COMMIT DROP`)
      yield* sql.unsafe(confirm)
      const [row] = yield* sql.unsafe(`SELECT state FROM ${real}`)
      return yield* Effect.fail(row)
    })))
    equal(Exit.isFailure(exit) ? Cause.squash(exit.cause) : null, { state: "refunded" })
    equal((yield* (yield* Debts).read(paymentId)).payment, "refund_due")
  })

  law("the event log of a payment contains its refund", function* () {
    const sql = yield* SqlClient
    yield* refundIn.confirmed(0)
    const events = yield* sql<{ to_state: string; reason: string | null }>`
        SELECT to_state, reason FROM payment_event
        WHERE payment_id = ${ticket(0).paymentId} ORDER BY event_id DESC LIMIT 2`
    equal(events.map(({ to_state }) => to_state), ["refunded", "refund_due"])
    equal(debt(0).paymentId, ticket(0).paymentId)
  })
})
