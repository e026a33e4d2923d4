/**
 * The laws of A2A tasks, for every memory of them: how they move, and how long they live.
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
export const noted = (text: string): TaskNote => ({ text, data: null, metadata: { why: text } })

export const newTask = (changes: Partial<NewTask> = {}): NewTask => ({
  ...{ id: TaskId.make(crypto.randomUUID()), contextId: "a context", client: "192.0.2.1" },
  ...{ state: "offered", subject, note: noted("offer"), history: [messageOf("hello")], life },
  ...changes,
})

const silent = { note: null, messages: [] } as const
export const pay = (paymentId: PaymentId, paidLife = life): TaskMove => ({
  ...{ event: "pay", paymentId, life: paidLife, ...silent },
})
export const moveOf = (event: TaskEvent): TaskMove => {
  const words = { note: noted(event), messages: [messageOf(event)] }
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
export const made = Effect.fnUntraced(function* (held: Task, move: TaskMove) {
  return Option.getOrThrow(yield* (yield* TaskStore).move(held, move))
})
const isThere = Effect.fnUntraced(function* ({ id }: Pick<Task, "id">) {
  return Option.isSome(yield* (yield* TaskStore).find(id))
})
/** Which of these tasks are there, by their place. */
export const there = (tasks: ReadonlyArray<Task>) =>
  Effect.map(
    Effect.forEach(tasks, isThere),
    (each) => each.flatMap((found, at) => found ? [at] : []),
  )

/** A task in a state, by legal moves. */
const standing = Effect.fnUntraced(function* (state: TaskState) {
  switch (state) {
    case "asked":
      return yield* opened({ state, subject: null })
    case "offered":
      return yield* opened()
    case "paying":
      return yield* made(yield* opened(), pay(first))
    case "completed":
    case "failed":
      return yield* made(
        yield* made(yield* opened(), pay(first)),
        moveOf(state === "failed" ? "fail" : "complete"),
      )
    case "canceled":
      return yield* made(yield* opened(), moveOf("cancel"))
    case "declined":
      return yield* made(yield* opened(), moveOf("decline"))
  }
})

export interface TaskStage<R> {
  /** States a law over a fresh memory with these limits. */
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
    "a task is found by its id as it was opened, and by no other id",
    Effect.gen(function* () {
      const { find } = yield* TaskStore
      for (const state of ["asked", "offered", "completed", "failed"] as const) {
        const given = newTask({ state, subject: state === "asked" ? null : subject })
        const { life: _, ...words } = given
        const task = yield* opened(given)
        equal(task, { ...words, paymentId: null, version: 1, movedAt: task.movedAt })
        equal(Option.getOrNull(yield* find(task.id)), task)
        strictEqual(yield* isThere({ id: TaskId.make(crypto.randomUUID()) }), false)
      }
    }),
  )

  on(
    "every move of the table is made once, and no other is",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      let legal = 0
      for (const from of taskStates) {
        for (const event of taskEvents) {
          const held = yield* standing(from)
          const moved = Option.getOrNull(yield* move(held, moveOf(event)))
          const to = taskMoves[from][event]
          if (to === undefined) {
            strictEqual(moved, null, `${from} ${event}`)
            equal(Option.getOrNull(yield* find(held.id)), held)
            continue
          }
          legal += 1
          ok(moved !== null && moved.movedAt >= held.movedAt)
          const named = "subject" in moveOf(event) ? other : null
          equal(moved, {
            ...held,
            state: to,
            subject: held.subject ?? named,
            paymentId: event === "pay" ? first : event === "release" ? null : held.paymentId,
            note: noted(event),
            history: [...held.history, messageOf(event)],
            version: held.version + 1,
            movedAt: moved.movedAt,
          }, `${from} ${event}`)
          equal(Option.getOrNull(yield* find(held.id)), moved)
          strictEqual(Option.isNone(yield* move(held, moveOf(event))), true, "it has moved on")
        }
      }
      strictEqual(legal, 11)
    }),
  )

  on(
    "of fifty payments shown for one task at once one is bound to it",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      const task = yield* opened()
      const ids = Array.from(
        { length: 50 },
        (_, n) => PaymentId.make(`0x${n.toString(16).padStart(64, "0")}`),
      )
      const moved = yield* Effect.forEach(ids, (id) => move(task, pay(id)), {
        concurrency: "unbounded",
      })
      const won = moved.filter(Option.isSome)
      strictEqual(won.length, 1)
      equal(Option.getOrThrow(yield* find(task.id)), won[0]?.value)
    }),
  )

  on(
    "a task is paid for or canceled, whoever comes first, and never both",
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
    "what a dead process has left is taken on by one of those who read it",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      const held = yield* standing("paying")
      const read = Option.getOrThrow(yield* find(held.id))
      equal(read, held)
      const complete = moveOf("complete")
      const taken = yield* Effect.forEach([read, read, held], (each) => move(each, complete), {
        concurrency: "unbounded",
      })
      strictEqual(taken.filter(Option.isSome).length, 1)
      equal(Option.getOrThrow(yield* find(held.id)).state, "completed")
    }),
  )

  on(
    "who has slept while the same payment was released and shown again ends nothing",
    Effect.gen(function* () {
      const { find, move } = yield* TaskStore
      const asleep = yield* standing("paying")
      const anew = yield* made(yield* made(asleep, moveOf("release")), pay(first))
      equal([anew.state, anew.paymentId], [asleep.state, asleep.paymentId])
      strictEqual(Option.isNone(yield* move(asleep, moveOf("fail"))), true)
      equal(Option.getOrNull(yield* find(anew.id)), anew)
    }),
  )

  on(
    "a task is there until its life is over, and not any more from then on",
    Effect.gen(function* () {
      const { move } = yield* TaskStore
      const task = yield* opened()
      const over = yield* opened({ life: Duration.zero })
      strictEqual(yield* isThere(over), false)
      yield* age(Duration.subtract(life, Duration.seconds(30)))
      strictEqual(yield* isThere(task), true)
      yield* age(Duration.seconds(30))
      strictEqual(yield* isThere(task), false)
      for (const event of ["pay", "cancel", "fail"] as const) {
        strictEqual(Option.isNone(yield* move(task, moveOf(event))), true, event)
      }
    }),
  )

  on(
    "a payment that is shown makes a task live longer, never shorter, and no other move does",
    Effect.gen(function* () {
      const longer = yield* made(yield* opened(), pay(first, Duration.hours(1)))
      const shorter = yield* made(yield* opened(), pay(first, Duration.minutes(1)))
      const unpaid = yield* made(yield* opened({ state: "asked", subject: null }), moveOf("offer"))
      yield* age(Duration.minutes(9))
      const released = yield* made(shorter, moveOf("release"))
      equal(yield* there([longer, shorter, unpaid]), [0, 1, 2])
      yield* age(Duration.minutes(1))
      equal(yield* there([longer, released, unpaid]), [0])
      const done = yield* made(longer, { event: "complete", subject: null, ...silent })
      yield* age(Duration.minutes(49))
      strictEqual(yield* isThere(done), true)
      yield* age(Duration.minutes(1))
      strictEqual(yield* isThere(done), false)
    }),
  )

  on(
    "a payment that comes to nothing makes a task live no longer than one that is opened",
    Effect.gen(function* () {
      const shownLong = Effect.flatMap(
        opened(),
        (task) => made(task, pay(first, Duration.hours(1))),
      )
      const bound = yield* Effect.replicateEffect(shownLong, 3)
      yield* age(Duration.minutes(9))
      const events = ["fail", "release", "complete"] as const
      yield* Effect.forEach(bound, (task, n) => made(task, moveOf(events[n] ?? "fail")))
      const early = yield* made(yield* opened(), pay(first, Duration.minutes(1)))
      yield* made(early, moveOf("fail"))
      yield* age(Duration.minutes(9))
      equal(yield* there([...bound, early]), [0, 1, 2, 3])
      yield* age(Duration.minutes(1))
      equal(yield* there([...bound, early]), [])
    }),
  )

  on(
    "what is over is forgotten when it is asked for, and nothing else is",
    Effect.gen(function* () {
      const { prune } = yield* TaskStore
      const paid = yield* made(yield* opened(), pay(first, Duration.hours(1)))
      yield* opened()
      yield* opened()
      strictEqual(yield* prune, 0)
      yield* age(life)
      const young = yield* opened({ life: Duration.hours(2) })
      yield* prune
      equal(yield* there([paid, young]), [0, 1])
      yield* age(Duration.hours(1))
      strictEqual(yield* prune, 1)
      strictEqual(yield* prune, 0)
      strictEqual(yield* isThere(young), true)
    }),
  )
}
