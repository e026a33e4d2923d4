/**
 * The port to the store of A2A tasks: one row per task, and every move is one compare-and-set.
 *
 * All replicas share it: a task opened at one replica can be paid at another. Expiry uses the
 * store's clock. An expired task is not found, even if its row still exists.
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

/** A new task. The states of a payment are reached only by moves. */
export interface NewTask {
  /** A fresh id from a secure random source. */
  readonly id: TaskId
  readonly contextId: string
  readonly client: string
  readonly state: Extract<TaskState, "asked" | "offered" | "completed" | "failed">
  readonly subject: TaskSubject | null
  readonly note: TaskNote | null
  readonly history: ReadonlyArray<TaskMessage>
  /** How long it is kept. */
  readonly life: Duration.Duration
}

/**
 * One move and what it writes. Its event is a key of the table `taskMoves`. `note` replaces the
 * stored note.
 */
export type TaskMove =
  & {
    readonly note: TaskNote | null
    /** Messages to add to the history, which keeps the newest `historyMax`. */
    readonly messages: ReadonlyArray<TaskMessage>
  }
  & (
    /** For an `asked` task only: sets its subject. */
    | { readonly event: "offer"; readonly subject: TaskSubject }
    /** The task expires `life` from now, or at its earlier expiry if that is later. */
    | { readonly event: "pay"; readonly paymentId: PaymentId; readonly life: Duration.Duration }
    /** Removes the payment, and the longer life that came with it. */
    | { readonly event: "release" }
    /** `subject` is set for the free skill of an `asked` task; null keeps the stored one. */
    | { readonly event: "complete" | "fail"; readonly subject: TaskSubject | null }
    | { readonly event: "cancel" | "decline" }
  )

/** The limit of stored tasks is reached, for this client or in total. */
export class TasksFull extends Schema.TaggedError<TasksFull>()("TasksFull", {
  whose: Schema.Literals(["client", "all"]),
}) {}

/**
 * The task after a move, without its time; none when the move is illegal. A subject never changes
 * once it is set.
 */
export function afterMove(task: Task, move: TaskMove): Option.Option<Omit<Task, "movedAt">> {
  return Option.map(Result.getSuccess(step(task.state, move.event)), (state) => ({
    id: task.id,
    contextId: task.contextId,
    client: task.client,
    state,
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

/** How a move changes the expiry of a task: at least or at most this long from now. */
export function lifeAfter(task: Task, move: TaskMove): {
  readonly atLeast?: Duration.Duration
  readonly atMost?: Duration.Duration
} {
  if (move.event === "pay") return { atLeast: move.life }
  const losesPayment = isBound(task) &&
    Option.exists(afterMove(task, move), (after) => !isBound(after))
  return losesPayment ? { atMost: taskLife } : {}
}

/**
 * How many tasks are stored. Above a limit, tasks are evicted in the order of `evictionOrder`, the
 * oldest first. A task in state `paying` is evicted only when it has been so for longer than
 * `taskLife`.
 */
export interface TaskLimits {
  /** Per client. When all of them are `paying`, the client cannot open another. */
  readonly perClientMax: number
  /** Of all clients together; each replica's count is exact to half a percent. */
  readonly totalMax: number
}

export const defaultTaskLimits: TaskLimits = { perClientMax: 200, totalMax: 20_000 }

/** A failure of the store is a defect. */
export class TaskStore extends Context.Service<TaskStore, {
  /** Stores a new task, and deletes a bounded number of expired rows. */
  readonly open: (task: NewTask) => Effect.Effect<Task, TasksFull>
  /** None when there is no such task, or it has expired. */
  readonly find: (id: TaskId) => Effect.Effect<Option.Option<Task>>
  /**
   * Makes one move of a task that was read, and returns the task after it. None when the task has
   * expired, has moved since it was read, or when the move is illegal. Of two concurrent moves one
   * succeeds.
   */
  readonly move: (task: Task, move: TaskMove) => Effect.Effect<Option.Option<Task>>
  /** Deletes expired tasks; returns how many. */
  readonly prune: Effect.Effect<number>
}>()("bellwether/http/TaskStore") {}
