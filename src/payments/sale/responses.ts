/**
 * The outcomes of a paid call (a delivery or an error), and the response for a known payment: when
 * it is sent again, or when its buyer sends only the payment id and the secret.
 *
 * A settled authorization is public calldata, so the stored answer is returned only to a caller
 * with the secret, and only while the payment is `answered`. A signed receipt is made from the stored
 * row, so every delivery of an answer has the same one. It names the request and the answer, so only
 * the buyer gets it; that of a refund states only what the chain shows.
 *
 * @module
 */
import { resend, resendUnused } from "../../catalog/domain/refusal.ts"
import { Effect } from "effect"
import { usd } from "../../core/domain/money.ts"
import {
  type FailedSale,
  NotCharged,
  type PaymentFault,
  type Receipt,
  type RefundNotice,
  RefundQueued,
  Unresolved,
} from "../domain/failedSale.ts"
import {
  type AnsweredPayment,
  type Payment,
  type PaymentId,
  type PaymentWithRefund,
  type ReleasedPayment,
  wasTaken,
} from "../domain/payment.ts"
import {
  receiptExtension,
  receiptOfRefund,
  receiptOfSale,
  type Sign,
} from "../domain/x402/offerReceipt.ts"
import type { PaymentTerms } from "../domain/x402/terms.ts"
import { bodyHash, etagOf, type Outcome, type PaidReceipt } from "../purchase.ts"

/** The payment cannot be accepted: the buyer gets a new challenge. */
export const required = (message: string, fault: PaymentFault) =>
  Effect.fail(new NotCharged({ code: "payment_required", message, fault }))

export const invalidSignature = required(
  "The signature is not the payer's signature of this authorization",
  "invalid_signature",
)

/** The payment is known from another request or with another signature. Its product is public. */
export const paymentConflict = ({ state, productId }: Pick<Payment, "state" | "productId">) =>
  Effect.fail(
    new NotCharged({
      code: "payment_conflict",
      message: `This payment was ${wasTaken(state) ? "already used" : "first sent"} for another ` +
        `request${productId === null ? "" : ` (product ${productId})`}, or with another signature`,
      hint: "It pays only for the request it was first sent with: there, " +
        `${resend}. This call charged nothing; another request needs a payment of its own.`,
      taken: wasTaken(state),
    }),
  )

export const paymentInProgress = new NotCharged({
  code: "payment_in_progress",
  message: "This payment is being processed",
  hint: `After Retry-After, ${resend}. The key is the first call's Idempotency-Key or ` +
    "payment-identifier.",
  retryAfterSeconds: 2,
  taken: null,
})
export const inProgress = Effect.fail(paymentInProgress)

/** The payment came too late, but not by so much that no earlier call can be selling it. */
export const perhapsInProgress = new NotCharged({
  code: "payment_in_progress",
  message: "This payment expires too soon to be sold now, but an earlier call may be selling it",
  hint:
    `After Retry-After, ${resend}. Only if it then gets 402, sign a new one, with the same key.`,
  retryAfterSeconds: 2,
  taken: null,
})

export const overloaded = new NotCharged({
  code: "overloaded",
  message: "Too many payments are being processed",
  hint: resendUnused,
})

export const payerOverloaded = new NotCharged({
  code: "overloaded",
  message: "Too many payments of this payer are being processed",
  hint: `Your payment was not used: when the others are finished, ${resend}.`,
})

/** One address or network has its part of the places for verifications or for sales. */
export const tooManyOfAddress = new NotCharged({
  code: "rate_limited",
  message: "Too many payments from this address are being processed",
  hint: resendUnused,
  retryAfterSeconds: 1,
})

/** The receipt of a payment whose answer is still stored, or is not. */
export const paymentAlreadyUsed = (receipt: typeof Receipt.Type, isStored: boolean) =>
  new NotCharged({
    code: "payment_already_used",
    message: "This payment has already bought its answer",
    hint: isStored
      ? "Send it with the Idempotency-Key or payment-identifier of the first call to get the " +
        "answer again. Send a key with every payment."
      : "The answer is no longer stored.",
    receipt,
    taken: true,
  })

/**
 * The error of a call whose key another payment holds. It names that payment: the one that was sent
 * is not used.
 */
export const firstPaymentNamed = (first: PaymentId) => (error: FailedSale): FailedSale => {
  const status = `GET /v1/payments/${first} returns the state of the payment that was sent with ` +
    "this key first. The payment of this call was not used."
  switch (error._tag) {
    case "NotCharged":
      // The message of an Error is not among its spread fields.
      return new NotCharged({
        ...error,
        message: error.message,
        hint: `${status} Until it is decided, ${resend}.`,
      })
    case "Unresolved":
      return new Unresolved({
        message:
          `It is not known yet whether the first payment with this key was settled. ${status}`,
        retryAfterSeconds: error.retryAfterSeconds,
      })
    default:
      return error
  }
}

export const paymentRefunded = (refund: typeof RefundNotice.Type) =>
  new NotCharged({
    code: "payment_refunded",
    message: "This payment was taken and not answered: it is refunded",
    refund,
    taken: true,
  })
export const hungUp = new NotCharged({ code: "internal_error", message: "The caller hung up" })

export const unavailable = Effect.fail(
  new NotCharged({
    code: "payments_unavailable",
    message: "Payments cannot be taken at this moment",
    hint: resendUnused,
  }),
)

export const neverPaid = required(
  "The authorization has expired or was spent elsewhere, and paid nothing here: sign a new one, " +
    "with the same key",
  "not_settled",
)

/** The hint of a refusal that may last longer than the payment is valid. */
export const waitUnused =
  "Your payment was not used. After Retry-After, send it again if it is still valid; if not, sign " +
  "a new one, with the same key."

/** Paid and not answered, with the code and message of the failure. The refund is queued. */
export const refundQueued = (row: PaymentWithRefund, { code, message }: NotCharged) =>
  Effect.fail(new RefundQueued({ code, message, refund: noticeOf(row) }))

/** The notice of a refund, without a signature. */
const noticeOf = ({ paymentId, authorization, paidAmount, paidAt, refund }: PaymentWithRefund) => ({
  id: paymentId,
  state: refund.state,
  amountUsd: usd(paidAmount),
  to: authorization.from,
  paymentTransaction: paidAt.transaction,
})

const unresolvedRetrySeconds = 5

const settlementUnresolved = new Unresolved({
  message: "It is not known yet whether the payment was settled: send the same payment again",
  retryAfterSeconds: unresolvedRetrySeconds,
})
export const unresolved = Effect.fail(settlementUnresolved)

/** The response for a known payment that cannot be claimed again, when waiting has ended. */
export function responseForKnownPayment(
  row: Exclude<Payment, ReleasedPayment>,
  hasSecret: boolean,
  receipts: Receipts,
): Effect.Effect<Outcome, FailedSale> {
  switch (row.state) {
    case "claimed":
    case "settling":
    case "settled":
      return inProgress
    case "unresolved":
      return unresolved
    case "answered":
      return hasSecret && row.answer !== null
        ? Effect.succeed(outcomeOfRow(row, row.answer.body, receipts, true))
        : Effect.fail(paymentAlreadyUsed(receipts.plain(row), row.answer !== null))
    case "refund_due":
    case "refunded":
      return Effect.fail(paymentRefunded(receipts.ofRefund(row)))
    case "void":
      return neverPaid
  }
}

/** The outcome of a stored answer. */
export const outcomeOfRow = (
  row: AnsweredPayment,
  body: Uint8Array,
  receipts: Receipts,
  replayed: boolean,
): Outcome => ({
  paymentId: row.paymentId,
  body,
  receipt: receipts.ofSale(row, body),
  replayed,
  etag: etagOf(row.authorization.from, row.request, body),
  unchanged: false,
})

type Receipts = ReturnType<typeof makeReceipts>

export function makeReceipts(sign: Sign, terms: PaymentTerms) {
  const network = `eip155:${terms.chainId}`
  /** Without a signature: for a caller who is not the buyer, or when the answer was deleted. */
  const plain = ({ authorization, paidAt }: AnsweredPayment): PaidReceipt => ({
    payer: authorization.from,
    transaction: paidAt.transaction,
    network,
  })
  return {
    plain,
    /** Signed, with the SHA-256 of this body. */
    ofSale: (row: AnsweredPayment, body: Uint8Array): PaidReceipt => ({
      ...plain(row),
      extensions: receiptExtension(
        receiptOfSale(sign, row, terms, bodyHash(body)),
      ),
    }),
    /** The notice of a refund, signed once the chain shows it. */
    ofRefund: (row: PaymentWithRefund): typeof RefundNotice.Type => {
      const signature = receiptOfRefund(sign, row, terms)
      return {
        ...noticeOf(row),
        ...signature === null ? {} : { receipt: { format: "jws", signature } },
      }
    },
  }
}
