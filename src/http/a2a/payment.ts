/**
 * Payment of a task. The payment is bound to the task, sold through the checkout with the task's id
 * as its secret, and the task is then answered from the state of the payment.
 *
 * The row of a task may lag behind its payment, because a process may die between the two writes;
 * the next call that reads the task updates it. The row never runs ahead: a task is completed or
 * failed only after its payment is decided.
 *
 * @module
 */
import { resend } from "../../catalog/domain/refusal.ts"
import { Clock, Duration, Effect, Option, Result } from "effect"
import { type PaidSkill, skillOf } from "../../catalog/domain/skill.ts"
import {
  NotCharged,
  type RefundNotice,
  RefundQueued,
  type Unresolved,
} from "../../payments/domain/failedSale.ts"
import type { PaymentId } from "../../payments/domain/payment.ts"
import type { PaymentTerms } from "../../payments/domain/x402/terms.ts"
import type { Payments } from "../../payments/Payments.ts"
import type { Outcome } from "../../payments/purchase.ts"
import { defaultTiming } from "../../payments/timing.ts"
import { errorRules, prepare, RequestId, toRefusal } from "../server/errors.ts"
import type { ClientKeys } from "../server/limits.ts"
import type { SkillPorts } from "../skills.ts"
import { isBound, paidTaskLife, type Task, type TaskMessage, type TaskNote } from "./domain/task.ts"
import {
  paymentCompleted,
  paymentFailed,
  paymentUnderway,
  type TaskView,
  viewOf,
  viewOfAnswer,
  x402Keys,
} from "./domain/taskView.ts"
import { type A2aError, errorData, failWithRefusal, invalid } from "./errors.ts"
import { afterMove, type TaskMove, type TaskStore } from "./TaskStore.ts"

/** The ports of the /a2a methods. */
export interface A2aPorts {
  readonly skills: SkillPorts
  readonly tasks: TaskStore["Service"]
  readonly payments: Payments["Service"]
}

/** A task as it is returned to its client. */
export interface TaskReply {
  readonly task: Task
  readonly view: TaskView
  /** The answer that is delivered with it, if it was charged. */
  readonly delivery: Outcome | null
}

/** A message that submits a payment. */
interface SubmittedPayment {
  readonly payload: unknown
  readonly message: TaskMessage
  /** The client whose limits it counts against. */
  readonly client: ClientKeys
  /** Spends the rate limit of calls that do not reach the checkout. */
  readonly spend: Effect.Effect<void, A2aError>
}

/** Why a sale returned no answer. */
type Failure = NotCharged | RefundQueued | Unresolved

/** How often a task is read again after another call has moved it. */
const racesMax = 4

/** A payment that no process has claimed within this time will not reach the checkout any more. */
const claimTimeoutMs = Duration.toMillis(defaultTiming.lease)

/** Processes the payment that a message submits for its task. */
export const payTask = Effect.fnUntraced(function* (
  ports: A2aPorts,
  task: Task,
  submitted: SubmittedPayment,
  races = racesMax,
): Effect.fn.Return<TaskReply, A2aError> {
  const { skills, tasks } = ports
  const { checkouts } = skills
  const skill = skillOf(task.subject?.skill ?? "")
  if (skill?.kind !== "paid") return yield* refuseUnused(submitted, "the task has no paid skill")
  yield* Effect.catch(
    checkouts[skill.id].admit(submitted.client),
    (error) => failWithRefusal(prepare(toRefusal(error))),
  )
  const id = Option.getOrNull(
    Result.getSuccess(checkouts[skill.id].identify({ json: submitted.payload })),
  )
  if (task.state === "offered") {
    // A payload that cannot pay is refused by the checkout, which counts it.
    if (id === null) return yield* sell(ports, task, skill, submitted, false)
    const bound = yield* tasks.move(task, binding(id, [submitted.message]))
    if (Option.isSome(bound)) {
      const { value } = bound
      return yield* Effect.onInterrupt(
        sell(ports, value, skill, submitted, true),
        () => releaseUntaken(ports, value),
      )
    }
    const other = races > 0 ? yield* tasks.find(task.id) : Option.none<Task>()
    return Option.isSome(other)
      ? yield* payTask(ports, other.value, submitted, races - 1)
      : replyWith(task, paymentUnderway)
  }
  if (id === null || id !== task.paymentId) {
    return yield* refuseUnused(
      submitted,
      `the task is ${viewOf(task, skills).state} and cannot use it`,
    )
  }
  if (task.state === "paying") return yield* sell(ports, task, skill, submitted, false)
  yield* submitted.spend
  return yield* reconcile(ports, task)
})

/** Returns a task as its payment determines it, and updates its row accordingly. */
export const reconcile = Effect.fnUntraced(function* (
  ports: A2aPorts,
  task: Task,
): Effect.fn.Return<TaskReply> {
  const { payments, skills } = ports
  const { terms } = skills
  const { state, paymentId } = task
  if (paymentId === null || !isBound(task)) return reply(ports, task)
  const outcome = yield* payments.findOutcome(paymentId, task.id)
  switch (outcome.state) {
    case "answered":
      return yield* complete(ports, task, outcome.delivery)
    case "refunded":
      return yield* fail(ports, task, yield* refundNote(outcome.refund))
    case "used":
      return state === "completed"
        ? replyWith(task, { ...viewOf(task, skills), metadata: paymentCompleted(outcome.receipt) })
        : yield* fail(ports, task, usedNote(terms))
    case "void":
      return yield* fail(ports, task, voidNote(terms))
    case "released":
      return state === "paying"
        ? yield* release(ports, task, null)
        : replyWith(task, paymentUnderway)
    case "unknown": {
      const age = (yield* Clock.currentTimeMillis) - task.movedAt
      return state === "paying" && age > claimTimeoutMs
        ? yield* release(ports, task, null)
        : replyWith(task, paymentUnderway)
    }
    case "underway":
      return replyWith(task, paymentUnderway)
  }
})

/** Moves a task. If another call has moved it already, returns its current state. */
export const moveTaskOrRead = ({ tasks }: A2aPorts, task: Task, move: TaskMove) =>
  Effect.flatMap(
    tasks.move(task, move),
    (after) =>
      Option.isSome(after)
        ? Effect.succeed(after.value)
        : Effect.map(tasks.find(task.id), Option.getOrElse(() => task)),
  )

/** The reply for a task from its row only. */
export const reply = ({ skills }: A2aPorts, task: Task): TaskReply =>
  replyWith(task, viewOf(task, skills))

const replyWith = (task: Task, view: TaskView): TaskReply => ({ task, view, delivery: null })

const sell = (
  ports: A2aPorts,
  task: Task,
  skill: PaidSkill,
  { payload, client }: SubmittedPayment,
  /** Whether this call bound the payment. */
  bound: boolean,
) =>
  ports.skills.checkouts[skill.id].sell({
    input: new URLSearchParams(task.subject?.parameters ?? ""),
    payment: { json: payload },
    key: task.id,
    client,
  }).pipe(Effect.matchEffect({
    onSuccess: (delivery) => complete(ports, task, delivery),
    onFailure: (error) => afterFailedSale(ports, task, error, bound),
  }))

/** The reply for a task whose sale failed; `bound` when this call bound the payment. */
const afterFailedSale = Effect.fnUntraced(function* (
  ports: A2aPorts,
  task: Task,
  error: Failure,
  bound: boolean,
): Effect.fn.Return<TaskReply, A2aError> {
  const { terms } = ports.skills
  if (error._tag === "RefundQueued") {
    return yield* fail(ports, task, yield* failureNote(error, terms))
  }
  if (error._tag === "Unresolved" || error.code === "payment_in_progress") {
    return replyWith(task, { ...paymentUnderway, data: yield* failureData(error) })
  }
  if (error.code === "rate_limited") {
    // Too many invalid payments, so the binding of this call is undone.
    if (bound) yield* release(ports, task, null)
    return yield* failWithRefusal(prepare(toRefusal(error)))
  }
  // This payload is not the one that was bound, so its error does not decide the bound payment.
  const isOther = belongsToAnother(error) || error.code === "payment_required"
  if (task.state === "paying" && !bound && isOther) return yield* reconcile(ports, task)
  return errorRules[error.code].retryable && task.state === "paying"
    ? yield* releaseUntaken(ports, task, yield* retryNote(error))
    : yield* fail(ports, task, yield* failureNote(error, terms))
})

/**
 * Writes the final state of a task whose payment is decided. The decision is returned even if the
 * row cannot be written, because the next call that reads the task updates it.
 */
const record = (ports: A2aPorts, task: Task, move: TaskMove): Effect.Effect<Task> =>
  Effect.catchDefect(moveTaskOrRead(ports, task, move), (defect) =>
    Effect.as(
      Effect.logError("Cannot update a task whose payment is decided", defect),
      Option.match(afterMove(task, move), {
        onNone: () => task,
        onSome: (after) => ({ ...after, movedAt: task.movedAt }),
      }),
    ))

/** Fails a task. If another call has completed it, returns its answer instead. */
const fail = Effect.fnUntraced(function* (
  ports: A2aPorts,
  task: Task,
  note: TaskNote,
): Effect.fn.Return<TaskReply> {
  // The row of a completed task stays completed, but the client gets the refund.
  if (task.state === "completed") return reply(ports, { ...task, state: "failed", note })
  const move: TaskMove = { event: "fail", subject: null, note, messages: [] }
  let after = yield* record(ports, task, move)
  // Meanwhile a call that only read the task has released the payment.
  if (after.state === "offered") after = yield* record(ports, after, move)
  return after.state === "completed" ? yield* reconcile(ports, after) : reply(ports, after)
})

/** Completes a task with its answer. A task that was released meanwhile is bound again first. */
const complete = Effect.fnUntraced(function* (ports: A2aPorts, task: Task, delivery: Outcome) {
  const { text, artifact, metadata } = viewOfAnswer(task, delivery)
  const note = delivery.receipt === null ? { text, data: artifact, metadata } : null
  const move: TaskMove = { event: "complete", subject: null, note, messages: [] }
  if (task.state === "completed") return replyWithAnswer(task, delivery)
  // The answer may be that of another payment with the same key: then the task is bound to that one.
  const isBoundToIt = task.paymentId === null || task.paymentId === delivery.paymentId
  let after = yield* record(
    ports,
    task,
    isBoundToIt ? move : { event: "release", note: null, messages: [] },
  )
  if (after.state === "offered") {
    const bound = yield* record(ports, after, binding(delivery.paymentId, []))
    after = bound.paymentId === delivery.paymentId ? yield* record(ports, bound, move) : bound
  }
  return replyWithAnswer(after, delivery)
})

const replyWithAnswer = (task: Task, delivery: Outcome): TaskReply => ({
  task,
  view: viewOfAnswer(task, delivery),
  delivery: delivery.receipt === null ? null : delivery,
})

/** Releases a payment that was not taken; the task is `offered` again. */
const release = (ports: A2aPorts, task: Task, note: TaskNote | null) =>
  Effect.map(
    record(ports, task, { event: "release", note, messages: [] }),
    (after) => reply(ports, after.state === "offered" ? { ...after, note } : after),
  )

/** Releases a payment that may be sent again, unless another call is selling with it. */
const releaseUntaken = Effect.fnUntraced(function* (
  ports: A2aPorts,
  task: Task,
  note: TaskNote | null = null,
) {
  const { paymentId } = task
  if (paymentId === null) return reply(ports, task)
  const { state } = yield* ports.payments.findOutcome(paymentId, task.id)
  return state === "released" || state === "unknown"
    ? yield* release(ports, task, note)
    : replyWith(task, paymentUnderway)
})

const binding = (paymentId: PaymentId, messages: ReadonlyArray<TaskMessage>): TaskMove => ({
  event: "pay",
  paymentId,
  life: paidTaskLife,
  note: null,
  messages,
})

/** Refuses a payment that the task cannot use. */
const refuseUnused = ({ spend }: SubmittedPayment, why: string) =>
  Effect.andThen(
    spend,
    Effect.fail(invalid([{
      field: `message.metadata["${x402Keys.payload}"]`,
      description: `was not used: ${why}`,
    }])),
  )

/** Whether the payment belongs to another request. */
const belongsToAnother = ({ code }: NotCharged) =>
  code === "payment_already_used" || code === "payment_conflict"

/** The documented error as the data of a task. It is parsed from JSON, so the cast is safe. */
const failureData = (error: Failure) =>
  Effect.map(
    RequestId,
    (requestId) => errorData(toRefusal(error), requestId) as TaskNote["metadata"],
  )

/** The note of a task whose sale failed finally. */
const failureNote = (error: NotCharged | RefundQueued, terms: PaymentTerms) =>
  Effect.map(failureData(error), (data): TaskNote => {
    const { code, message } = error
    if (error._tag === "RefundQueued" || code === "payment_refunded") {
      return { text: refundedText, data, metadata: paymentCompleted(null) }
    }
    const fault = belongsToAnother(error) ? "nonce_used" : error.fault ?? "not_settled"
    // An error of the product is not a fault of the payment.
    const isPaymentFault = belongsToAnother(error) || error.fault !== undefined
    return {
      text: isPaymentFault ? `Payment failed: ${message}.` : `${message}. ${uncharged}.`,
      data,
      metadata: paymentFailed(fault, error.fault ?? code, terms),
    }
  })

/** The note of a task that is `offered` again: its payment was not taken and may be sent again. */
const retryNote = (error: NotCharged) =>
  Effect.map(failureData(error), (data): TaskNote => ({
    text: `${error.message}. ${uncharged}: ${resend}.`,
    data,
    metadata: {},
  }))

/** The note of a refund found later, with the error that the sale would have returned. */
const refundNote = (refund: typeof RefundNotice.Type) =>
  Effect.map(
    failureData(
      new RefundQueued({
        code: "payment_refunded",
        message: "This payment was taken and not answered: it is refunded",
        refund,
      }),
    ),
    (data): TaskNote => ({ text: refundedText, data, metadata: paymentCompleted(null) }),
  )

/** The payment can never pay. */
const voidNote = (terms: PaymentTerms): TaskNote => ({
  text: "Payment failed: the authorization expired or was used elsewhere. Nothing was charged. " +
    "To buy the answer, open a new task.",
  data: null,
  metadata: paymentFailed("not_settled", "not_settled", terms),
})

/** The payment has bought its answer in another call. */
const usedNote = (terms: PaymentTerms): TaskNote => ({
  text: "Payment failed: this payment has already bought an answer in another call.",
  data: null,
  metadata: paymentFailed("nonce_used", "payment_already_used", terms),
})

const uncharged = "Nothing was charged"
const refundedText = "The payment was taken, but there is no answer. It is refunded in full."
