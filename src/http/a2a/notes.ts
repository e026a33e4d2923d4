/**
 * What is said of a task whose payment bought nothing: in words, as the documented error, and in the
 * metadata of a2a-x402.
 *
 * @module
 */
import { Effect } from "effect"
import {
  NotCharged,
  type RefundNotice,
  RefundQueued,
  type Unresolved,
} from "../../payments/domain/failedSale.ts"
import type { TaskNote } from "./domain/task.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import { errorData } from "./errors.ts"
import { paymentCompleted, paymentFailed } from "./taskShape.ts"
import { RequestId, toRefusal } from "../server/errors.ts"

/** Why a sale gave no answer. */
export type Failure = NotCharged | RefundQueued | Unresolved

/** The documented error as the data of a task. It is read from JSON text, so it is JSON. */
export const failureData = (error: Failure) =>
  Effect.map(
    RequestId,
    (requestId) => errorData(toRefusal(error), requestId) as TaskNote["metadata"],
  )

/** The payment can never pay. */
export const voidNote = (terms: PaymentTerms): TaskNote => ({
  text: "Payment failed: the authorization expired, or was spent elsewhere. Nothing was charged.",
  data: null,
  metadata: paymentFailed("not_settled", "not_settled", terms),
})

/** The payment has bought its answer, and not here. */
export const usedNote = (terms: PaymentTerms): TaskNote => ({
  text: "Payment failed: this payment has bought its answer in another call.",
  data: null,
  metadata: paymentFailed("nonce_used", "payment_already_used", terms),
})

/** Said of a payment that is known, to who does not show it as its buyer did. */
export const isOfAnother = ({ code }: NotCharged) =>
  code === "payment_already_used" || code === "payment_conflict"

/** What is said of a task whose sale failed for good. */
export const failureNote = (error: NotCharged | RefundQueued, terms: PaymentTerms) =>
  Effect.map(failureData(error), (data): TaskNote => {
    const { code, message } = error
    if (error._tag === "RefundQueued" || code === "payment_refunded") {
      return { text: refundedText, data, metadata: paymentCompleted(null) }
    }
    const fault = isOfAnother(error) ? "nonce_used" : error.fault ?? "not_settled"
    // A fact of the product is no fault of the payment.
    const ofPayment = isOfAnother(error) || error.fault !== undefined
    return {
      text: ofPayment ? `Payment failed: ${message}.` : `${message}. ${uncharged}.`,
      data,
      metadata: paymentFailed(fault, error.fault ?? code, terms),
    }
  })

/** What is said of an offer that stands, for its payment was not taken and may be sent again. */
export const againNote = (error: NotCharged) =>
  Effect.map(failureData(error), (data): TaskNote => ({
    text: `${error.message}. ${uncharged}: send the same payment again.`,
    data,
    metadata: {},
  }))

/** A refund that was found out of later, as the error it would have been told in. */
export const refundNote = (refund: typeof RefundNotice.Type) =>
  Effect.map(
    failureData(
      new RefundQueued({
        code: "payment_refunded",
        message: "This payment was taken, not answered, and is refunded",
        refund,
      }),
    ),
    (data): TaskNote => ({ text: refundedText, data, metadata: paymentCompleted(null) }),
  )

const uncharged = "Nothing was charged"
const refundedText = "The payment was taken, there is no answer, and it is paid back in full."
