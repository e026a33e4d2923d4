/**
 * How the answer of a payment is stored, for tests that write the tables themselves.
 *
 * @module
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { PaymentId } from "../../../src/payments/domain/payment.ts"

/** The column of a payment that says what was sold. */
export const answerColumn = "answer_body"
/** Its value for the answer of these tests, in SQL. */
export const answerSql = "'x'::bytea"

/** A payment with that answer, and without one. */
export const withAnswer = { answer_body: new TextEncoder().encode("x") }
export const withoutAnswer = { answer_body: null }

/** Stores the answer of these tests, so that a payment may have it. */
export const storeAnswer = (_sql: SqlClient): Effect.Effect<void, unknown> => Effect.void

/** Tries to delete the answer of a payment. */
export const deleteAnswer = (sql: SqlClient, paymentId: PaymentId) =>
  sql`UPDATE payment SET answer_body = NULL WHERE payment_id = ${paymentId}`

/** Statements that make the answer of a payment as old as its delivery; without the guards. */
export const ageAnswer = (_paymentId: PaymentId): ReadonlyArray<string> => []
