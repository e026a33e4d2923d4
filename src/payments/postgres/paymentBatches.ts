/**
 * The three commands of every sale, many at a time: claim, move, remember as sent.
 *
 * Each is still a compare-and-set on its own row. What shares a statement is its round trip and its
 * commit.
 *
 * @module
 */
import { Array, Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type Bytes32, type PaymentId, type PaymentTicket, reaches } from "../domain/payment.ts"
import type { Move, Payment } from "../PaymentStore.ts"
import { groupCommit } from "../../postgres/groupCommit.ts"
import { jsonText } from "../../postgres/json.ts"
import { type Ages, agesColumns, agesOf } from "./paymentRow.ts"

/** How long an answer that was handed over waits for others, to be remembered with them. */
const sentAfter = Duration.millis(2)

interface Claim {
  readonly ticket: PaymentTicket
  readonly secretHash: Bytes32 | null
  readonly lease: Duration.Duration
}

/**
 * Makes rows in `claimed`; none for a payment that has one. The conflict names no index: of two that
 * insert one payment at the same moment, the other unique index may be the first to notice.
 */
export const claims = Effect.gen(function* () {
  const sql = yield* SqlClient
  return yield* groupCommit<Claim, Payment>({
    rowOf: ({ ticket }) => ticket.paymentId,
    together: (claims) =>
      sql<{ payment_id: PaymentId }>`
        INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
          state, secret_hash, lease_until)
        SELECT payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
          'claimed', secret_hash, ${sql.literal(leased)}
        FROM json_to_recordset(${jsonText(inOrder(claims.map(claimRow)))}::json) AS given (
          payment_id text, chain_id bigint, asset text, token_name text, token_version text,
          payer text, nonce text, pay_to text, amount bigint, valid_after bigint,
          valid_before bigint, signature text, settlement text, product_id text, request text,
          secret_hash text, lease_seconds float8)
        ON CONFLICT DO NOTHING
        RETURNING payment_id`.pipe(
        Effect.map((rows) => {
          const made = new Set(rows.map(({ payment_id }) => payment_id))
          return new Map(
            claims.filter(({ ticket }) => made.has(ticket.paymentId))
              .map((claim) => [claim.ticket.paymentId, claimed(claim)]),
          )
        }),
      ),
  })
})

const leased = "clock_timestamp() + make_interval(secs => given.lease_seconds)"

const claimRow = ({ ticket, secretHash, lease }: Claim) => {
  const { token, authorization } = ticket
  return {
    payment_id: ticket.paymentId,
    chain_id: token.chainId,
    asset: token.asset,
    token_name: token.name,
    token_version: token.version,
    payer: authorization.from,
    nonce: authorization.nonce,
    pay_to: authorization.to,
    amount: ticket.amount.toString(),
    valid_after: authorization.validAfter.toString(),
    valid_before: authorization.validBefore.toString(),
    signature: ticket.signature,
    settlement: ticket.order,
    product_id: ticket.productId,
    request: ticket.request,
    secret_hash: secretHash,
    lease_seconds: Duration.toSeconds(lease),
  }
}

/** The row that a claim has made: nothing in it is the database's own. */
const claimed = ({ ticket, secretHash, lease }: Claim): Payment => ({
  ...ticket,
  state: "claimed",
  fence: 1,
  leaseLeftMs: Duration.toMillis(lease),
  secretHash,
  intendedAgoMs: null,
  transactionHint: null,
  paidAt: null,
  paidAmount: null,
  answer: null,
  answeredAgoMs: null,
  sent: false,
  refund: null,
})

interface HeldMove {
  readonly held: Payment
  readonly move: Move
}

/**
 * Makes moves of one event. The planner guesses how many rows are given; that they are compared with
 * one event too keeps its guess low enough for the index, on a table that is still small.
 */
const movesOf = Effect.fnUntraced(function* (event: Move["event"]) {
  const sql = yield* SqlClient
  const ages = sql.literal(agesColumns)
  const written = sql.literal(writes[event])
  // What was handed over in the meantime is not owed any more.
  const unsent = sql.literal(event === "owe" ? "AND sent_at IS NULL" : "")
  return yield* groupCommit<HeldMove, Payment>({
    rowOf: ({ held }) => held.paymentId,
    together: (moves) => {
      const bodies: Array<Uint8Array> = []
      const rows = inOrder(moves.map(({ held, move }) => moveRow(held, move, bodies)))
      return sql<Ages & { readonly payment_id: string }>`
        UPDATE payment SET state = ${reaches[event]}, reason = given.reason,
          changed_at = clock_timestamp(), ${written}
        FROM (
          SELECT given.*, (${bodies}::bytea[])[given.body_place] AS body
          FROM json_to_recordset(${jsonText(rows)}::json) AS given (
            event text, payment_id text, held_state text, held_fence integer, reason text,
            lease_seconds float8, secret_hash text, transaction_hint text, body_place integer,
            paid_transaction text, paid_block bigint, paid_log_index integer, paid_finality text,
            paid_amount bigint)
        ) given
        WHERE given.event = ${event} AND payment.payment_id = given.payment_id
          AND payment.state = given.held_state AND payment.fence = given.held_fence ${unsent}
        RETURNING payment.payment_id, ${ages}`.pipe(
        Effect.map((rows) => {
          const ages = new Map(rows.map((row) => [row.payment_id, row]))
          return new Map(Array.getSomes(moves.map(({ held, move }) =>
            Option.map(
              Option.fromNullishOr(ages.get(held.paymentId)),
              (ages) => [held.paymentId, movedOn(held, move, ages)] as const,
            )
          )))
        }),
      )
    },
  })
})

/** Makes moves, those of one event at a time together. */
export const moves = Effect.gen(function* () {
  const byEvent = {
    claim: yield* movesOf("claim"),
    release: yield* movesOf("release"),
    intend: yield* movesOf("intend"),
    doubt: yield* movesOf("doubt"),
    settle: yield* movesOf("settle"),
    answer: yield* movesOf("answer"),
    owe: yield* movesOf("owe"),
    void: yield* movesOf("void"),
  }
  return (held: Payment, move: Move) => byEvent[move.event]({ held, move })
})

const paid = `paid_transaction = coalesce(given.paid_transaction, payment.paid_transaction),
  paid_block = coalesce(given.paid_block, payment.paid_block),
  paid_log_index = coalesce(given.paid_log_index, payment.paid_log_index),
  paid_finality = coalesce(given.paid_finality, payment.paid_finality)`

/** What a move writes beside the state and its reason. */
const writes: { readonly [E in Move["event"]]: string } = {
  claim: `fence = payment.fence + 1, secret_hash = given.secret_hash, lease_until = ${leased}`,
  release: "lease_until = NULL",
  intend: `answer_body = given.body, intended_at = clock_timestamp(), lease_until = ${leased}`,
  doubt: "lease_until = NULL, transaction_hint = given.transaction_hint",
  settle: `lease_until = ${leased}, ${paid}`,
  answer: `lease_until = NULL, answered_at = clock_timestamp(),
    answer_body = coalesce(given.body, payment.answer_body), ${paid}`,
  owe: `lease_until = NULL, answer_body = NULL, paid_amount = given.paid_amount, ${paid}`,
  void: "lease_until = NULL, answer_body = NULL",
}

/** A move as a row; a body is put into `bodies`, and its place there, from 1, into the row. */
const moveRow = (held: Payment, move: Move, bodies: Array<Uint8Array>) => {
  const answer = "answer" in move ? move.answer : null
  const paidAt = "paidAt" in move ? move.paidAt : null
  return {
    event: move.event,
    payment_id: held.paymentId,
    held_state: held.state,
    held_fence: held.fence,
    reason: "reason" in move ? move.reason : null,
    lease_seconds: "lease" in move ? Duration.toSeconds(move.lease) : null,
    secret_hash: "secretHash" in move ? move.secretHash : null,
    transaction_hint: "transactionHint" in move ? move.transactionHint : null,
    ...move.event === "owe" && move.paidAmount !== undefined
      ? { paid_amount: move.paidAmount.toString() }
      : {},
    body_place: answer === null ? null : bodies.push(answer.body),
    ...paidAt === null ? {} : {
      paid_transaction: paidAt.transaction,
      paid_block: paidAt.block.toString(),
      paid_log_index: paidAt.logIndex,
      paid_finality: paidAt.finality,
    },
  }
}

/**
 * The row that a move has made of `held`. Nothing else can have changed it: its identity never changes,
 * and the rest changes with a move alone, after which `held` would have been of another state or fence.
 */
function movedOn(held: Payment, move: Move, ages: Ages): Payment {
  const row = { ...held, ...agesOf(ages), state: reaches[move.event] }
  switch (move.event) {
    case "claim":
      return { ...row, fence: held.fence + 1, secretHash: move.secretHash }
    case "release":
      return row
    case "intend":
      return { ...row, answer: move.answer }
    case "doubt":
      return { ...row, transactionHint: move.transactionHint }
    case "settle":
      return { ...row, paidAt: move.paidAt }
    case "answer":
      return { ...row, answer: move.answer ?? held.answer, paidAt: move.paidAt ?? held.paidAt }
    case "owe":
      return {
        ...row,
        answer: null,
        paidAt: move.paidAt ?? held.paidAt,
        paidAmount: move.paidAmount ?? null,
      }
    case "void":
      return { ...row, answer: null }
  }
}

/** Remembers answers as handed over. */
export const sentMarks = Effect.gen(function* () {
  const sql = yield* SqlClient
  return yield* groupCommit<PaymentId, true>({
    rowOf: (paymentId) => paymentId,
    gather: Effect.sleep(sentAfter),
    together: (ids) =>
      sql<{ payment_id: PaymentId }>`
        UPDATE payment SET sent_at = clock_timestamp()
        FROM json_to_recordset(${jsonText(inOrder(ids.map(sentRow)))}::json) AS given (
          event text, payment_id text)
        WHERE given.event = 'sent' AND payment.payment_id = given.payment_id
          AND state = 'answered' AND sent_at IS NULL
        RETURNING payment.payment_id`.pipe(
        Effect.map((rows) => new Map(rows.map(({ payment_id }) => [payment_id, true]))),
      ),
  })
})

const sentRow = (paymentId: PaymentId) => ({ event: "sent", payment_id: paymentId })

/** Two statements that change the same rows change them in the same order: neither waits for both. */
const inOrder = <Row extends { readonly payment_id: string }>(rows: ReadonlyArray<Row>) =>
  rows.toSorted((a, b) => a.payment_id < b.payment_id ? -1 : 1)
