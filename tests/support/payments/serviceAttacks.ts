/**
 * Attacks with only the service's database login, which try to make the treasury pay.
 *
 * @module
 */
import { Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Address, Bytes32 } from "../../../src/payments/domain/payment.ts"
import type { Signatures } from "../../../src/payments/Signatures.ts"
import { storeAnswer, withAnswer, withoutAnswer } from "./storedAnswer.ts"
import { terms, token } from "./terms.ts"

/** The transfer of one authorization, real or claimed. */
export interface Claimed {
  readonly payer: string
  readonly nonce: Bytes32
  readonly amount: bigint
}

export interface Attacker {
  /** A database session with the service's login. */
  readonly sql: SqlClient
  readonly paymentId: Signatures["Service"]["paymentId"]
}

type Row = Readonly<Record<string, unknown>>

/** A time that never comes. */
export const never = 9_223_372_036_854_775_807n
/** A position on the chain that does not exist. */
export const invented = {
  paid_transaction: `0x${"fe".repeat(32)}`,
  paid_block: 7n,
  paid_log_index: 0,
  paid_finality: "safe",
}
const signature = `0x${"11".repeat(32)}${"22".repeat(32)}1b`

/** Tries a statement; true when the database accepts it. */
export const wasAccepted = (attempt: Effect.Effect<unknown, unknown>) =>
  Effect.map(Effect.exit(attempt), Exit.isSuccess)

const identity = ({ paymentId }: Attacker, { payer, nonce, amount }: Claimed): Row => ({
  payment_id: paymentId({ ...token, from: payer as Address, nonce }),
  chain_id: token.chainId,
  asset: token.asset,
  token_name: token.name,
  token_version: token.version,
  ...{ payer, nonce, amount, pay_to: terms.payTo.toLowerCase() },
  ...{ valid_after: 0n, valid_before: 1n, settlement: "settle-early" },
})

const insert = ({ sql }: Attacker, row: Row) => sql`INSERT INTO payment ${sql.insert(row)}`

/** Inserts an unmatched transfer as refund_due, as the scan would; `changes` are the lie. */
export const fakeUnmatchedTransfer = (attacker: Attacker, claimed: Claimed, changes: Row = {}) =>
  insert(attacker, {
    ...{
      ...identity(attacker, claimed),
      ...invented,
      state: "refund_due",
      reason: "unmatched_transfer",
    },
    ...changes,
  })

/** Inserts a claimed row, as a call would, for the product of that settlement order. */
export const fakeClaim = (attacker: Attacker, claimed: Claimed, changes: Row = {}) =>
  insert(attacker, {
    ...{ ...identity(attacker, claimed), signature, product_id: "latest", request: "latest?[]" },
    ...{ state: "claimed", lease_until: new Date(), valid_before: never },
    ...changes,
  })

/** The update for each state of a walk. */
const steps: Readonly<Record<string, Row>> = {
  released: { state: "released" },
  settling: { state: "settling", intended_at: new Date() },
  unresolved: { state: "unresolved" },
  settled: { state: "settled", ...invented },
  answered: { state: "answered", answered_at: new Date(), ...invented },
  void: { state: "void", ...withoutAnswer },
  refund_due: { state: "refund_due", ...withoutAnswer, ...invented },
  refunded: { state: "refunded" },
}

type Walk = readonly [settlement: string, states: ReadonlyArray<string>]

/** Every path through the table of moves that ends in refund_due, by settlement order. */
export const walks: ReadonlyArray<Walk> = [
  ["compute-first", ["released", "refund_due"]],
  ["compute-first", ["released", "void", "refund_due"]],
  ["compute-first", ["settling", "void", "refund_due"]],
  ["compute-first", ["settling", "unresolved", "refund_due"]],
  ["compute-first", ["settling", "answered", "refund_due"]],
  ["compute-first", ["settling", "unresolved", "answered", "refund_due"]],
  ["settle-early", ["settling", "settled", "refund_due"]],
  ["settle-early", ["settling", "settled", "answered", "refund_due"]],
  ["settle-early", ["settling", "unresolved", "settled", "refund_due"]],
]

/** Claims a payment that was never made, and moves it to refund_due. */
export const walkToRefundDue = Effect.fnUntraced(function* (
  attacker: Attacker,
  claimed: Claimed,
  [settlement, states]: Walk,
) {
  yield* fakeClaim(attacker, claimed, { settlement })
  yield* storeAnswer(attacker.sql)
  for (const state of states) {
    const stored = state === "settling" || state === "answered" && settlement === "settle-early"
    yield* move(attacker, claimed, { ...steps[state], ...stored ? withAnswer : {} })
  }
})

/** Updates the row of a payment to anything. */
export const move = (attacker: Attacker, claimed: Claimed, changes: Row) =>
  attacker.sql`UPDATE payment SET ${attacker.sql.update(changes)}
    WHERE payer = ${claimed.payer} AND nonce = ${claimed.nonce}`

/** Statements that the service's login must not be able to execute. */
export const forbidden: ReadonlyArray<string> = [
  `INSERT INTO refund (payment_id, payer, amount, asset, chain_id, reason)
    SELECT payment_id, payer, amount, asset, chain_id, 'mine' FROM payment LIMIT 1`,
  "UPDATE refund SET state = 'queued'",
  "UPDATE refund SET payer = asset",
  "UPDATE refund SET next_attempt_at = now(), attempts = 0",
  "SELECT signature FROM refund",
  "DELETE FROM refund",
  "UPDATE payment SET payer = lower(payer)",
  "UPDATE payment SET amount = amount * 100",
  "UPDATE payment SET nonce = nonce",
  "DELETE FROM payment",
  "INSERT INTO refund_treasury (treasury) VALUES ('0x' || repeat('66', 20))",
  "SELECT * FROM refund_treasury",
  "ALTER TABLE payment DISABLE TRIGGER ALL",
  "SET session_replication_role = replica",
  "SET ROLE bellwether_refund",
  "SET SESSION AUTHORIZATION postgres",
  "CREATE OR REPLACE FUNCTION queue_refund() RETURNS trigger LANGUAGE sql AS 'SELECT NULL'",
  "CREATE TRIGGER mine AFTER INSERT ON payment EXECUTE FUNCTION queue_refund()",
]

/** Tables of the attacker that shadow the real ones for a careless trigger. */
export const hijack = (sql: SqlClient, schema: string) =>
  Effect.forEach([
    "CREATE TEMP TABLE refund (payment_id text, state text, payer text, amount bigint, " +
    "asset text, chain_id bigint, reason text, changed_at timestamptz)",
    "CREATE TEMP TABLE payment_event (payment_id text, from_state text, to_state text, " +
    "fence integer, reason text)",
    `SET search_path = pg_temp, ${schema}`,
  ], (statement) =>
    sql.unsafe(statement).unprepared, { discard: true })
