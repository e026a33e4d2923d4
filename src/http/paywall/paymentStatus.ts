/**
 * GET /v1/payments/{paymentId}: the state of a payment, without the answer it bought or its secret.
 *
 * @module
 */
import { Duration, Effect, Option, Schema } from "effect"
import { described, success, text } from "../../core/domain/fields.ts"
import { usd } from "../../core/domain/money.ts"
import { PaymentId, paymentIdFormula, PaymentState } from "../../payments/domain/payment.ts"
import { RefundState } from "../../payments/domain/refund.ts"
import { SignedReceipt } from "../../payments/domain/failedSale.ts"
import { Payments, type PaymentStatus } from "../../payments/Payments.ts"
import { withDeadline } from "../../core/deadline.ts"
import { type Answer, answer, responseTo } from "../server/answer.ts"
import { overloaded, prepare, refuse } from "../server/errors.ts"
import { byRequest, type Handler, webOf } from "../server/route.ts"

export const paymentsPrefix = "/v1/payments/"

const Hex = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]+$/))

export const PaymentBody = Schema.Struct({
  success,
  paymentId: described(Hex, "The id in the path, in lower case"),
  state: described(
    PaymentState,
    "claimed, settling, settled: in progress; unresolved: not known yet; answered: taken and " +
      "answered; refund_due, refunded: taken and returned; released, void: not taken",
  ),
  product: Schema.NullOr(Schema.String).annotate({
    description: "The product that was paid for; null for a transfer without a request",
  }),
  amountUsd: text("Amount in USD, as a decimal number"),
  payer: described(Hex, "Address that paid"),
  transaction: Schema.NullOr(Hex).annotate({
    description: "Hash of the transaction that took it; null when none is known",
  }),
  refund: Schema.NullOr(Schema.Struct({
    state: described(
      RefundState,
      "confirmed, settled_by_hand: paid; cancelled: not owed; needs_review: a person decides",
    ),
    transaction: described(
      Schema.NullOr(Schema.String),
      "Hash of the refund's transaction; null before it is sent",
    ),
    amountUsd: text("Amount in USD, as a decimal number"),
    to: described(Hex, "Address that gets it: the payer"),
  })).annotate({ description: "The refund; null without one" }),
  receipt: Schema.NullOr(SignedReceipt).annotate({
    description: "The signed receipt: of a refund, once it is confirmed; of a sale, for the " +
      "Idempotency-Key or payment-identifier it was bought with, as a header; else null",
  }),
}).annotate({ identifier: "Payment" })

/** How long the store may take. */
const findTimeout = Duration.seconds(2)
const isPaymentId = Schema.is(PaymentId)
const expected = "must be 0x and 64 hexadecimal digits"

const malformed = prepare({
  code: "invalid_parameter",
  message: `paymentId ${expected}`,
  details: [{ param: "paymentId", in: "path", message: expected }],
})
const unknown = prepare({
  code: "not_found",
  message: "No payment with this id is known here. A payment that was refused leaves no record",
  hint: `The id is ${paymentIdFormula}.`,
})

/** Makes the handlers of payments, given the id in the path. */
export const makePaymentRoute = Effect.map(Payments, (payments) => {
  const find = (id: PaymentId, key: string | null) =>
    payments.status(id, key).pipe(
      withDeadline(findTimeout),
      Effect.catchCause((cause) =>
        Effect.as(
          Effect.logWarning("Cannot look up a payment", cause),
          Option.none<Option.Option<PaymentStatus>>(),
        )
      ),
    )
  return (pathId: string): Handler => {
    const id = pathId.toLowerCase()
    if (!isPaymentId(id)) return refuse(malformed)
    return byRequest((request) => {
      const web = webOf(request)
      return Effect.flatMap(
        find(id, web.headers.get("idempotency-key")),
        Option.match({
          onNone: () => refuse(overloaded),
          onSome: Option.match({
            onNone: () => refuse(unknown),
            onSome: (status) => Effect.succeed(responseTo(web, statusAnswer(status))),
          }),
        }),
      )
    })
  }
})

function statusAnswer({ payment, receipt }: PaymentStatus): Answer {
  const { paymentId, state, productId, amount, authorization: { from } } = payment
  const paidAt = "paidAt" in payment ? payment.paidAt : null
  const body: typeof PaymentBody.Type = {
    success: true,
    paymentId,
    state,
    product: productId,
    amountUsd: usd(amount),
    payer: from,
    transaction: paidAt?.transaction ?? null,
    refund: "refund" in payment
      ? {
        state: payment.refund.state,
        transaction: payment.refund.transaction,
        amountUsd: usd(payment.paidAmount),
        to: from,
      }
      : null,
    receipt,
  }
  return answer({ body: JSON.stringify(body), cache: "none" })
}
