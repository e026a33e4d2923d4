/**
 * Refunds in PostgreSQL: every arrow one conditional UPDATE of one row, leases on its clock.
 *
 * The database moves the payment with the end of its refund, and refuses what the table of moves does
 * not have (see the migrations): this file needs no right to write payments.
 *
 * @module
 */
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { Address, Bytes32, PaymentId, Signature } from "../domain/payment.ts"
import {
  type Caps,
  refundReaches,
  type RefundState,
  type SignedSums,
  withinCaps,
} from "../domain/refund.ts"
import {
  type ClaimedRefund,
  type HeldRefund,
  type RefundMove,
  type RefundSignature,
  type RefundsStanding,
  RefundStore,
} from "../refunds/RefundStore.ts"

/** Signatures are stored one at a time, whoever stores them: their sum is capped. */
const signLockKey = 8402_0006

export const layer: Layer.Layer<RefundStore, never, SqlClient> = Layer.effect(
  RefundStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const from = (duration: Duration.Duration) =>
      sql`clock_timestamp() + make_interval(secs => ${Duration.toSeconds(duration)}::float8)`

    const claimDue = (lease: Duration.Duration, limit: number) =>
      sql<RefundRow>`
        WITH due AS (
          SELECT payment_id FROM refund
          WHERE state IN ('queued', 'signed', 'broadcast', 'stuck')
            AND next_attempt_at <= clock_timestamp()
            AND (lease_until IS NULL OR lease_until <= clock_timestamp())
          ORDER BY next_attempt_at, payment_id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
        UPDATE refund SET fence = refund.fence + 1, lease_until = ${from(lease)}
        FROM due JOIN payment USING (payment_id)
        WHERE refund.payment_id = due.payment_id
        RETURNING refund.*, payment.pay_to, payment.nonce AS payment_nonce,
          payment.valid_before AS payment_valid_before, payment.paid_transaction,
          floor(extract(epoch FROM refund.created_at))::bigint AS owed_at_seconds`.pipe(
        Effect.map((rows) => rows.toSorted(byDue).map(refundOf)),
        Effect.orDie,
      )

    const signedBeside = (paymentId: PaymentId) =>
      sql<{ last_hour: bigint; last_day: bigint }>`
        SELECT coalesce(sum(amount) FILTER (
            WHERE signed_at > clock_timestamp() - interval '1 hour'), 0)::bigint AS last_hour,
          coalesce(sum(amount), 0)::bigint AS last_day
        FROM refund
        WHERE signed_at > clock_timestamp() - interval '24 hours'
          AND payment_id <> ${paymentId}`.pipe(
        Effect.map(([row]): SignedSums => ({
          lastHour: row?.last_hour ?? 0n,
          lastDay: row?.last_day ?? 0n,
        })),
      )

    const term = (treasury: Address) =>
      sql<{ after_block: bigint | null; through_block: bigint | null }>`
        SELECT after_block, (SELECT min(later.after_block) FROM refund_treasury later
            WHERE later.after_block > coalesce(own.after_block, -1)) AS through_block
        FROM refund_treasury own WHERE treasury = ${treasury}`.pipe(
        Effect.map(([row]) =>
          Option.map(Option.fromNullishOr(row), ({ after_block, through_block }) => ({
            after: after_block,
            through: through_block,
          }))
        ),
        Effect.orDie,
      )

    const enter = (treasury: Address, block: bigint) =>
      sql.withTransaction(Effect.andThen(
        sql`SELECT pg_advisory_xact_lock(${signLockKey})`,
        sql`
          INSERT INTO refund_treasury (treasury, after_block)
          SELECT ${treasury}, CASE WHEN count(*) > 0
            THEN greatest(${block}::bigint, max(after_block) + 1) END
          FROM refund_treasury HAVING count(*) FILTER (WHERE treasury = ${treasury}) = 0`,
      )).pipe(Effect.asVoid, Effect.orDie)

    const where = ({ paymentId, state, fence }: HeldRefund) =>
      sql`payment_id = ${paymentId} AND state = ${state} AND fence = ${fence}`

    const sign = (held: HeldRefund, signed: RefundSignature, caps: Caps) =>
      sql.withTransaction(Effect.gen(function* () {
        yield* sql`SELECT pg_advisory_xact_lock(${signLockKey})`
        const sums = yield* signedBeside(held.paymentId)
        const [row] = yield* sql<{ amount: bigint }>`
          UPDATE refund SET state = 'signed', treasury = ${signed.treasury},
            refund_nonce = ${signed.nonce}, valid_before = ${signed.validBefore},
            signature = ${signed.signature}, signed_at = clock_timestamp(),
            transaction_hint = NULL, changed_at = clock_timestamp()
          WHERE ${where(held)} RETURNING amount`
        if (row === undefined) return "lost"
        return withinCaps(row.amount, sums, caps) ? "signed" : yield* new OverCaps()
      })).pipe(
        Effect.catchTag("OverCaps", () => Effect.succeed("over_caps" as const)),
        Effect.orDie,
      )

    /** What a move writes beside its lease. */
    const changes = (move: RefundMove) => {
      switch (move.event) {
        case "broadcast":
          return sql`transaction_hint = ${move.transactionHint}, last_error = NULL,
            next_attempt_at = ${from(move.again)}`
        case "confirm":
          return sql`treasury = ${move.treasury}, refund_nonce = ${move.nonce},
            transaction = ${move.at.transaction}, confirmed_block = ${move.at.block},
            confirmed_log_index = ${move.at.logIndex}, confirmed_at = clock_timestamp(),
            last_error = NULL`
        case "cancel":
          return sql`last_error = ${move.reason}`
        case "stick":
          return sql`last_error = ${move.reason}, next_attempt_at = ${from(move.again)}`
        case "postpone":
          return sql`last_error = ${move.reason}, next_attempt_at = ${from(move.again)},
            attempts = attempts + ${move.declined ? 1 : 0}`
      }
    }

    const move = (held: HeldRefund, move: RefundMove) => {
      const state = move.event === "postpone" ? held.state : refundReaches[move.event]
      return sql`
        UPDATE refund SET state = ${state}, lease_until = NULL, changed_at = clock_timestamp(),
          ${changes(move)}
        WHERE ${where(held)} RETURNING 1`.pipe(
        Effect.map((rows) => rows.length === 1),
        Effect.orDie,
      )
    }

    const standing = sql<
      { state: RefundState; refunds: bigint; amount: bigint; oldest_ago_ms: number }
    >`
      SELECT state, count(*) AS refunds, sum(amount)::bigint AS amount,
        (extract(epoch FROM clock_timestamp() - min(created_at)) * 1000)::float8 AS oldest_ago_ms
      FROM refund GROUP BY state`.pipe(
      Effect.map((rows) =>
        new Map(rows.map(({ state, refunds, amount, oldest_ago_ms }) => {
          const standing: RefundsStanding = {
            refunds: Number(refunds),
            amount,
            oldestAgoMs: oldest_ago_ms,
          }
          return [state, standing]
        }))
      ),
      Effect.orDie,
    )

    return RefundStore.of({
      claimDue,
      sign,
      move,
      signedBeside: (paymentId) => Effect.orDie(signedBeside(paymentId)),
      term,
      enter,
      standing,
    })
  }),
)

/** Undoes the transaction it is raised in. */
class OverCaps extends Schema.TaggedError<OverCaps>()("OverCaps", {}) {}

interface RefundRow {
  readonly payment_id: string
  readonly chain_id: bigint
  readonly asset: string
  readonly payer: string
  readonly pay_to: string
  readonly amount: bigint
  readonly payment_nonce: string
  readonly payment_valid_before: bigint
  readonly paid_transaction: string | null
  readonly owed_at_seconds: bigint
  readonly state: RefundState
  readonly fence: number
  readonly treasury: string | null
  readonly refund_nonce: string | null
  readonly valid_before: bigint | null
  readonly signature: string | null
  readonly transaction_hint: string | null
  readonly attempts: number
  readonly last_error: string | null
  readonly next_attempt_at: Date
}

const addressOf = Schema.decodeUnknownSync(Address)
const addressOrNull = Schema.decodeUnknownSync(Schema.NullOr(Address))
const bytes32Of = Schema.decodeUnknownSync(Bytes32)
const bytes32OrNull = Schema.decodeUnknownSync(Schema.NullOr(Bytes32))
const paymentIdOf = Schema.decodeUnknownSync(PaymentId)
const signatureOrNull = Schema.decodeUnknownSync(Schema.NullOr(Signature))

/** An UPDATE returns its rows in no order. */
const byDue = (a: RefundRow, b: RefundRow) =>
  a.next_attempt_at.getTime() - b.next_attempt_at.getTime() ||
  (a.payment_id < b.payment_id ? -1 : 1)

function refundOf(row: RefundRow): ClaimedRefund {
  return {
    paymentId: paymentIdOf(row.payment_id),
    chainId: Number(row.chain_id),
    asset: addressOf(row.asset),
    payer: addressOf(row.payer),
    payTo: addressOf(row.pay_to),
    amount: row.amount,
    paymentNonce: bytes32Of(row.payment_nonce),
    paymentValidBefore: row.payment_valid_before,
    paidTransaction: row.paid_transaction,
    owedAtSeconds: row.owed_at_seconds,
    state: row.state,
    fence: row.fence,
    treasury: addressOrNull(row.treasury),
    nonce: bytes32OrNull(row.refund_nonce),
    validBefore: row.valid_before,
    signature: signatureOrNull(row.signature),
    transactionHint: row.transaction_hint,
    attempts: row.attempts,
    lastReason: row.last_error,
  }
}
