/**
 * What goes into a sale and what comes out of it.
 *
 * @module
 */
import type { PaymentId } from "../domain/payment.ts"
import type { Payment } from "../PaymentStore.ts"
import type { Product } from "../../catalog/domain/product.ts"
import type { Receipt } from "../domain/failedSale.ts"
import type { ShownPayment } from "../domain/x402/paymentPayload.ts"

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

/** How a sale ends well: charged, with the row as it then stands, or given away. */
export type Sold =
  | {
    readonly charged: true
    readonly payment: Payment
    readonly answer: { readonly body: Uint8Array }
  }
  | { readonly charged: false; readonly answer: { readonly body: Uint8Array } }
