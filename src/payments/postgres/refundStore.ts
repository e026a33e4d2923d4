/**
 * Refunds in PostgreSQL. Every move is a conditional UPDATE of one row, and leases run on the
 * database's clock.
 *
 * When a refund is confirmed or cancelled, the database itself moves its payment in the same
 * transaction, so this file needs no right to write payments. The database refuses every move that
 * the table of moves does not have (see the migrations).
 *
 * @module
 */
import { Duration, Effect, Layer, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { UnmatchedRefundMin } from "../../core/UnmatchedRefundMin.ts"
import type { Address, PaymentId } from "../domain/payment.ts"
import {
  type BlockRange,
  type Caps,
  type QueueName,
  Refund,
  refundStateAfter,
  type SignedSums,
  withinCaps,
} from "../domain/refund.ts"
import { RefundQueue, type RefundTotals } from "../refunds/Refunds.ts"
import {
  type RefundMove,
  RefundStore,
  type RefundVersion,
  UnreadableRefund,
} from "../refunds/RefundStore.ts"
import { notDeliveredBefore } from "./paymentStore.ts"

/**
 * The advisory lock under which all workers store signatures one at a time, because the sum of all
 * signatures is capped.
 */
const signLockKey = 8402_0006

/** The worker's store. Needs the rights of the worker's role. */
export const layer: Layer.Layer<RefundStore, never, SqlClient> = Layer.effect(
  RefundStore,
  Effect.map(Effect.all([SqlClient, UnmatchedRefundMin]), ([sql, min]) =>
    RefundStore.of({
      claimDue: claimDue(sql, min),
      sign: sign(sql),
      move: move(sql),
      signedSums: (queue, caps, except) => Effect.orDie(signedSums(sql, queue, caps, except)),
      reserved: reserved(sql),
      blockRange: blockRange(sql),
      addTreasury: addTreasury(sql),
    })),
)

/** What the service reads. Needs the rights of the service's role. */
export const queueLayer: Layer.Layer<RefundQueue, never, SqlClient> = Layer.effect(
  RefundQueue,
  Effect.map(
    Effect.all([SqlClient, UnmatchedRefundMin]),
    ([sql, min]) => RefundQueue.of({ totals: totals(sql, min) }),
  ),
)

/** Whether a refund is of an unmatched transfer under the minimum; one that was begun is ended. */
const isDust = (sql: SqlClient, min: bigint) =>
  sql`(refund.queue = 'unmatched' AND refund.state = 'queued' AND refund.amount < ${min}::bigint)`

const fromNow = (sql: SqlClient, duration: Duration.Duration) =>
  sql`clock_timestamp() + make_interval(secs => ${Duration.toSeconds(duration)}::float8)`

const isUnchanged = (sql: SqlClient, { paymentId, state, fence }: RefundVersion) =>
  sql`payment_id = ${paymentId} AND state = ${state} AND fence = ${fence}`

const claimDue =
  (sql: SqlClient, min: bigint) => (queue: QueueName, lease: Duration.Duration, limit: number) =>
    sql<UndecodedRow>`
    WITH due AS (
      SELECT payment_id FROM refund
      WHERE queue = ${queue} AND NOT ${
      isDust(sql, min)
    } AND state IN ('queued', 'signed', 'broadcast', 'needs_review')
        AND next_attempt_at <= clock_timestamp()
        AND (lease_until IS NULL OR lease_until <= clock_timestamp())
      ORDER BY next_attempt_at, payment_id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE refund SET fence = refund.fence + 1, lease_until = ${fromNow(sql, lease)}
    FROM due JOIN payment USING (payment_id)
    WHERE refund.payment_id = due.payment_id
    RETURNING ${sql.literal(columns)}, payment.pay_to AS "payTo", payment.nonce AS "paymentNonce",
      payment.valid_before AS "paymentValidBefore", payment.paid_transaction AS "paidTransaction"`
      .pipe(
        Effect.map((rows) => rows.toSorted(byDue).map(refundOf)),
        Effect.orDie,
      )

const signedSums = (
  sql: SqlClient,
  queue: QueueName,
  { perHour, perDay }: Caps,
  except: PaymentId | null,
) => {
  const counted = (cap: bigint) => sql`NOT (amount_approved AND amount > ${cap}::bigint)`
  return sql<SignedSums>`
    SELECT coalesce(sum(amount) FILTER (
        WHERE signed_at > clock_timestamp() - interval '1 hour' AND ${counted(perHour)}),
        0)::bigint AS "lastHour",
      coalesce(sum(amount) FILTER (WHERE ${counted(perDay)}), 0)::bigint AS "lastDay"
    FROM refund
    WHERE queue = ${queue} AND signed_at > clock_timestamp() - interval '24 hours'
      AND payment_id IS DISTINCT FROM ${except}::text`.pipe(
    Effect.map(([row]): SignedSums => row ?? { lastHour: 0n, lastDay: 0n }),
  )
}

const reserved = (sql: SqlClient) => (except: PaymentId) =>
  sql<{ units: bigint }>`
    SELECT ((SELECT coalesce(sum(amount), 0) FROM refund
        WHERE state IN ('queued', 'signed', 'broadcast', 'needs_review')
          AND (queue = 'sales' OR state IN ('signed', 'broadcast')) AND payment_id <> ${except})
      + (SELECT coalesce(sum(amount), 0) FROM payment WHERE settlement = 'settle-early'
          AND state IN ('claimed', 'settling', 'unresolved', 'settled')
          AND ${sql.literal(notDeliveredBefore)}))::bigint AS units`.pipe(
    Effect.map(([row]) => row?.units ?? 0n),
    Effect.orDie,
  )

const blockRange = (sql: SqlClient) => (treasury: Address) =>
  sql<BlockRange>`
    SELECT after_block AS "after", (SELECT min(later.after_block) FROM refund_treasury later
        WHERE later.after_block > coalesce(own.after_block, -1)) AS "through"
    FROM refund_treasury own WHERE treasury = ${treasury}`.pipe(
    Effect.map(([row]) => Option.fromUndefinedOr(row)),
    Effect.orDie,
  )

const addTreasury = (sql: SqlClient) => (treasury: Address, block: bigint) =>
  sql.withTransaction(Effect.andThen(
    sql`SELECT pg_advisory_xact_lock(${signLockKey})`,
    sql`
      INSERT INTO refund_treasury (treasury, after_block)
      SELECT ${treasury}, CASE WHEN count(*) > 0
        THEN greatest(${block}::bigint, max(after_block) + 1) END
      FROM refund_treasury HAVING count(*) FILTER (WHERE treasury = ${treasury}) = 0`,
  )).pipe(Effect.asVoid, Effect.orDie)

const sign = (sql: SqlClient): RefundStore["Service"]["sign"] => (refund, signed, caps) =>
  sql.withTransaction(Effect.gen(function* () {
    yield* sql`SELECT pg_advisory_xact_lock(${signLockKey})`
    const sums = yield* signedSums(sql, refund.queue, caps, refund.paymentId)
    if (!withinCaps(refund, sums, caps)) return "over_caps"
    const rows = yield* sql`
      UPDATE refund SET state = 'signed', treasury = ${signed.treasury},
        refund_nonce = ${signed.nonce}, valid_before = ${signed.validBefore},
        signature = ${signed.signature}, signed_at = clock_timestamp(),
        transaction_hint = NULL, changed_at = clock_timestamp()
      WHERE ${isUnchanged(sql, refund)} RETURNING 1`
    return rows.length === 1 ? "signed" : "lost"
  })).pipe(Effect.orDie)

const move = (sql: SqlClient) => (version: RefundVersion, move: RefundMove) => {
  const state = move.event === "postpone" ? version.state : refundStateAfter[move.event]
  return sql`
    UPDATE refund SET state = ${state}, lease_until = NULL, changed_at = clock_timestamp(),
      ${changes(sql, move)}
    WHERE ${isUnchanged(sql, version)} RETURNING 1`.pipe(
    Effect.map((rows) => rows.length === 1),
    Effect.orDie,
  )
}

/** What a move writes in addition to the state and the lease. */
const changes = (sql: SqlClient, move: RefundMove) => {
  switch (move.event) {
    case "broadcast":
      return sql`transaction_hint = ${move.transactionHint}, last_error = NULL,
        next_attempt_at = ${fromNow(sql, move.retryAfter)}`
    case "confirm":
      return sql`treasury = ${move.treasury}, refund_nonce = ${move.nonce},
        transaction = ${move.at.transaction}, confirmed_block = ${move.at.block},
        confirmed_log_index = ${move.at.logIndex}, confirmed_at = clock_timestamp(),
        last_error = NULL`
    case "cancel":
      return sql`last_error = ${move.reason}`
    case "require_review":
      return sql`last_error = ${move.reason}, next_attempt_at = ${fromNow(sql, move.retryAfter)}`
    case "postpone":
      return sql`last_error = ${move.reason}, next_attempt_at = ${fromNow(sql, move.retryAfter)},
        attempts = attempts + ${move.declined ? 1 : 0}`
  }
}

const totals = (sql: SqlClient, min: bigint) =>
  sql<RefundTotals>`
    SELECT queue, state, count(*)::integer AS refunds, sum(amount)::bigint AS amount,
      (extract(epoch FROM clock_timestamp() - min(created_at)) * 1000)::float8 AS "oldestAgoMs"
    FROM refund WHERE NOT ${isDust(sql, min)} GROUP BY queue, state`.pipe(Effect.orDie)

/** An UPDATE returns its rows in no particular order. */
const byDue = (a: UndecodedRow, b: UndecodedRow) =>
  a.nextAttemptAt.getTime() - b.nextAttemptAt.getTime() || (a.paymentId < b.paymentId ? -1 : 1)

/** A claimed row before it is decoded: only the columns for its order and its id are typed. */
interface UndecodedRow
  extends Readonly<Record<"chainId" | keyof typeof signatureColumns, unknown>> {
  readonly paymentId: string
  readonly state: Refund["state"]
  readonly nextAttemptAt: Date
}

const signatureColumns = {
  treasury: "treasury",
  nonce: "refund_nonce",
  validBefore: "valid_before",
  signature: "signature",
}

/** The columns of a refund and its payment, by the names of the fields. */
const columnNames = {
  paymentId: "payment_id",
  chainId: "chain_id",
  asset: "asset",
  payer: "payer",
  amount: "amount",
  queue: "queue",
  amountApproved: "amount_approved",
  attempts: "attempts",
  fence: "fence",
  transactionHint: "transaction_hint",
  lastReason: "last_error",
  state: "state",
  nextAttemptAt: "next_attempt_at",
  ...signatureColumns,
}
const columns = Object.entries(columnNames)
  .map(([field, column]) => `refund.${column} AS "${field}"`).join()

const decodeRefund = Schema.decodeUnknownOption(Refund)

function refundOf(row: UndecodedRow): Result.Result<Refund, UnreadableRefund> {
  const { paymentId, state, treasury, nonce, validBefore, signature } = row
  const isSigned = [treasury, nonce, validBefore, signature].some((value) => value !== null)
  const signed = isSigned ? { treasury, nonce, validBefore, signature } : null
  return Result.fromOption(
    decodeRefund({ ...row, chainId: Number(row.chainId), signed }),
    () => new UnreadableRefund({ paymentId, state }),
  )
}
