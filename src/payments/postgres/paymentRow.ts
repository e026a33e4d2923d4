/**
 * A row of the payment table, and the payment it is. Rows are ours: they are read, not judged.
 *
 * @module
 */
import { Schema } from "effect"
import { AtomicAmount } from "../../core/domain/money.ts"
import {
  Address,
  Bytes32,
  type PaidAt,
  PaymentId,
  type PaymentState,
  Signature,
} from "../domain/payment.ts"
import type { SettlementOrder } from "../../catalog/domain/product.ts"
import type { Payment, RefundRow } from "../PaymentStore.ts"

export interface Ages {
  readonly lease_left_ms: number | null
  readonly intended_ago_ms: number | null
  readonly answered_ago_ms: number | null
}

export interface PaymentRow extends Ages {
  readonly payment_id: string
  readonly chain_id: bigint
  readonly asset: string
  readonly token_name: string
  readonly token_version: string
  readonly payer: string
  readonly nonce: string
  readonly pay_to: string
  readonly amount: bigint
  readonly valid_after: bigint
  readonly valid_before: bigint
  readonly signature: string | null
  readonly settlement: SettlementOrder
  readonly product_id: string | null
  readonly request: string | null
  readonly state: PaymentState
  readonly fence: number
  readonly secret_hash: string | null
  readonly transaction_hint: string | null
  readonly paid_transaction: string | null
  readonly paid_block: bigint | null
  readonly paid_log_index: number | null
  readonly paid_finality: "latest" | "safe" | null
  readonly paid_amount: bigint | null
  readonly answer_body: Uint8Array | null
  readonly sent_at: Date | null
  readonly refund: RefundRow | null
}

const epoch = (time: string) => `extract(epoch FROM ${time})`
const now = epoch("clock_timestamp()")

/**
 * How long ago, or how soon, on the database's clock. Numbers are subtracted, not times: before
 * PostgreSQL 17 an infinite time in one row would fail every statement that reads it.
 */
export const agesColumns = `
  ((${epoch("payment.lease_until")} - ${now}) * 1000)::float8 AS lease_left_ms,
  ((${now} - ${epoch("payment.intended_at")}) * 1000)::float8 AS intended_ago_ms,
  ((${now} - ${epoch("payment.answered_at")}) * 1000)::float8 AS answered_ago_ms`

/** What is selected of a payment. */
export const paymentColumns = `payment.*, ${agesColumns},
  CASE WHEN payment.state IN ('refund_due', 'refunded') THEN (
    SELECT json_build_object('state', refund.state, 'reason', refund.reason,
      'transaction', refund.transaction)
    FROM refund WHERE refund.payment_id = payment.payment_id) END AS refund`

const addressOf = Schema.decodeUnknownSync(Address)
const bytes32Of = Schema.decodeUnknownSync(Bytes32)
const isBytes32 = Schema.is(Bytes32)
const paymentIdOf = Schema.decodeUnknownSync(PaymentId)
const signatureOf = Schema.decodeUnknownSync(Signature)

export function paymentOf(row: PaymentRow): Payment {
  return {
    paymentId: paymentIdOf(row.payment_id),
    token: {
      chainId: Number(row.chain_id),
      asset: addressOf(row.asset),
      name: row.token_name,
      version: row.token_version,
    },
    authorization: {
      from: addressOf(row.payer),
      to: addressOf(row.pay_to),
      value: row.amount,
      validAfter: row.valid_after,
      validBefore: row.valid_before,
      nonce: bytes32Of(row.nonce),
    },
    signature: row.signature === null ? null : signatureOf(row.signature),
    amount: AtomicAmount.make(row.amount),
    order: row.settlement,
    productId: row.product_id,
    request: row.request,
    state: row.state,
    fence: row.fence,
    ...agesOf(row),
    // The one spelling the database leaves free: what is no hash is no secret, and stops no sweep.
    secretHash: isBytes32(row.secret_hash) ? row.secret_hash : null,
    transactionHint: row.transaction_hint,
    paidAt: paidAtOf(row),
    paidAmount: row.paid_amount === null ? null : AtomicAmount.make(row.paid_amount),
    answer: row.answer_body === null ? null : { body: row.answer_body },
    sent: row.sent_at !== null,
    refund: row.refund,
  }
}

export const agesOf = (ages: Ages) => ({
  leaseLeftMs: ages.lease_left_ms ?? 0,
  intendedAgoMs: ages.intended_ago_ms,
  answeredAgoMs: ages.answered_ago_ms,
})

function paidAtOf(row: PaymentRow): PaidAt | null {
  const { paid_transaction, paid_block, paid_log_index, paid_finality } = row
  return paid_transaction === null || paid_block === null || paid_log_index === null ||
      paid_finality === null
    ? null
    : {
      transaction: paid_transaction,
      block: paid_block,
      logIndex: paid_log_index,
      finality: paid_finality,
    }
}
