/**
 * Payments in PostgreSQL: every arrow one compare-and-set on one row, leases on its clock.
 *
 * Claims, moves and marks that come together are committed together (`paymentBatches.ts`). The
 * database refuses what the table of moves does not have (see the migrations), so a bug here is a
 * defect, not a lost payment.
 *
 * @module
 */
import { Duration, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { Bytes32, PaymentId, PaymentState, PaymentTicket } from "../domain/payment.ts"
import {
  type Move,
  type Orphan,
  type Payment,
  PaymentStore,
  type ScannedAccount,
  type WaitingQuery,
} from "../PaymentStore.ts"
import { claims, moves, sentMarks } from "./paymentBatches.ts"
import { paymentColumns, paymentOf, type PaymentRow } from "./paymentRow.ts"

/** An orphan's authorization was never shown to us: it is not known to expire. */
const neverExpires = 9_223_372_036_854_775_807n

export const layer: Layer.Layer<PaymentStore, never, SqlClient> = Layer.effect(
  PaymentStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const columns = sql.literal(paymentColumns)
    const claimed = yield* claims
    const moved = yield* moves
    const marked = yield* sentMarks

    const seconds = (duration: Duration.Duration) =>
      sql`make_interval(secs => ${Duration.toSeconds(duration)}::float8)`

    const find = (paymentId: PaymentId) =>
      sql<PaymentRow>`SELECT ${columns} FROM payment WHERE payment_id = ${paymentId}`.pipe(
        Effect.map(([row]) => Option.map(Option.fromNullishOr(row), paymentOf)),
      )

    const claim = Effect.fnUntraced(
      function* (ticket: PaymentTicket, secretHash: Bytes32 | null, lease: Duration.Duration) {
        const made = yield* claimed({ ticket, secretHash, lease })
        if (Option.isSome(made)) return { claimed: true, payment: made.value }
        const known = yield* Effect.flatMap(find(ticket.paymentId), Effect.fromOption)
        return { claimed: false, payment: known }
      },
      Effect.orDie,
    )

    const move = Effect.fnUntraced(
      function* (held: Payment, move: Move) {
        const row = yield* moved(held, move)
        // The database queues the refund with the move; the row is read again to show it.
        return move.event === "owe" && Option.isSome(row) ? yield* find(held.paymentId) : row
      },
      Effect.orDie,
    )

    const markSent = (paymentId: PaymentId) => Effect.asVoid(Effect.orDie(marked(paymentId)))

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
        ON CONFLICT DO NOTHING RETURNING 1`.pipe(
        Effect.map((rows) => rows.length === 1),
        Effect.orDie,
      )

    const scanned = ({ chainId, asset, payTo }: ScannedAccount) =>
      sql<{ after_block: bigint; through_block: bigint }>`
        SELECT after_block, through_block FROM chain_scan
        WHERE chain_id = ${chainId} AND asset = ${asset} AND pay_to = ${payTo}`.pipe(
        Effect.map(([row]) =>
          Option.map(
            Option.fromNullishOr(row),
            ({ after_block, through_block }) => ({ after: after_block, through: through_block }),
          )
        ),
        Effect.orDie,
      )

    const scannedThrough = ({ chainId, asset, payTo }: ScannedAccount, block: bigint) =>
      sql`
        INSERT INTO chain_scan AS scan (chain_id, asset, pay_to, after_block, through_block)
        VALUES (${chainId}, ${asset}, ${payTo}, ${block}, ${block})
        ON CONFLICT (chain_id, asset, pay_to)
        DO UPDATE SET through_block = greatest(scan.through_block, excluded.through_block)`.pipe(
        Effect.asVoid,
        Effect.orDie,
      )

    const standing = (paymentIds: ReadonlyArray<PaymentId>) =>
      sql<{ payment_id: PaymentId; state: PaymentState }>`
        SELECT payment_id, state FROM payment WHERE payment_id = ANY(${paymentIds}::text[])`.pipe(
        Effect.map((rows) => new Map(rows.map(({ payment_id, state }) => [payment_id, state]))),
        Effect.orDie,
      )

    const liability = sql<{ units: bigint }>`
      SELECT coalesce(sum(coalesce(paid_amount, amount)), 0)::bigint AS units FROM payment
      WHERE state = 'refund_due' OR (settlement = 'settle-early'
        AND state IN ('claimed', 'settling', 'unresolved', 'settled'))`.pipe(
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
      standing,
      liability,
      countByState,
    })
  }),
)
