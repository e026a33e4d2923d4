/**
 * What a call can end with instead of an answer, by what happened to the money.
 *
 * Nothing else is thrown for what a service does. No message contains a key or a payment header;
 * text of the service is cleaned before it becomes part of a message.
 *
 * @module
 */

/** A signed payment, as errors and answers name it. */
export interface PaymentInfo {
  /** The id in `GET /v1/payments/{paymentId}`. */
  readonly paymentId: string
  readonly amountUsd: string
  /** Path and query of the call. */
  readonly target: string
  /** The transaction of its transfer; null while it is not known. */
  readonly transaction: string | null
}

export interface RefundInfo {
  readonly state: string
}

interface ErrorFields {
  /** The service's code (`data_stale`), or one of this client (`over_budget`). */
  readonly code: string
  readonly message: string
  /** What to do next, in one sentence. */
  readonly next: string
  /** The shortest wait before the same call may succeed; null when waiting does not help. */
  readonly retryAfterMs?: number | null
  readonly payment?: PaymentInfo | null
  readonly refund?: RefundInfo | null
  readonly body?: unknown
}

/** The base of the three errors. */
export abstract class BuyError extends Error {
  abstract readonly charged: boolean | null
  readonly code: string
  readonly next: string
  readonly retryAfterMs: number | null
  /** The signed payment; null when nothing was signed. */
  readonly payment: PaymentInfo | null

  constructor({ code, message, next, retryAfterMs = null, payment = null }: ErrorFields) {
    super(message)
    this.code = code
    this.next = next
    this.retryAfterMs = retryAfterMs
    this.payment = payment
  }

  /** What happened to the money, and what to do, for a person or a model to read. */
  get sentence(): string {
    return `${this.message} ${this.next}`
  }
}

/** Nothing was charged. A payment that was signed for it counts against the budget all the same. */
export class NotCharged extends BuyError {
  override readonly name = "NotCharged"
  readonly charged = false
}

/** The payment was taken, and there is no answer, or the receipt is wrong. */
export class Charged extends BuyError {
  override readonly name = "Charged"
  readonly charged = true
  /** The refund, when the service announced one. */
  readonly refund: RefundInfo | null
  /** The paid answer, when it came with a wrong receipt. */
  readonly body: unknown

  constructor(fields: ErrorFields) {
    super(fields)
    this.refund = fields.refund ?? null
    this.body = fields.body
  }
}

/** It is not known whether the payment was taken. The same call sends the same payment again. */
export class ChargeUnknown extends BuyError {
  override readonly name = "ChargeUnknown"
  readonly charged = null
}
