/**
 * The life of an A2A task: its states, and every legal move between them.
 *
 * A task is one call that may take several messages: first an offer, then its payment. It binds a
 * skill and its parameters to one payment at a time. The payment has its own states (`payment.ts`),
 * and a paid task is answered from them. The task id is random and is the secret of the payment: a
 * caller who has it may get the answer again.
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
  /** No skill was named yet. */
  "asked",
  /** A paid skill was named; no payment yet. */
  "offered",
  /** A payment is bound to the task and may be taken now. */
  "paying",
  "completed",
  "failed",
  /** Canceled by its client before a payment. */
  "canceled",
  /** Its client declined to pay. */
  "declined",
] as const
export const TaskState = Schema.Literals(taskStates)
export type TaskState = typeof TaskState.Type

/** What can happen to a task. */
export const taskEvents = [
  /** A paid skill was named. */
  "offer",
  /** A payment was submitted and is bound to the task. */
  "pay",
  /** The payment was not taken and a retry may help, so the task is offered again. */
  "release",
  "complete",
  "fail",
  "cancel",
  "decline",
] as const
export const TaskEvent = Schema.Literals(taskEvents)
export type TaskEvent = typeof TaskEvent.Type

/** Every legal move. A task cannot be canceled while money may move. Final states have no moves. */
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

/** A move that the table does not have: the caller has read an old row, or has a bug. */
class IllegalTaskMove extends Schema.TaggedError<IllegalTaskMove>()("IllegalTaskMove", {
  from: TaskState,
  event: TaskEvent,
}) {}

/** The state after `event` in state `from`. */
export function step(
  from: TaskState,
  event: TaskEvent,
): Result.Result<TaskState, IllegalTaskMove> {
  const to = taskMoves[from][event]
  return to === undefined ? Result.fail(new IllegalTaskMove({ from, event })) : Result.succeed(to)
}

/** How long a task is kept after it was opened, or after its payment failed. */
export const taskLife = Duration.minutes(10)
/** How long a task is kept after its payment was submitted: long enough for a refund. */
export const paidTaskLife = Duration.hours(1)
/** Most messages stored per task (the newest), and the largest size of one as JSON. */
export const historyMax = 10
export const messageJsonMax = 4_096
const messageIdMax = 256
/** The largest size of a note as JSON. */
export const noteJsonMax = 256 * 1_024

/**
 * A message in the history of a task. Its metadata is not stored, because it may contain a payment.
 */
export const TaskMessage = Schema.Struct({
  role: Schema.Literals(["user", "agent"]),
  messageId: Schema.String,
  parts: Schema.Array(Schema.JsonObject),
})
export type TaskMessage = typeof TaskMessage.Type

/** The text and data of a task next to its state; `metadata` is about its payment. */
export const TaskNote = Schema.Struct({
  text: Schema.String,
  /** The answer of a completed task, or the error of a failed one; null when there is only text. */
  data: Schema.NullOr(Schema.JsonObject),
  metadata: Schema.JsonObject,
})
export type TaskNote = typeof TaskNote.Type

/** The skill of a task with its parameters. Once set it never changes. */
export interface TaskSubject {
  /** The name of the skill. */
  readonly skill: string
  /** Its parameters, as a query. */
  readonly parameters: string
}

export interface Task {
  readonly id: TaskId
  /** The id of its conversation, chosen by the client or by the service. */
  readonly contextId: string
  /** The client whose limits it counts against. */
  readonly client: string
  readonly state: TaskState
  /** Null while the task is `asked`, and if it ended in that state. */
  readonly subject: TaskSubject | null
  /** The bound payment; null before one is submitted and after a release. */
  readonly paymentId: PaymentId | null
  /** Null when state and payment are enough: a paid answer is stored with the payment only. */
  readonly note: TaskNote | null
  readonly history: ReadonlyArray<TaskMessage>
  /** When it entered its state, by the store's clock. */
  readonly movedAt: EpochMs
  /** Increases with every move, so that a move of an outdated task fails. */
  readonly version: number
}

/**
 * The order of eviction when there are too many tasks: the lowest rank first. A paid answer is also
 * available through its payment. A task whose payment may be taken now is not evicted.
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

const tooLarge = "This was too large to be stored."

/** A history with new messages; a message that is too large is replaced by a notice. */
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

/** The stored form of a note; one that is too large is returned once and stored as a notice. */
export function boundedNote(note: TaskNote | null): TaskNote | null {
  return sizeOf(note) <= noteJsonMax ? note : { text: tooLarge, data: null, metadata: {} }
}
