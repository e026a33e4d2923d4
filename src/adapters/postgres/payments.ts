/**
 * Payments in PostgreSQL: every arrow one conditional UPDATE of one row, leases on its clock.
 *
 * The database refuses what the table of moves does not have (see the migration), so a bug here is a
 * defect, not a lost payment.
 *
 * @module
 */
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import {
  type PaidAt,
  type PaymentId,
  type PaymentState,
  type PaymentTicket,
  reaches,
} from "../../domain/payment.ts"
import type { Bytes32 } from "../../domain/payment.ts"
import {
  type Held,
  type Move,
  type Orphan,
  type Payment,
  PaymentStore,
  type ScannedAccount,
  type WaitingQuery,
} from "../../services/PaymentStore.ts"
import { paymentOf, type PaymentRow } from "./paymentRow.ts"

/** An orphan's authorization was never shown to us: it is not known to expire. */
const neverExpires = 9_223_372_036_854_775_807n

export const layer: Layer.Layer<PaymentStore, never, SqlClient> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(`payment.*,
      (extract(epoch FROM lease_until - clock_timestamp()) * 1000)::float8 AS lease_left_ms,
      (extract(epoch FROM clock_timestamp() - intended_at) * 1000)::float8 AS intended_ago_ms,
      (extract(epoch FROM clock_timestamp() - answered_at) * 1000)::float8 AS answered_ago_ms,
      CASE WHEN state IN ('refund_due', 'refunded') THEN (
        SELECT json_build_object('state', refund.state, 'reason', refund.reason,
          'transaction', refund.transaction)
        FROM refund WHERE refund.payment_id = payment.payment_id) END AS refund`)

    const seconds = (duration: Duration.Duration) =>
      sql`make_interval(secs => ${Duration.toSeconds(duration)}::float8)`
    const leaseUntil = (lease: Duration.Duration) => sql`clock_timestamp() + ${seconds(lease)}`

    const find = (paymentId: PaymentId) =>
      sql<PaymentRow>`SELECT ${columns} FROM payment WHERE payment_id = ${paymentId}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), paymentOf)),
      )

    const insert = (
      { paymentId, token, authorization, ...ticket }: PaymentTicket,
      secretHash: Bytes32 | null,
      lease: Duration.Duration,
    ) =>
      sql<PaymentRow>`
        INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, signature, settlement, product_id, request,
          state, secret_hash, lease_until)
        VALUES (${paymentId}, ${token.chainId}, ${token.asset}, ${token.name}, ${token.version},
          ${authorization.from}, ${authorization.nonce}, ${authorization.to}, ${ticket.amount},
          ${authorization.validAfter}, ${authorization.validBefore}, ${ticket.signature},
          ${ticket.order}, ${ticket.productId}, ${ticket.request},
          'claimed', ${secretHash}, ${leaseUntil(lease)})
        ON CONFLICT (payment_id) DO NOTHING
        RETURNING ${columns}`

    const claim = Effect.fnUntraced(
      function* (ticket: PaymentTicket, secretHash: Bytes32 | null, lease: Duration.Duration) {
        const [row] = yield* insert(ticket, secretHash, lease)
        if (row !== undefined) return { claimed: true, payment: paymentOf(row) }
        const known = yield* Effect.flatMap(find(ticket.paymentId), Effect.fromOption)
        return { claimed: false, payment: known }
      },
      Effect.orDie,
    )

    const paid = (at: PaidAt | null) =>
      at === null ? sql.literal("") : sql`, paid_transaction = ${at.transaction},
        paid_block = ${at.block}, paid_log_index = ${at.logIndex}, paid_finality = ${at.finality}`

    /** What a move writes beside the state and its reason. */
    const changes = (move: Move) => {
      switch (move.event) {
        case "claim":
          return sql`, fence = fence + 1, secret_hash = ${move.secretHash},
            lease_until = ${leaseUntil(move.lease)}`
        case "release":
          return sql.literal(", lease_until = NULL")
        case "intend":
          return sql`, answer_body = ${move.answer?.body ?? null}::bytea,
            intended_at = clock_timestamp(), lease_until = ${leaseUntil(move.lease)}`
        case "doubt":
          return sql`, lease_until = NULL, transaction_hint = ${move.transactionHint}::text`
        case "settle":
          return sql`, lease_until = ${leaseUntil(move.lease)}${paid(move.paidAt)}`
        case "answer":
          return sql`, lease_until = NULL, answered_at = clock_timestamp(),
            answer_body = coalesce(${move.answer?.body ?? null}::bytea, answer_body)${
            paid(move.paidAt)
          }`
        case "owe":
          return sql`, lease_until = NULL, answer_body = NULL${paid(move.paidAt)}`
        case "void":
          return sql.literal(", lease_until = NULL, answer_body = NULL")
      }
    }

    /** What was handed over in the meantime is not owed any more. */
    const unsent = ({ event }: Move) => sql.literal(event === "owe" ? " AND sent_at IS NULL" : "")

    const update = ({ paymentId, state, fence }: Held, move: Move) =>
      sql<PaymentRow>`
        UPDATE payment SET state = ${reaches[move.event]}, changed_at = clock_timestamp(),
          reason = ${"reason" in move ? move.reason : null}::text${changes(move)}
        WHERE payment_id = ${paymentId} AND state = ${state} AND fence = ${fence}${unsent(move)}
        RETURNING ${columns}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), paymentOf)),
      )

    /** The database queues the refund with the move; the row is read again to show it. */
    const owe = (held: Held, move: Extract<Move, { event: "owe" }>) =>
      Effect.flatMap(
        update(held, move),
        (owed) => Option.isNone(owed) ? Effect.succeed(owed) : find(held.paymentId),
      )

    const move = (held: Held, move: Move): Effect.Effect<Option.Option<Payment>> =>
      Effect.orDie(move.event === "owe" ? owe(held, move) : update(held, move))

    const markSent = (paymentId: PaymentId) =>
      Effect.asVoid(Effect.orDie(sql`
        UPDATE payment SET sent_at = clock_timestamp()
        WHERE payment_id = ${paymentId} AND state = 'answered' AND sent_at IS NULL`))

    const waiting = ({ nowSeconds, hold, skip, limit }: WaitingQuery) =>
      sql<PaymentRow>`
        SELECT ${columns} FROM payment
        WHERE state IN ('claimed', 'released', 'settling', 'unresolved', 'settled')
            AND (state = 'unresolved'
              OR (state = 'released' AND valid_before < ${nowSeconds})
              OR (state IN ('claimed', 'settling', 'settled')
                AND lease_until < clock_timestamp()))
          OR state = 'answered' AND sent_at IS NULL
            AND answered_at <= clock_timestamp() - ${seconds(hold)}
        ORDER BY state = 'released', changed_at, payment_id LIMIT ${limit} OFFSET ${skip}`.pipe(
        Effect.map((rows) => rows.map(paymentOf)),
        Effect.orDie,
      )

    const adopt = ({ paymentId, token, from, to, value, nonce, at }: Orphan) =>
      sql`
        INSERT INTO payment (payment_id, chain_id, asset, token_name, token_version, payer, nonce,
          pay_to, amount, valid_after, valid_before, settlement, state, reason,
          paid_transaction, paid_block, paid_log_index, paid_finality)
        VALUES (${paymentId}, ${token.chainId}, ${token.asset}, ${token.name}, ${token.version},
          ${from}, ${nonce}, ${to}, ${value}, 0, ${neverExpires}, 'settle-early', 'refund_due',
          'orphan', ${at.transaction}, ${at.block}, ${at.logIndex}, ${at.finality})
        ON CONFLICT (payment_id) DO NOTHING RETURNING 1`.pipe(
        Effect.map((rows) => rows.length === 1),
        Effect.orDie,
      )

    const scanned = ({ chainId, asset, payTo }: ScannedAccount) =>
      sql<{ through_block: bigint }>`
        SELECT through_block FROM chain_scan
        WHERE chain_id = ${chainId} AND asset = ${asset} AND pay_to = ${payTo}`.pipe(
        Effect.map(([row]) => Option.fromNullishOr(row?.through_block)),
        Effect.orDie,
      )

    const scannedThrough = ({ chainId, asset, payTo }: ScannedAccount, block: bigint) =>
      sql`
        INSERT INTO chain_scan AS scan (chain_id, asset, pay_to, through_block)
        VALUES (${chainId}, ${asset}, ${payTo}, ${block})
        ON CONFLICT (chain_id, asset, pay_to)
        DO UPDATE SET through_block = greatest(scan.through_block, excluded.through_block)`.pipe(
        Effect.asVoid,
        Effect.orDie,
      )

    const liability = sql<{ units: bigint }>`
      SELECT coalesce(sum(amount), 0)::bigint AS units FROM payment
      WHERE state = 'refund_due'
        OR (settlement = 'settle-early' AND state IN ('settling', 'unresolved', 'settled'))`.pipe(
      Effect.map(([row]) => row?.units ?? 0n),
      Effect.orDie,
    )

    const countByState = sql<{ state: PaymentState; payments: bigint }>`
      SELECT state, count(*) AS payments FROM payment GROUP BY state`.pipe(
      Effect.map((rows) => new Map(rows.map((row) => [row.state, Number(row.payments)]))),
      Effect.orDie,
    )

    return PaymentStore.of({
      claim,
      find: (paymentId) => Effect.orDie(find(paymentId)),
      move,
      markSent,
      waiting,
      adopt,
      scanned,
      scannedThrough,
      liability,
      countByState,
    })
  }),
)
