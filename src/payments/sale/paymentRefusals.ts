/**
 * What the buyer of a payment is told that is already known, or that does not buy its answer now.
 *
 * @module
 */
import { Effect } from "effect"
import { usd } from "../../core/domain/money.ts"
import { type Again, wasTaken } from "../domain/payment.ts"
import {
  NotCharged,
  type Receipt,
  type RefundNotice,
  RefundQueued,
  Unresolved,
} from "../domain/failedSale.ts"
import type { Delivery } from "./sale.ts"
import type { Payment } from "../PaymentStore.ts"

export function receiptOf(
  { authorization, paidAt }: Payment,
  network: string,
): typeof Receipt.Type {
  return { payer: authorization.from, transaction: paidAt?.transaction ?? "", network }
}

export function refundOf(
  { paymentId, authorization, amount, paidAmount, refund }: Payment,
): typeof RefundNotice.Type {
  return {
    id: paymentId,
    state: refund?.state ?? "queued",
    amountUsd: usd(paidAmount ?? amount),
    to: authorization.from,
  }
}

export const late = (reason: string) =>
  Effect.fail(new NotCharged({ code: "payment_required", message: reason, fault: "expired" }))

export const forged = Effect.fail(
  new NotCharged({
    code: "payment_required",
    message: "The signature is not the payer's over this authorization",
    fault: "invalid_signature",
  }),
)

/** The payment is known, and was first shown for another request or under another signature. */
export const conflict = ({ state }: Payment) =>
  Effect.fail(
    new NotCharged({
      code: "payment_conflict",
      message: "This authorization is bound to another request or signature",
      hint: "Sign a new authorization for this request.",
      taken: wasTaken(state),
    }),
  )

export const paymentInProgress = new NotCharged({
  code: "payment_in_progress",
  message: "This payment is being worked on",
  hint: "Send the same payment again with the first call's Idempotency-Key or payment-identifier.",
  retryAfterSeconds: 2,
  taken: null,
})
export const inProgress = Effect.fail(paymentInProgress)

export const overloaded = Effect.fail(
  new NotCharged({ code: "overloaded", message: "Too many payments are being worked on" }),
)

export const crowded = Effect.fail(
  new NotCharged({
    code: "overloaded",
    message: "Too many payments of this payer are being worked on",
    hint: "Send the same payment again when the others are answered: it was not used.",
  }),
)

export const paymentAlreadyUsed = (receipt: typeof Receipt.Type) =>
  new NotCharged({
    code: "payment_already_used",
    message: "This payment has bought its answer",
    hint: "Only the first call's Idempotency-Key or payment-identifier gets the answer again.",
    receipt,
    taken: true,
  })
const alreadyUsed = (receipt: typeof Receipt.Type) => Effect.fail(paymentAlreadyUsed(receipt))

export const paymentRefunded = (refund: typeof RefundNotice.Type) =>
  new NotCharged({
    code: "payment_refunded",
    message: "This payment was taken, not answered, and is refunded",
    refund,
    taken: true,
  })
export const refunded = (payment: Payment) => Effect.fail(paymentRefunded(refundOf(payment)))

export const hungUp = new NotCharged({ code: "internal_error", message: "The caller hung up" })

export const unavailable = Effect.fail(
  new NotCharged({
    code: "payments_unavailable",
    message: "Payments cannot be taken at this moment",
    hint: "Send the same payment again: it was not used.",
  }),
)

export const neverPaid = Effect.fail(
  new NotCharged({
    code: "payment_required",
    message: "The authorization has expired or was spent elsewhere: sign a new one",
    fault: "not_settled",
  }),
)

/** Paid, and `why` there is no answer: the refund stands in the queue. */
export const refundQueued = (payment: Payment, { code, message }: NotCharged) =>
  Effect.fail(new RefundQueued({ code, message, refund: refundOf(payment) }))

const unresolvedRetrySeconds = 5

export const settlementUnresolved = new Unresolved({
  message: "Whether the payment was settled is not known yet: send the same payment again",
  retryAfterSeconds: unresolvedRetrySeconds,
})
export const unresolved = Effect.fail(settlementUnresolved)

/** What a known payment is told that is neither claimed anew nor waited for any longer. */
export const told = (
  answer: Exclude<Again, "claim">,
  row: Payment,
  network: string,
): Effect.Effect<Delivery, NotCharged | RefundQueued | Unresolved> => {
  switch (answer) {
    case "wait":
    case "in_progress":
      return inProgress
    case "reconcile":
      return unresolved
    case "replay":
      // A body that was handed over is not kept for ever.
      return row.answer === null ? alreadyUsed(receiptOf(row, network)) : Effect.succeed({
        paymentId: row.paymentId,
        body: row.answer.body,
        receipt: receiptOf(row, network),
        replayed: true,
      })
    case "already_used":
      return alreadyUsed(receiptOf(row, network))
    case "refunded":
      return refunded(row)
    case "challenge":
      return neverPaid
  }
}
