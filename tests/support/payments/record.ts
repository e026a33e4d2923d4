/**
 * A payment as one flat row, for tests that compare fields of any state.
 *
 * @module
 */
import type { Payment } from "../../../src/payments/domain/payment.ts"

const absent = {
  leaseLeftMs: null,
  intendedAgoMs: null,
  transactionHint: null,
  paidAt: null,
  paidAmount: null,
  answer: null,
  answeredAgoMs: null,
  answeredAt: null,
  sent: false,
  refund: null,
}

type FieldsOf<P> = P extends unknown ? keyof P : never
type ValueOf<P, K> = P extends { readonly [_ in K & string]: infer V } ? V : never

/** A payment as one flat row. A field is null when the state does not have it. */
export type PaymentRecord =
  & { readonly [K in Exclude<FieldsOf<Payment>, keyof typeof absent>]: ValueOf<Payment, K> }
  & {
    readonly [K in keyof typeof absent]: ValueOf<Payment, K> | typeof absent[K]
  }

export function recordOf(payment: Payment): PaymentRecord {
  return { ...absent, ...payment }
}
