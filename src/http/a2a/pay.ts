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
import { Clock, Duration, Effect, Option, Result } from "effect"
import type { PaymentId } from "../../payments/domain/payment.ts"
import type { Delivery } from "../../payments/sale/responses.ts"
import { type PaidSkill, skillOf } from "../../catalog/domain/skill.ts"
import { isBound, paidTaskLife, type Task, type TaskMessage, type TaskNote } from "./domain/task.ts"
import type { Payments } from "../../payments/Payments.ts"
import { moved as movedBy, type TaskMove, type TaskStore } from "./TaskStore.ts"
import { defaultTiming } from "../../payments/timing.ts"
import { type Fault, invalid, refusedBy } from "./errors.ts"
import { x402Keys } from "./message.ts"
import {
  againNote,
  type Failure,
  failureData,
  failureNote,
  isOfAnother,
  refundNote,
  usedNote,
  voidNote,
} from "./notes.ts"
import { delivered, paymentCompleted, type Sight, sightOf, underway } from "./taskShape.ts"
import { prepare, rules, toRefusal } from "../server/errors.ts"
import type { SkillPorts } from "../skills.ts"

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
interface Shown {
  readonly payload: unknown
  readonly said: TaskMessage
  /** Who it counts against. */
  readonly client: string
  /** Spends the budget of calls that never come to the checkout. */
  readonly spend: Effect.Effect<void, Fault>
}

/** How often a task is read again that somebody else has moved. */
const racesMax = 4

/** A payment that nobody has claimed by now is not on its way to the checkout any more. */
const claimWithin = Duration.toMillis(defaultTiming.lease)

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

  /**
   * Moves the row of a task whose money is decided already: what was decided is told, whatever becomes
   * of the row, which is brought up to date by whoever asks next.
   */
  const settled = (task: Task, move: TaskMove): Effect.Effect<Task> =>
    Effect.catchDefect(moved(task, move), (defect) =>
      Effect.as(
        Effect.logError("Cannot move a task on whose payment is decided", defect),
        Option.match(movedBy(task, move), {
          onNone: () => task,
          onSome: (after) => ({ ...after, movedAt: task.movedAt }),
        }),
      ))

  /** Ends a task; unless somebody else has ended it, which is then what is told. */
  const failed = Effect.fnUntraced(function* (
    task: Task,
    note: TaskNote,
  ): Effect.fn.Return<Told> {
    // A completed task stays so, and yet its refund is what there is to tell.
    if (task.state === "completed") return told({ ...task, state: "failed", note })
    const fail: TaskMove = { event: "fail", subject: null, note, said: [] }
    let after = yield* settled(task, fail)
    // Who only looked has let the payment go meanwhile.
    if (after.state === "offered") after = yield* settled(after, fail)
    return after.state === "completed" ? yield* look(after) : told(after)
  })

  /** Hands the answer over; a task that went back to its offer meanwhile is bound to it again. */
  const completed = Effect.fnUntraced(function* (task: Task, delivery: Delivery) {
    const { text, artifact, metadata } = delivered(task, delivery)
    const note = delivery.receipt === null ? { text, data: artifact, metadata } : null
    const complete: TaskMove = { event: "complete", subject: null, note, said: [] }
    if (task.state === "completed") return handing(task, delivery)
    let after = yield* settled(task, complete)
    if (after.state === "offered") {
      const bound = yield* settled(after, binding(delivery.paymentId, []))
      after = yield* settled(bound, complete)
    }
    return handing(after, delivery)
  })

  /** Lets go of a payment that was not taken. */
  const released = (task: Task, note: TaskNote | null) =>
    Effect.map(
      settled(task, { event: "release", note, said: [] }),
      (after) => told(after.state === "offered" ? { ...after, note } : after),
    )

  /** How a task stands, by its payment where there is one: its answer, its refund, or neither yet. */
  const look = Effect.fnUntraced(function* (task: Task): Effect.fn.Return<Told> {
    const { state, paymentId } = task
    if (paymentId === null || !isBound(task)) return told(task)
    const outcome = yield* payments.findOutcome(paymentId, task.id)
    switch (outcome.state) {
      case "answered":
        return yield* completed(task, outcome.delivery)
      case "refunded":
        return yield* failed(task, yield* refundNote(outcome.refund))
      case "used":
        return state === "completed"
          ? told(task, { ...sightOf(task, terms), metadata: paymentCompleted(outcome.receipt) })
          : yield* failed(task, usedNote(terms))
      case "void":
        return yield* failed(task, voidNote(terms))
      case "released":
        return state === "paying" ? yield* released(task, null) : told(task, underway)
      case "unknown": {
        const age = (yield* Clock.currentTimeMillis) - task.movedAt
        return state === "paying" && age > claimWithin
          ? yield* released(task, null)
          : told(task, underway)
      }
      case "underway":
        return told(task, underway)
    }
  })

  /** The payment was not taken, and may be sent again: the offer stands, unless it is worked on. */
  const letGo = Effect.fnUntraced(function* (task: Task, note: TaskNote | null = null) {
    const { paymentId } = task
    if (paymentId === null) return told(task)
    const { state } = yield* payments.findOutcome(paymentId, task.id)
    return state === "released" || state === "unknown"
      ? yield* released(task, note)
      : told(task, underway)
  })

  /** What is told of a task whose sale failed; `bound` when it was this call that bound the payment. */
  const unsold = Effect.fnUntraced(function* (
    task: Task,
    error: Failure,
    bound: boolean,
  ): Effect.fn.Return<Told, Fault> {
    if (error._tag === "RefundQueued") return yield* failed(task, yield* failureNote(error, terms))
    if (error._tag === "Unresolved" || error.code === "payment_in_progress") {
      return told(task, { ...underway, data: yield* failureData(error) })
    }
    if (error.code === "rate_limited") {
      // One payment too many, so what it was bound by here is undone.
      if (bound) yield* released(task, null)
      return yield* refusedBy(prepare(toRefusal(error)))
    }
    // Shown otherwise than who bound it did, it says nothing of how the payment fares that was bound.
    const isOther = isOfAnother(error) || error.code === "payment_required"
    if (task.state === "paying" && !bound && isOther) return yield* look(task)
    return rules[error.code].retryable && task.state === "paying"
      ? yield* letGo(task, yield* againNote(error))
      : yield* failed(task, yield* failureNote(error, terms))
  })

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
      if (Option.isSome(bound)) {
        const { value } = bound
        return yield* Effect.onInterrupt(sell(value, skill, shown, true), () => letGo(value))
      }
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
