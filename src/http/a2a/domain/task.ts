/**
 * The life of one A2A task: its states, and every legal move between them.
 *
 * A task is a call that may take several messages: an offer is made, then paid for. It binds a skill
 * and its parameters to the payment that is submitted for it, one payment at a time; the states of the
 * money are the payment's (`payment.ts`), and a task that was paid for is answered from them. Its id is
 * random, and is the secret of that payment: a caller who has it may fetch the answer again.
 *
 * @module
 */
import { Duration, Result, Schema } from "effect"
import { PaymentId } from "../../../payments/domain/payment.ts"
import type { EpochMs } from "../../../core/domain/time.ts"

/** A version 4 UUID, in lower case: 122 random bits, which cannot be guessed. */
export const TaskId = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
).pipe(Schema.brand("TaskId"))
export type TaskId = typeof TaskId.Type

export const taskStates = [
  /** No skill was named: the next message names one. */
  "asked",
  /** A paid skill with its parameters, and no payment yet. */
  "offered",
  /** A payment is bound to it, and may be taken now. */
  "paying",
  "completed",
  "failed",
  /** By its client, before anything was paid. */
  "canceled",
  /** Its client would not pay. */
  "declined",
] as const
export const TaskState = Schema.Literals(taskStates)
export type TaskState = typeof TaskState.Type

/** What can happen to a task. */
export const taskEvents = [
  /** A paid skill was named at last. */
  "offer",
  /** A payment was submitted, and is bound to the task. */
  "pay",
  /** The payment was not taken, and trying again may help: the offer stands as before. */
  "release",
  "complete",
  "fail",
  "cancel",
  "decline",
] as const
export const TaskEvent = Schema.Literals(taskEvents)
export type TaskEvent = typeof TaskEvent.Type

/** Every legal move. While money may move there is no cancelling; what has ended stays so. */
export const taskMoves: {
  readonly [S in TaskState]: { readonly [E in TaskEvent]?: TaskState }
} = {
  asked: { offer: "offered", complete: "completed", fail: "failed", cancel: "canceled" },
  offered: { pay: "paying", fail: "failed", cancel: "canceled", decline: "declined" },
  paying: { release: "offered", complete: "completed", fail: "failed" },
  completed: {},
  failed: {},
  canceled: {},
  declined: {},
}

/** A move the table does not have: the caller read a row that has moved on, or has a bug. */
class IllegalTaskMove extends Schema.TaggedError<IllegalTaskMove>()("IllegalTaskMove", {
  from: TaskState,
  event: TaskEvent,
}) {}

/** Where `event` takes a task that stands at `from`. */
export function step(
  from: TaskState,
  event: TaskEvent,
): Result.Result<TaskState, IllegalTaskMove> {
  const to = taskMoves[from][event]
  return to === undefined ? Result.fail(new IllegalTaskMove({ from, event })) : Result.succeed(to)
}

/** How long a task can be asked for from when it was opened, or from when its payment came to nothing. */
export const taskLife = Duration.minutes(10)
/** How long from when its payment was submitted, while it is bound to it: long enough for a refund. */
export const paidTaskLife = Duration.hours(1)
/** Messages kept of a task, the newest; and the most of one, as JSON. */
export const historyMax = 10
export const messageJsonMax = 4_096
const messageIdMax = 256
/** Most of a note, as JSON. */
export const noteJsonMax = 256 * 1_024

/** A message as the history of its task keeps it: without metadata, where payments are. */
export const TaskMessage = Schema.Struct({
  role: Schema.Literals(["user", "agent"]),
  messageId: Schema.String,
  parts: Schema.Array(Schema.JsonObject),
})
export type TaskMessage = typeof TaskMessage.Type

/** The text and data of a task next to its state; `metadata` is about its payment. */
export const TaskNote = Schema.Struct({
  text: Schema.String,
  /** The answer of a completed task, or the error of another; null when the text is all. */
  data: Schema.NullOr(Schema.JsonObject),
  metadata: Schema.JsonObject,
})
export type TaskNote = typeof TaskNote.Type

/** What a task is about. Once it is named it never changes. */
export interface TaskSubject {
  /** A skill's name. */
  readonly skill: string
  /** Its parameters, as a query. */
  readonly parameters: string
}

export interface Task {
  readonly id: TaskId
  /** The conversation it belongs to: the client's word, or ours. */
  readonly contextId: string
  /** Who it counts against. */
  readonly client: string
  readonly state: TaskState
  /** Null while it is `asked`, and of what ended so. */
  readonly subject: TaskSubject | null
  /** The payment it is bound to; null before one is submitted, and after a release. */
  readonly paymentId: PaymentId | null
  /** Null when the state or the payment says all: an answer that was paid is not stored twice. */
  readonly note: TaskNote | null
  readonly history: ReadonlyArray<TaskMessage>
  /** When it came to its state, by the store's clock. */
  readonly movedAt: EpochMs
  /** Grows with every move, so that a move of a task that has moved on finds nothing. */
  readonly version: number
}

/**
 * Which tasks are evicted first where there are too many: the lowest. A task whose payment bought
 * nothing ranks with those that ended otherwise; the answer of a paid one can be fetched by its payment
 * too; and one whose payment may be taken now is never evicted.
 */
export const evictionOrder = { ended: 0, unpaid: 1, paid: 2, paying: 3 } as const

export function evictionRank(
  { state, paymentId, note }: Pick<Task, "state" | "paymentId" | "note">,
): number {
  switch (state) {
    case "asked":
    case "offered":
      return evictionOrder.unpaid
    case "paying":
      return evictionOrder.paying
    case "completed":
      return paymentId !== null && note === null ? evictionOrder.paid : evictionOrder.ended
    default:
      return evictionOrder.ended
  }
}

/** Whether a task is answered from its payment. */
export const isBound = (task: Pick<Task, "state" | "paymentId" | "note">) =>
  evictionRank(task) >= evictionOrder.paid

const sizeOf = (value: unknown) =>
  Result.getOrElse(Result.try(() => JSON.stringify(value).length), () => Infinity)

const tooLarge = "This was too large to be kept."

/** A history with new messages; one that is too large to be stored is replaced by a notice. */
export function extendHistory(
  history: ReadonlyArray<TaskMessage>,
  messages: ReadonlyArray<TaskMessage>,
): ReadonlyArray<TaskMessage> {
  return [...history, ...messages].slice(-historyMax).map((message) =>
    sizeOf(message) <= messageJsonMax ? message : {
      role: message.role,
      messageId: message.messageId.slice(0, messageIdMax),
      parts: [{ kind: "text", text: tooLarge }],
    }
  )
}

/** A note as it is stored; one that is too large is returned once and replaced by a notice. */
export function boundedNote(note: TaskNote | null): TaskNote | null {
  return sizeOf(note) <= noteJsonMax ? note : { text: tooLarge, data: null, metadata: {} }
}
