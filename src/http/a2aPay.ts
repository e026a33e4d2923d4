/**
 * Payments on tasks: a payment is bound to the task that offered, sold through the checkout with the
 * task's id as its secret, and what becomes of it is told from the payment itself.
 *
 * The row of a task may lag behind its payment, for a process may die between the two; it is brought
 * up to date by whoever asks next. It never runs ahead: no task is completed or failed before its
 * payment is.
 *
 * @module
 */
import { Effect, Option, Result } from "effect"
import type { PaymentId } from "../domain/payment.ts"
import { NotCharged, type RefundNotice, RefundQueued, type Unresolved } from "../domain/refusal.ts"
import { type PaidSkill, skillOf } from "../domain/skill.ts"
import { paidTaskLife, type Task, type TaskMessage, type TaskNote } from "../domain/task.ts"
import type { Payments } from "../services/Payments.ts"
import type { Delivery } from "../services/sale.ts"
import type { TaskMove, TaskStore } from "../services/TaskStore.ts"
import { errorData, type Fault, invalid, refusedBy } from "./a2aErrors.ts"
import { x402Keys } from "./a2aMessage.ts"
import {
  delivered,
  paymentCompleted,
  paymentFailed,
  type Sight,
  sightOf,
  underway,
} from "./a2aTask.ts"
import { prepare, RequestId, rules, toRefusal } from "./errors.ts"
import type { SkillPorts } from "./skills.ts"

/** A task as its client is told of it. */
export interface Told {
  readonly task: Task
  readonly sight: Sight
  /** The answer that is handed over with it, when it was charged. */
  readonly delivery: Delivery | null
}

export interface A2aPorts {
  readonly skills: SkillPorts
  readonly tasks: TaskStore["Service"]
  readonly payments: Payments["Service"]
}

/** A message that shows a payment. */
export interface Shown {
  readonly payload: unknown
  readonly said: TaskMessage
  /** Who it counts against. */
  readonly client: string
  /** Spends the budget of calls that never come to the checkout. */
  readonly spend: Effect.Effect<void, Fault>
}

/** How often a task is read again that somebody else has moved. */
const racesMax = 4

type Failure = NotCharged | RefundQueued | Unresolved

export const makePayDesk = ({ skills: { checkouts, terms }, tasks, payments }: A2aPorts) => {
  const told = (task: Task, sight = sightOf(task, terms)): Told => ({ task, sight, delivery: null })

  const handing = (task: Task, delivery: Delivery): Told => ({
    task,
    sight: delivered(task, delivery),
    delivery: delivery.receipt === null ? null : delivery,
  })

  /** Moves a task, or reads how somebody else has. */
  const moved = (task: Task, move: TaskMove) =>
    Effect.flatMap(
      tasks.move(task, move),
      (after) =>
        Option.isSome(after)
          ? Effect.succeed(after.value)
          : Effect.map(tasks.find(task.id), Option.getOrElse(() => task)),
    )

  /** Ends a task; unless somebody else has ended it, which is then what is told. */
  const failed = Effect.fnUntraced(function* (
    task: Task,
    note: TaskNote,
  ): Effect.fn.Return<Told> {
    // A completed task stays so, and yet its refund is what there is to tell.
    if (task.state === "completed") return told({ ...task, state: "failed", note })
    const after = yield* moved(task, { event: "fail", subject: null, note, said: [] })
    return after.state === "completed" ? yield* look(after) : told(after)
  })

  /** Hands the answer over; a task that went back to its offer meanwhile is bound to it again. */
  const completed = Effect.fnUntraced(function* (task: Task, delivery: Delivery) {
    const { text, artifact, metadata } = delivered(task, delivery)
    const note = delivery.receipt === null ? { text, data: artifact, metadata } : null
    const complete: TaskMove = { event: "complete", subject: null, note, said: [] }
    if (task.state === "completed") return handing(task, delivery)
    let after = yield* moved(task, complete)
    if (after.state === "offered") {
      const bound = yield* moved(after, binding(delivery.paymentId, []))
      after = yield* moved(bound, complete)
    }
    return handing(after, delivery)
  })

  /** How a task stands, by its payment where there is one: its answer, its refund, or neither yet. */
  const look = Effect.fnUntraced(function* (task: Task): Effect.fn.Return<Told> {
    const { state, paymentId, note } = task
    const ofPayment = state === "paying" || state === "completed" && note === null
    if (paymentId === null || !ofPayment) return told(task)
    const recalled = yield* payments.recall(paymentId, task.id)
    switch (recalled.state) {
      case "answered":
        return yield* completed(task, recalled.delivery)
      case "refunded":
        return yield* failed(task, yield* refundNote(recalled.refund))
      case "used":
        return state === "completed"
          ? told(task, { ...sightOf(task, terms), metadata: paymentCompleted(recalled.receipt) })
          : yield* failed(task, usedNote)
      case "void":
        return yield* failed(task, voidNote)
      case "underway":
      case "released":
      case "unknown":
        return told(task, underway)
    }
  })

  const voidNote: TaskNote = {
    text: "Payment failed: the authorization expired, or was spent elsewhere. Nothing was charged.",
    data: null,
    metadata: paymentFailed("not_settled", "not_settled", terms),
  }
  const usedNote: TaskNote = {
    text: "Payment failed: this payment has bought its answer in another call.",
    data: null,
    metadata: paymentFailed("nonce_used", "payment_already_used", terms),
  }

  /** What is said of a task whose sale failed for good. */
  const failureNote = Effect.fnUntraced(function* (error: NotCharged | RefundQueued) {
    const data = noteData(toRefusal(error), yield* RequestId)
    const { code, message } = error
    if (error._tag === "RefundQueued" || code === "payment_refunded") {
      return { text: refundedText, data, metadata: paymentCompleted(null) }
    }
    const known = code === "payment_already_used" || code === "payment_conflict"
    const fault = known ? "nonce_used" : error.fault ?? "not_settled"
    return {
      text: `Payment failed: ${message}.`,
      data,
      metadata: paymentFailed(fault, error.fault ?? code, terms),
    }
  })

  /** The payment was not taken, and may be sent again: the offer stands, unless it is worked on. */
  const offeredAgain = Effect.fnUntraced(function* (task: Task, error: NotCharged) {
    const { paymentId } = task
    if (paymentId === null) return told(task)
    const { state } = yield* payments.recall(paymentId, task.id)
    if (state !== "released" && state !== "unknown") return told(task, underway)
    const note: TaskNote = {
      text: `${error.message}. Nothing was charged: send the same payment again.`,
      data: noteData(toRefusal(error), yield* RequestId),
      metadata: {},
    }
    const after = yield* moved(task, { event: "release", note, said: [] })
    return told(after)
  })

  const unsold = (
    task: Task,
    error: Failure,
    bound: boolean,
  ): Effect.Effect<Told, Fault> => {
    if (error._tag === "RefundQueued") {
      return Effect.flatMap(failureNote(error), (note) => failed(task, note))
    }
    if (error._tag === "Unresolved" || error.code === "payment_in_progress") {
      return Effect.map(
        RequestId,
        (requestId) => told(task, { ...underway, data: noteData(toRefusal(error), requestId) }),
      )
    }
    if (error.code === "rate_limited") {
      // It was not looked at, so what it was bound by here is undone.
      const undo = bound
        ? Effect.asVoid(moved(task, { event: "release", note: null, said: [] }))
        : Effect.void
      return Effect.andThen(undo, refusedBy(prepare(toRefusal(error))))
    }
    return rules[error.code].retryable && task.state === "paying"
      ? offeredAgain(task, error)
      : Effect.flatMap(failureNote(error), (note) => failed(task, note))
  }

  const sell = (task: Task, skill: PaidSkill, shown: Shown, bound: boolean) =>
    checkouts[skill.id].sell({
      query: new URLSearchParams(task.subject?.parameters ?? ""),
      payment: { json: shown.payload },
      key: task.id,
      client: shown.client,
    }).pipe(Effect.matchEffect({
      onSuccess: (delivery) => completed(task, delivery),
      onFailure: (error) => unsold(task, error, bound),
    }))

  /** Takes the payment that a message shows for its task. */
  const pay = Effect.fnUntraced(function* (
    task: Task,
    shown: Shown,
    races = racesMax,
  ): Effect.fn.Return<Told, Fault> {
    const skill = skillOf(task.subject?.skill ?? "")
    if (skill?.kind !== "paid") return yield* refuse(shown, "no skill that is paid for was named")
    yield* Effect.catch(
      checkouts[skill.id].admit(shown.client),
      (error) => refusedBy(prepare(toRefusal(error))),
    )
    const id = Option.getOrNull(
      Result.getSuccess(checkouts[skill.id].identify({ json: shown.payload })),
    )
    if (task.state === "offered") {
      // What does not pay is told so by the checkout, which counts it.
      if (id === null) return yield* sell(task, skill, shown, false)
      const bound = yield* tasks.move(task, binding(id, [shown.said]))
      if (Option.isSome(bound)) return yield* sell(bound.value, skill, shown, true)
      const other = races > 0 ? yield* tasks.find(task.id) : Option.none<Task>()
      return Option.isSome(other) ? yield* pay(other.value, shown, races - 1) : told(task, underway)
    }
    if (id === null || id !== task.paymentId) {
      return yield* refuse(shown, `the task is ${sightOf(task, terms).state}, with no use for it`)
    }
    if (task.state === "paying") return yield* sell(task, skill, shown, false)
    yield* shown.spend
    return yield* look(task)
  })

  return { look, pay, told, moved }
}

const binding = (paymentId: PaymentId, said: ReadonlyArray<TaskMessage>): TaskMove => ({
  ...{ event: "pay", paymentId, life: paidTaskLife, note: null, said },
})

const refuse = ({ spend }: Shown, why: string) =>
  Effect.andThen(
    spend,
    Effect.fail(invalid([{
      field: `message.metadata["${x402Keys.payload}"]`,
      description: `was not used: ${why}`,
    }])),
  )

const refundedText = "The payment was taken, there is no answer, and it is paid back in full."

/** A refund that was found out of later, as the error it would have been told in. */
const refundNote = (refund: typeof RefundNotice.Type) =>
  Effect.map(RequestId, (requestId): TaskNote => {
    const error = new RefundQueued({
      code: "payment_refunded",
      message: "This payment was taken, not answered, and is refunded",
      refund,
    })
    return {
      text: refundedText,
      data: noteData(toRefusal(error), requestId),
      metadata: paymentCompleted(null),
    }
  })

/** Read from JSON text, so it is JSON. */
const noteData = (...given: Parameters<typeof errorData>) =>
  errorData(...given) as TaskNote["metadata"]
