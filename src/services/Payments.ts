/**
 * Selling one answer for one payment: claim, verify, compute, intend, settle, prove, answer.
 *
 * @module
 */
import { Context, type Effect } from "effect"
import type { PaymentId } from "../domain/payment.ts"
import type { Product } from "../domain/product.ts"
import type { NotCharged, Receipt, RefundQueued, Unresolved } from "../domain/refusal.ts"
import type { ShownPayment } from "../domain/shownPayment.ts"

/** A request with a payment that matches it, as far as can be told without looking anything up. */
export interface Purchase {
  readonly product: Product
  /** The product and its canonical parameters: what the payment is bound to. */
  readonly request: string
  readonly payment: ShownPayment
  /** Why the payment cannot be settled now; null when it can. A payment already known may be late. */
  readonly late: string | null
  /** Known only to the buyer: an Idempotency-Key or payment-identifier; null when none was shown. */
  readonly secret: string | null
}

/** What a product's work made. An answer that is not worth its price is not charged. */
export interface Answer {
  readonly body: Uint8Array
  readonly charge: boolean
}

/** An answer on its way to its buyer. `receipt` is null when nothing was charged. */
export interface Delivery {
  readonly paymentId: PaymentId
  readonly body: Uint8Array
  readonly receipt: typeof Receipt.Type | null
  /** The same answer was made, and perhaps sent, before. */
  readonly replayed: boolean
}

export class Payments extends Context.Service<Payments, {
  /**
   * Sells the answer of `work` for this payment. The payment runs in a fiber of this service: the
   * caller's interruption releases it before the intent to settle, and never stops it after.
   * `NotCharged` with code `payment_required` means: show the challenge, with its message.
   */
  readonly sell: (
    purchase: Purchase,
    work: Effect.Effect<Answer, NotCharged>,
  ) => Effect.Effect<Delivery, NotCharged | RefundQueued | Unresolved>
  /** Remembers that a delivery was handed over on a live connection. Does not wait. */
  readonly sent: (delivery: Delivery) => Effect.Effect<void>
  /** Decides, as far as the chain can tell now, what waits: run every SWEEP. Returns how many rows moved. */
  readonly sweep: Effect.Effect<number>
}>()("bellwether/services/Payments") {}
