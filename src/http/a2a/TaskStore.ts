/**
 * The port to the store of A2A tasks: one row a task, every move one compare-and-set on it.
 *
 * Shared by all replicas: an offer made by one is paid at another. Lives run on the store's own clock,
 * and a task whose life is over is not found any more, though its row may still be there.
 *
 * @module
 */
import { Context, type Duration, type Effect, Option, Result, Schema } from "effect"
import type { PaymentId } from "../../payments/domain/payment.ts"
import {
  boundedNote,
  extendHistory,
  isBound,
  step,
  type Task,
  type TaskId,
  taskLife,
  type TaskMessage,
  type TaskNote,
  type TaskState,
  type TaskSubject,
} from "./domain/task.ts"

/** A task as it is opened. A paid-for state is reached by moves alone. */
export interface NewTask {
  /** Fresh, from a secure source. */
  readonly id: TaskId
  readonly contextId: string
  readonly client: string
  readonly state: Extract<TaskState, "asked" | "offered" | "completed" | "failed">
  readonly subject: TaskSubject | null
  readonly note: TaskNote | null
  readonly history: ReadonlyArray<TaskMessage>
  /** How long from now it can be asked for. */
  readonly life: Duration.Duration
}

/**
 * One move, with what it writes. Its event is a key of the domain's table of moves. `note` takes the
 * place of the note there was.
 */
export type TaskMove =
  & {
    readonly note: TaskNote | null
    /** Messages that come with it: added to the history, of which the newest `historyMax` stay. */
    readonly messages: ReadonlyArray<TaskMessage>
  }
  & (
    /** Of an `asked` task alone: the subject it had none of. */
    | { readonly event: "offer"; readonly subject: TaskSubject }
    /** Its life ends `life` from now, or when it would have: whichever is later. */
    | { readonly event: "pay"; readonly paymentId: PaymentId; readonly life: Duration.Duration }
    /** Forgets the payment, and the longer life that came with it. */
    | { readonly event: "release" }
    /** `subject` is for the free skill of an `asked` task; null leaves what there is. */
    | { readonly event: "complete" | "fail"; readonly subject: TaskSubject | null }
    | { readonly event: "cancel" | "decline" }
  )

/** There are as many tasks as can be kept, of the client or of all: none is opened until some have ended. */
export class TasksFull extends Schema.TaggedError<TasksFull>()("TasksFull", {
  whose: Schema.Literals(["client", "all"]),
}) {}

/**
 * The task that a move leaves behind, but for its time; none where the table has no such move. A
 * subject, once it is named, stays.
 */
export function afterMove(task: Task, move: TaskMove): Option.Option<Omit<Task, "movedAt">> {
  return Option.map(Result.getSuccess(step(task.state, move.event)), (state) => ({
    ...{ id: task.id, contextId: task.contextId, client: task.client, state },
    subject: "subject" in move ? task.subject ?? move.subject : task.subject,
    paymentId: move.event === "pay"
      ? move.paymentId
      : move.event === "release"
      ? null
      : task.paymentId,
    note: boundedNote(move.note),
    history: extendHistory(task.history, move.messages),
    version: task.version + 1,
  }))
}

/** How a move changes the life of a task: it ends so long from now, at the earliest or at the latest. */
export function lifeAfter(task: Task, move: TaskMove): {
  readonly atLeast?: Duration.Duration
  readonly atMost?: Duration.Duration
} {
  if (move.event === "pay") return { atLeast: move.life }
  const unbound = isBound(task) &&
    Option.exists(afterMove(task, move), (after) => !isBound(after))
  return unbound ? { atMost: taskLife } : {}
}

/**
 * How many tasks are kept. Beyond it they give way in the order of `evictionOrder`, the oldest first; one that
 * is being paid for does not, unless it has stood so for longer than `taskLife`.
 */
export interface TaskLimits {
  /** Of one client: when all of them are being paid for, it opens no more. */
  readonly perClientMax: number
  /** Of all clients; each replica counts to within half a percent. */
  readonly totalMax: number
}

export const defaultTaskLimits: TaskLimits = { perClientMax: 200, totalMax: 20_000 }

/** A store that fails is a defect, as every store's failure is. */
export class TaskStore extends Context.Service<TaskStore, {
  /** Keeps a new task. Rows whose life is over go with it, a bounded number at a time. */
  readonly open: (task: NewTask) => Effect.Effect<Task, TasksFull>
  /** None when there is no such task, or its life is over. */
  readonly find: (id: TaskId) => Effect.Effect<Option.Option<Task>>
  /**
   * Makes one move of a task that was read; none when its life is over, when it has moved since, or
   * when the table has no such move. Of two who race with the same task one moves it. Returns the task
   * as it then is.
   */
  readonly move: (task: Task, move: TaskMove) => Effect.Effect<Option.Option<Task>>
  /** Forgets the tasks whose life is over; returns how many went. */
  readonly prune: Effect.Effect<number>
}>()("bellwether/http/TaskStore") {}
