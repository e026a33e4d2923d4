/**
 * The laws of TaskStore on every adapter: how tasks move, and how long they live.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Duration, Effect, Option } from "effect"
import { PaymentId } from "../../../src/payments/domain/payment.ts"
import {
  type Task,
  type TaskEvent,
  taskEvents,
  TaskId,
  type TaskMessage,
  taskMoves,
  type TaskNote,
  type TaskState,
  taskStates,
} from "../../../src/http/a2a/domain/task.ts"
import {
  type NewTask,
  type TaskLimits,
  type TaskMove,
  TaskStore,
} from "../../../src/http/a2a/TaskStore.ts"

export const life = Duration.minutes(10)
const subject = { skill: "get_signals", parameters: "since=1&type=mover" }
const other = { skill: "get_index", parameters: "" }
export const first = PaymentId.make(`0x${"1".repeat(64)}`)
const second = PaymentId.make(`0x${"2".repeat(64)}`)

export const messageOf = (text: string, messageId = `message ${text}`): TaskMessage => ({
  role: "user",
  messageId,
  parts: [{ kind: "text", text }],
})
export const noteOf = (text: string): TaskNote => ({ text, data: null, metadata: { why: text } })

export const newTask = (changes: Partial<NewTask> = {}): NewTask => ({
  ...{ id: TaskId.make(crypto.randomUUID()), contextId: "a context", client: "192.0.2.1" },
  ...{ state: "offered", subject, note: noteOf("offer"), history: [messageOf("hello")], life },
  ...changes,
})

const withoutWords = { note: null, messages: [] } as const
export const pay = (paymentId: PaymentId, paidLife = life): TaskMove => ({
  ...{ event: "pay", paymentId, life: paidLife, ...withoutWords },
})
export const moveOf = (event: TaskEvent): TaskMove => {
  const words = { note: noteOf(event), messages: [messageOf(event)] }
  switch (event) {
    case "pay":
      return { event, paymentId: first, life, ...words }
    case "offer":
      return { event, subject: other, ...words }
    case "complete":
    case "fail":
      return { event, subject: other, ...words }
    default:
      return { event, ...words }
  }
}

export const opened = Effect.fnUntraced(function* (changes: Partial<NewTask> = {}) {
  return yield* (yield* TaskStore).open(newTask(changes))
})
export const moved = Effect.fnUntraced(function* (task: Task, move: TaskMove) {
  return Option.getOrThrow(yield* (yield* TaskStore).move(task, move))
})
const isStored = Effect.fnUntraced(function* ({ id }: Pick<Task, "id">) {
  return Option.isSome(yield* (yield* TaskStore).find(id))
})
/** The indices of the tasks that are still stored. */
export const storedOf = (tasks: ReadonlyArray<Task>) =>
  Effect.map(
    Effect.forEach(tasks, isStored),
    (each) => each.flatMap((found, at) => found ? [at] : []),
  )

/** A new task, moved to a state. */
const taskIn = Effect.fnUntraced(function* (state: TaskState) {
  switch (state) {
    case "asked":
      return yield* opened({ state, subject: null })
    case "offered":
      return yield* opened()
    case "paying":
      return yield* moved(yield* opened(), pay(first))
    case "completed":
    case "failed":
      return yield* moved(
        yield* moved(yield* opened(), pay(first)),
        moveOf(state === "failed" ? "fail" : "complete"),
      )
    case "canceled":
      return yield* moved(yield* opened(), moveOf("cancel"))
    case "declined":
      return yield* moved(yield* opened(), moveOf("decline"))
  }
})

export interface TaskStage<R> {
  /** Registers a law over an empty store with these limits. */
  readonly on: (
    name: string,
    body: Effect.Effect<void, unknown, TaskStore | R>,
    limits?: TaskLimits,
  ) => void
  /** Makes every task older. */
  readonly age: (by: Duration.Duration) => Effect.Effect<void, never, R>
}

export function taskLaws<R>({ on, age }: TaskStage<R>): void {
  on(
    "find() returns a task as it was opened, and nothing for another id",
    Effect.gen(function* () {
      const { find } = yield* TaskStore
      for (const state of ["asked", "offered", "completed", "failed"] as const) {
        const newRow = newTask({ state, subject: state === "asked" ? null : subject })
        const { life: _, ...fields } = newRow
        const task = yield* opened(newRow)
        equal(task, { ...fields, paymentId: null, version: 1, movedAt: task.movedAt })
        equal(Option.getOrNull(yield* find(task.id)), task)
        strictEqual(yield* isStored({ id: TaskId.make(crypto.randomUUID()) }), false)
      }
    }),
  )

  on(
    "move() makes every move of the table once, and no other",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      let legal = 0
      for (const from of taskStates) {
        for (const event of taskEvents) {
          const task = yield* taskIn(from)
          const after = Option.getOrNull(yield* move(task, moveOf(event)))
          const to = taskMoves[from][event]
          if (to === undefined) {
            strictEqual(after, null, `${from} ${event}`)
            equal(Option.getOrNull(yield* find(task.id)), task)
            continue
          }
          legal += 1
          ok(after !== null && after.movedAt >= task.movedAt)
          const named = "subject" in moveOf(event) ? other : null
          equal(after, {
            ...task,
            state: to,
            subject: task.subject ?? named,
            paymentId: event === "pay" ? first : event === "release" ? null : task.paymentId,
            note: noteOf(event),
            history: [...task.history, messageOf(event)],
            version: task.version + 1,
            movedAt: after.movedAt,
          }, `${from} ${event}`)
          equal(Option.getOrNull(yield* find(task.id)), after)
          strictEqual(Option.isNone(yield* move(task, moveOf(event))), true, "the version is old")
        }
      }
      strictEqual(legal, 11)
    }),
  )

  on(
    "move() binds one of fifty simultaneous payments to a task",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      const task = yield* opened()
      const ids = Array.from(
        { length: 50 },
        (_, n) => PaymentId.make(`0x${n.toString(16).padStart(64, "0")}`),
      )
      const results = yield* Effect.forEach(ids, (id) => move(task, pay(id)), {
        concurrency: "unbounded",
      })
      const won = results.filter(Option.isSome)
      strictEqual(won.length, 1)
      equal(Option.getOrThrow(yield* find(task.id)), won[0]?.value)
    }),
  )

  on(
    "of simultaneous payments and cancellations one move succeeds",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      for (let round = 0; round < 20; round++) {
        const task = yield* opened()
        const moves = [pay(first), moveOf("cancel"), moveOf("decline"), pay(second)]
        const racing = [...moves.slice(round % 4), ...moves.slice(0, round % 4)]
        const results = yield* Effect.forEach(racing, (each) => move(task, each), {
          concurrency: "unbounded",
        })
        const won = results.filter(Option.isSome)
        strictEqual(won.length, 1)
        const left = Option.getOrThrow(yield* find(task.id))
        equal(left, won[0]?.value)
        strictEqual(left.paymentId !== null, left.state === "paying")
      }
    }),
  )

  on(
    "of several processes that read a task of a dead process, one completes it",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      const task = yield* taskIn("paying")
      const read = Option.getOrThrow(yield* find(task.id))
      equal(read, task)
      const complete = moveOf("complete")
      const results = yield* Effect.forEach([read, read, task], (each) => move(each, complete), {
        concurrency: "unbounded",
      })
      strictEqual(results.filter(Option.isSome).length, 1)
      equal(Option.getOrThrow(yield* find(task.id)).state, "completed")
    }),
  )

  on(
    "a process with an old version cannot move a task whose payment was released and bound again",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      const old = yield* taskIn("paying")
      const current = yield* moved(yield* moved(old, moveOf("release")), pay(first))
      equal([current.state, current.paymentId], [old.state, old.paymentId])
      strictEqual(Option.isNone(yield* move(old, moveOf("fail"))), true)
      equal(Option.getOrNull(yield* find(current.id)), current)
    }),
  )

  on(
    "a task is found and can move until it expires, and not afterwards",
    Effect.gen(function* () {
      const { move } = yield* TaskStore
      const task = yield* opened()
      const expired = yield* opened({ life: Duration.zero })
      strictEqual(yield* isStored(expired), false)
      yield* age(Duration.subtract(life, Duration.seconds(30)))
      strictEqual(yield* isStored(task), true)
      yield* age(Duration.seconds(30))
      strictEqual(yield* isStored(task), false)
      for (const event of ["pay", "cancel", "fail"] as const) {
        strictEqual(Option.isNone(yield* move(task, moveOf(event))), true, event)
      }
    }),
  )

  on(
    "pay extends a task's life, never shortens it, and no other move changes it",
    Effect.gen(function* () {
      const longer = yield* moved(yield* opened(), pay(first, Duration.hours(1)))
      const shorter = yield* moved(yield* opened(), pay(first, Duration.minutes(1)))
      const unpaid = yield* moved(yield* opened({ state: "asked", subject: null }), moveOf("offer"))
      yield* age(Duration.minutes(9))
      const released = yield* moved(shorter, moveOf("release"))
      equal(yield* storedOf([longer, shorter, unpaid]), [0, 1, 2])
      yield* age(Duration.minutes(1))
      equal(yield* storedOf([longer, released, unpaid]), [0])
      const done = yield* moved(longer, { event: "complete", subject: null, ...withoutWords })
      yield* age(Duration.minutes(49))
      strictEqual(yield* isStored(done), true)
      yield* age(Duration.minutes(1))
      strictEqual(yield* isStored(done), false)
    }),
  )

  on(
    "a task whose payment failed lives no longer than a new task",
    Effect.gen(function* () {
      const paidLong = Effect.flatMap(
        opened(),
        (task) => moved(task, pay(first, Duration.hours(1))),
      )
      const bound = yield* Effect.replicateEffect(paidLong, 3)
      yield* age(Duration.minutes(9))
      const events = ["fail", "release", "complete"] as const
      yield* Effect.forEach(bound, (task, n) => moved(task, moveOf(events[n] ?? "fail")))
      const early = yield* moved(yield* opened(), pay(first, Duration.minutes(1)))
      yield* moved(early, moveOf("fail"))
      yield* age(Duration.minutes(9))
      equal(yield* storedOf([...bound, early]), [0, 1, 2, 3])
      yield* age(Duration.minutes(1))
      equal(yield* storedOf([...bound, early]), [])
    }),
  )

  on(
    "prune() deletes expired tasks and no other",
    Effect.gen(function* () {
      const { prune } = yield* TaskStore
      const paid = yield* moved(yield* opened(), pay(first, Duration.hours(1)))
      yield* opened()
      yield* opened()
      strictEqual(yield* prune, 0)
      yield* age(life)
      const young = yield* opened({ life: Duration.hours(2) })
      yield* prune
      equal(yield* storedOf([paid, young]), [0, 1])
      yield* age(Duration.hours(1))
      strictEqual(yield* prune, 1)
      strictEqual(yield* prune, 0)
      strictEqual(yield* isStored(young), true)
    }),
  )
}
