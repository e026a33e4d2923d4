/**
 * How the answer of a payment is stored, for tests that write the tables themselves.
 *
 * @module
 */
import { createHash } from "node:crypto"
import type { SqlClient } from "effect/sql/SqlClient"
import type { PaymentId } from "../../../src/payments/domain/payment.ts"

/** The column of a payment that says what was sold. */
export const answerColumn = "answer_hash"
/** Its value for the answer of these tests, in SQL. */
export const answerSql = "sha256('x'::bytea)"

/** A payment with that answer, and without one. */
export const withAnswer = { answer_hash: createHash("sha256").update("x").digest() }
export const withoutAnswer = { answer_hash: null }

/** Stores the answer of these tests, so that a payment may have it. */
export const storeAnswer = (sql: SqlClient) =>
  sql`INSERT INTO payment_answer (hash, body)
    VALUES (${sql.literal(answerSql)}, 'x'::bytea) ON CONFLICT DO NOTHING`

/** Tries to delete the answer of a payment. */
export const deleteAnswer = (sql: SqlClient, paymentId: PaymentId) =>
  sql`DELETE FROM payment_answer
    WHERE hash = (SELECT answer_hash FROM payment WHERE payment_id = ${paymentId})`

/** Statements that make the answer of a payment as old as its delivery allows; without the guards. */
export const ageAnswer = (paymentId: PaymentId): ReadonlyArray<string> => [
  `UPDATE payment_answer
    SET used_at = coalesce(sent_at, changed_at) - interval '30 minutes'
    FROM payment WHERE hash = answer_hash AND payment_id = '${paymentId}'`,
]
