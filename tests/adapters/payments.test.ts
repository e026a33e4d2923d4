/**
 * The laws of the payment store on every store there is, and what PostgreSQL itself refuses.
 *
 * @module
 */
import { deepStrictEqual as equal, match } from "node:assert/strict"
import { Cause, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { layer } from "../../src/adapters/postgres/payments.ts"
import { moves, paymentStates, reaches } from "../../src/domain/payment.ts"
import { test } from "../support/effect.ts"
import { memoryPaymentStore } from "../support/memoryPayments.ts"
import { onEveryStore } from "../support/stores.ts"
import { led, paths, paymentLaws, ticket } from "./payments.laws.ts"

for (const [name, body] of paymentLaws) {
  test(`payments in memory: ${name}`, () => Effect.provide(body, memoryPaymentStore))
}

onEveryStore("payments", (law) => {
  for (const [name, body] of paymentLaws) law(name, Effect.provide(body, layer))

  law(
    "the database makes exactly the moves of the domain's table",
    Effect.gen(function* () {
      const sql = yield* SqlClient
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
            const { paymentId } = yield* led(n++, order, path)
            const exit = yield* Effect.exit(sql.withTransaction(Effect.gen(function* () {
              yield* sql`UPDATE payment SET state = ${to},
                fence = fence + ${from === "released" && to === "claimed" ? 1 : 0},
                lease_until = now(), intended_at = coalesce(intended_at, now()),
                paid_transaction = '0xaa', paid_block = 1, paid_log_index = 1,
                paid_finality = 'safe', answered_at = now(), sent_at = NULL,
                answer_body = CASE WHEN ${to}
                  IN ('settling', 'unresolved', 'settled', 'answered') THEN ''::bytea END
                WHERE payment_id = ${paymentId}`
              if (to === "refund_due" || to === "refunded") {
                yield* sql`INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
                  SELECT payment_id, payer, amount, asset, chain_id, 'test' FROM payment
                  WHERE payment_id = ${paymentId} ON CONFLICT (payment_id) DO NOTHING`
              }
              if (to === "refunded") yield* confirmRefund(paymentId)
              if (from === "refund_due" && to === "void") {
                yield* sql`UPDATE refund SET state = 'cancelled' WHERE payment_id = ${paymentId}`
              }
            })))
            equal([order, from, to, Exit.isSuccess(exit)], [
              order,
              from,
              to,
              legal.has(`${from} ${to}`),
            ])
          }
        }
      }
    }).pipe(Effect.provide(layer)),
  )

  const refused = (
    name: string,
    statement: (sql: SqlClient, paymentId: string) => Effect.Effect<unknown, unknown>,
    because: RegExp,
  ) =>
    law(
      `the database refuses ${name}`,
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { paymentId } = yield* led(
          0,
          "compute-first",
          paths["compute-first"].refund_due ?? [],
        )
        const before = yield* sql`SELECT * FROM payment JOIN refund USING (payment_id)`
        const exit = yield* Effect.exit(sql.withTransaction(statement(sql, paymentId)))
        match(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "accepted", because)
        equal(yield* sql`SELECT * FROM payment JOIN refund USING (payment_id)`, before)
      }).pipe(Effect.provide(layer)),
    )

  refused("another amount", (sql) => sql`UPDATE payment SET amount = 1`, /identity/)
  refused("another payee", (sql) => sql`UPDATE payment SET pay_to = payer`, /identity|check/)
  refused("another request", (sql) => sql`UPDATE payment SET request = 'x'`, /identity/)
  refused("a deleted payment", (sql) => sql`DELETE FROM payment`, /never deleted/)
  refused("a deleted refund", (sql) => sql`DELETE FROM refund`, /never deleted/)
  refused("a rewritten event", (sql) => sql`UPDATE payment_event SET reason = 'x'`, /rewritten/)
  refused(
    "another secret without a claim",
    (sql) => sql`UPDATE payment SET secret_hash = 'x'`,
    /secret/,
  )
  refused("another fence without a claim", (sql) => sql`UPDATE payment SET fence = 9`, /fence/)
  refused(
    "an answer revealed after a refund is due",
    (sql) => sql`UPDATE payment SET answer_body = 'x'::bytea`,
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
  refused(
    "a refund of another amount",
    (sql) => sql`UPDATE refund SET amount = 1`,
    /identity|foreign/,
  )
  refused(
    "refunded before confirmed",
    (sql) => sql`UPDATE payment SET state = 'refunded'`,
    /refund that is queued/,
  )
  refused(
    "a cancelled refund that is due",
    (sql) => sql`UPDATE refund SET state = 'cancelled'`,
    /refund that is cancelled/,
  )

  law(
    "the database refuses a refund that is due and not queued, and one that is queued and not due",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const answered = yield* led(0, "compute-first", paths["compute-first"].answered ?? [])
      const due = yield* Effect.exit(sql`UPDATE payment SET state = 'refund_due',
        answer_body = NULL WHERE payment_id = ${answered.paymentId}`)
      match(Exit.isFailure(due) ? Cause.pretty(due.cause) : "accepted", /missing/)
      const queued = yield* Effect.exit(sql`
        INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
        SELECT payment_id, payer, amount, asset, chain_id, 'x' FROM payment`)
      match(Exit.isFailure(queued) ? Cause.pretty(queued.cause) : "accepted", /does not go with/)
    }).pipe(Effect.provide(layer)),
  )

  law(
    "the event log replays to the row",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const payment = yield* led(0, "compute-first", paths["compute-first"].refund_due ?? [])
      const events = yield* sql<{ from_state: string | null; to_state: string }>`
        SELECT from_state, to_state FROM payment_event
        WHERE payment_id = ${ticket(0).paymentId} ORDER BY event_id`
      equal(events.map(({ to_state }) => to_state), [
        "claimed",
        ...["intend", "doubt", "owe"].map((event) => reaches[event as keyof typeof reaches]),
      ])
      equal(
        events.slice(1).map(({ from_state }) => from_state),
        events.slice(0, -1).map((e) => e.to_state),
      )
      equal(events.at(-1)?.to_state, payment.state)
    }).pipe(Effect.provide(layer)),
  )
})

const confirmRefund = Effect.fnUntraced(function* (paymentId: string) {
  const sql = yield* SqlClient
  yield* sql`UPDATE refund SET state = 'signed', treasury = ${`0x${"22".repeat(20)}`},
    refund_nonce = ${paymentId}, valid_before = 1, signature = '0x' WHERE payment_id = ${paymentId}`
  yield* sql`UPDATE refund SET state = 'confirmed', transaction = '0xbb'
    WHERE payment_id = ${paymentId}`
})
