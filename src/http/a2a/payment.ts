/**
 * Payment of a task: it is sold through the checkout under the task's secret, and answered from the
 * state of its payment, for as long as the payment's answer is kept.
 *
 * A payment that took no money leaves the task as it was, with its offer.
 *
 * @module
 */
import { errorRules, resend } from "../../catalog/domain/refusal.ts"
import { Effect, Result } from "effect"
import {
  type FailedSale,
  type NotCharged,
  type RefundNotice,
  RefundQueued,
} from "../../payments/domain/failedSale.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Outcome } from "../../payments/purchase.ts"
import { type PreparedRefusal, toRefusal } from "../server/errors.ts"
import { CurrentInbound, RequestId } from "../server/route.ts"
import type { SkillPorts } from "../skills.ts"
import { failWithRefusal, type RpcError } from "../server/jsonRpc.ts"
import {
  type JsonObject,
  type PaidTask,
  paymentCompleted,
  paymentFailed,
  paymentUnderway,
  type TaskView,
  viewOf,
  viewOfAnswer,
  viewOfOffer,
} from "./task.ts"

/** A task as it is returned to its client. */
export interface TaskReply {
  readonly view: TaskView
  /** The answer that is delivered with it, if it was charged. */
  readonly delivery: Outcome | null
}

/** Sells a task for the payment that a message submits. */
export const payTask = (
  ports: SkillPorts,
  task: PaidTask,
  payload: unknown,
): Effect.Effect<TaskReply, RpcError> =>
  Effect.flatMap(CurrentInbound, ({ client }) =>
    ports.checkouts[task.subject.skill.id].sell({
      input: new URLSearchParams(task.subject.parameters),
      payment: { json: payload },
      key: task.secret,
      isTask: true,
      client,
    })).pipe(Effect.matchEffect({
      onSuccess: (delivery) => Effect.succeed(answered(task, delivery)),
      onFailure: (error) => afterFailedSale(ports, task, error),
    }))

/** A task as its payment determines it; an offer when no payment was taken or may be taken now. */
export const readTask = Effect.fnUntraced(function* readTask(
  ports: SkillPorts,
  task: PaidTask,
): Effect.fn.Return<TaskReply> {
  const found = yield* Effect.result(ports.payments.findByTask(task.secret))
  const offered = unsold(viewOfOffer(task.subject, ports))
  if (Result.isSuccess(found)) {
    return found.success === null ? offered : answered(task, found.success)
  }
  const error = found.failure
  if (error._tag === "Unresolved" || error.code === "payment_in_progress") {
    return unsold(paymentUnderway)
  }
  if (error._tag === "RefundQueued") return unsold(yield* refundView(error.refund))
  const { code, refund, receipt = null } = error
  if (refund !== undefined) return unsold(yield* refundView(refund))
  return code === "payment_already_used"
    ? unsold(viewOf("completed", erasedText, { metadata: paymentCompleted(receipt) }))
    : offered
})

const answered = ({ subject }: PaidTask, delivery: Outcome): TaskReply => ({
  view: viewOfAnswer(subject.skill, delivery),
  delivery: delivery.receipt === null ? null : delivery,
})

const unsold = (view: TaskView): TaskReply => ({ view, delivery: null })

/** The reply for a task whose sale failed. */
const afterFailedSale = Effect.fnUntraced(function* afterFailedSale(
  ports: SkillPorts,
  task: PaidTask,
  error: FailedSale,
): Effect.fn.Return<TaskReply, RpcError> {
  const data = yield* errorData(toRefusal(error))
  if (error._tag === "Unresolved" || error.code === "payment_in_progress") {
    return unsold({ ...paymentUnderway, data })
  }
  if (error._tag === "RefundQueued" || error.code === "payment_refunded") {
    return unsold(refunded(data))
  }
  if (error.code === "rate_limited" || error.code === "internal_error") {
    return yield* failWithRefusal(toRefusal(error))
  }
  // The payment that was sent decides nothing while another call sells the task, or has sold it.
  const now = yield* readTask(ports, task)
  return now.view.state === "input-required"
    ? unsold(failedPayment(now.view, error, data, ports.terms))
    : now
})

/** An offer after a payment that took no money, or the end of a task that cannot be answered. */
function failedPayment(
  offer: TaskView,
  error: NotCharged,
  data: JsonObject,
  terms: PaymentTerms,
): TaskView {
  const { code, message } = error
  if (errorRules[code].retryable) {
    return { ...offer, text: `${message}. ${uncharged}: ${resend}.`, data }
  }
  const isOther = code === "payment_already_used" || code === "payment_conflict"
  const fault = isOther ? "nonce_used" : error.fault
  const failed = paymentFailed(fault ?? "not_settled", error.fault ?? code, terms)
  // An error of the product is not a fault of the payment: the same call fails again.
  return fault === undefined
    ? viewOf("failed", `${message}. ${uncharged}.`, { data, metadata: failed })
    : {
      ...offer,
      text: `Payment failed: ${message}. The task can still be paid.`,
      data,
      metadata: { ...offer.metadata, ...failed },
    }
}

/** The view of a refund found later, with the error that the sale would have returned. */
const refundView = (refund: typeof RefundNotice.Type) => {
  const code = "payment_refunded"
  const message = "This payment was taken and not answered: it is refunded"
  return Effect.map(errorData(toRefusal(new RefundQueued({ code, message, refund }))), refunded)
}

/** The documented body of an error, as the data of a task. */
const errorData = ({ body }: PreparedRefusal): Effect.Effect<JsonObject> =>
  Effect.map(RequestId, (requestId) => JSON.parse(body(requestId)))

const refunded = (data: JsonObject): TaskView =>
  viewOf("failed", "The payment was taken, but there is no answer. It is refunded in full.", {
    data,
    metadata: paymentCompleted(null),
  })

const uncharged = "Nothing was charged"
const erasedText = "The payment has bought its answer, which is not stored any more."
