/**
 * The laws of TaskStore on every adapter: how many tasks it stores, and how it stores their
 * content.
 *
 * @module
 */
import { deepStrictEqual as equal, ok, strictEqual } from "node:assert/strict"
import { Duration, Effect, Option } from "effect"
import {
  historyMax,
  messageJsonMax,
  noteJsonMax,
  type TaskMessage,
} from "../../../src/http/a2a/domain/task.ts"
import { type TaskMove, TasksFull, TaskStore } from "../../../src/http/a2a/TaskStore.ts"
import {
  first,
  life,
  messageOf,
  moved,
  moveOf,
  newTask,
  noteOf,
  opened,
  pay,
  storedOf,
  type TaskStage,
} from "./taskStore.laws.ts"

export function boundLaws<R>({ on, age }: TaskStage<R>): void {
  const few = { perClientMax: 3, totalMax: 100 }
  on(
    "a client's newest task evicts its oldest, and no other client's",
    Effect.gen(function* () {
      const another = yield* opened({ client: "198.51.100.1" })
      const own = yield* Effect.replicateEffect(opened(), 5)
      equal(yield* storedOf([another, ...own]), [0, 3, 4, 5])
      const stranger = yield* opened({ client: "203.0.113.1" })
      equal(yield* storedOf([another, ...own, stranger]), [0, 3, 4, 5, 6])
    }),
    few,
  )

  const paid = Effect.flatMap(opened(), (task) => moved(task, pay(first)))
  const complete: TaskMove = { event: "complete", subject: null, note: null, messages: [] }
  on(
    "a client's tasks are evicted in this order: ended, unpaid, completed with a payment",
    Effect.gen(function* () {
      const done = yield* moved(yield* paid, complete)
      const unpaid = yield* opened()
      const forged = yield* moved(yield* paid, moveOf("fail"))
      const all = [done, unpaid, forged]
      for (const left of [[0, 1, 3], [0, 3, 4]]) {
        all.push(yield* paid)
        equal(yield* storedOf(all), left)
      }
      all.push(yield* paid)
      equal(yield* storedOf(all), [3, 4, 5], "a paying task is not evicted")
    }),
    few,
  )

  on(
    "a client whose tasks are all paying cannot open another, and another client can",
    Effect.gen(function* () {
      const { open, find } = yield* TaskStore
      const paying = yield* Effect.replicateEffect(paid, 3)
      const full = yield* Effect.flip(open(newTask()))
      equal(full, new TasksFull({ whose: "client" }))
      const stranger = yield* opened({ client: "203.0.113.1" })
      equal(yield* storedOf([...paying, stranger]), [0, 1, 2, 3])
      const [task] = paying
      if (task !== undefined) yield* moved(task, moveOf("release"))
      const late = yield* opened()
      equal(yield* storedOf([...paying, late]), [1, 2, 3])
      strictEqual(Option.isSome(yield* find(late.id)), true)
    }),
    few,
  )

  on(
    "a task that is paying for longer than a task's life can be evicted",
    Effect.gen(function* () {
      const paidLong = Effect.flatMap(
        opened(),
        (task) => moved(task, pay(first, Duration.hours(1))),
      )
      const paying = yield* Effect.replicateEffect(paidLong, 3)
      yield* age(Duration.subtract(life, Duration.seconds(30)))
      const store = yield* TaskStore
      equal((yield* Effect.flip(store.open(newTask()))).whose, "client")
      yield* age(Duration.seconds(30))
      equal(yield* storedOf(paying), [0, 1, 2])
      const late = yield* opened()
      equal(yield* storedOf([...paying, late]), [1, 2, 3])
    }),
    few,
  )

  on(
    "the oldest task that is paying for too long is evicted before one that began to pay now",
    Effect.gen(function* () {
      const fresh = yield* opened({ life: Duration.hours(1) })
      const paidLong = Effect.flatMap(
        opened(),
        (task) => moved(task, pay(first, Duration.hours(1))),
      )
      const stale = yield* Effect.replicateEffect(paidLong, 2)
      yield* age(life)
      yield* moved(fresh, pay(first))
      const late = yield* opened()
      equal(yield* storedOf([fresh, ...stale, late]), [0, 2, 3])
    }),
    few,
  )

  on(
    "a client that forges or abandons payments does not block other clients",
    Effect.gen(function* () {
      const { open } = yield* TaskStore
      for (let n = 0; n < 30; n++) {
        const task = yield* Effect.result(open(newTask()))
        if (task._tag === "Failure") continue
        const bound = yield* moved(task.success, pay(first, Duration.hours(1)))
        if (n % 2 === 0) yield* moved(bound, moveOf("fail"))
      }
      for (let n = 0; n < 4; n++) yield* opened({ client: `198.51.100.${n}` })
    }),
    { perClientMax: 3, totalMax: 6 },
  )

  const small = { perClientMax: 100, totalMax: 4 }
  const guest = (n: number) => opened({ client: `192.0.2.${n}` })
  on(
    "a full store evicts the oldest task without a payment, of any client",
    Effect.gen(function* () {
      const paid = yield* Effect.flatMap(guest(0), (task) => moved(task, pay(first)))
      const tasks = [paid, ...yield* Effect.forEach([1, 2, 3], guest)]
      equal(yield* storedOf(tasks), [0, 1, 2, 3])
      for (const left of [[0, 2, 3, 4], [0, 3, 4, 5]]) {
        tasks.push(yield* guest(tasks.length))
        equal(yield* storedOf(tasks), left)
      }
    }),
    small,
  )

  on(
    "a full store evicts ended tasks before older offers",
    Effect.gen(function* () {
      const offers = yield* Effect.forEach([1, 2], guest)
      const ended = yield* moved(yield* guest(3), moveOf("cancel"))
      const forged = yield* moved(yield* moved(yield* guest(4), pay(first)), moveOf("fail"))
      const tasks = [...offers, ended, forged]
      for (const left of [[0, 1, 3, 4], [0, 1, 4, 5], [1, 4, 5, 6]]) {
        tasks.push(yield* guest(tasks.length + 1))
        equal(yield* storedOf(tasks), left)
      }
    }),
    small,
  )

  on(
    "a store full of paying tasks opens no task until one expires",
    Effect.gen(function* () {
      const store = yield* TaskStore
      const lives = [5, 9, 9, 9].map((minutes) => Duration.minutes(minutes))
      const paid = yield* Effect.forEach(lives, (each, n) =>
        Effect.flatMap(
          opened({ client: `192.0.2.${n}`, life: each }),
          (task) => moved(task, pay(first, Duration.zero)),
        ))
      for (let n = 0; n < 3; n++) {
        const full = yield* Effect.flip(store.open(newTask({ client: "192.0.2.9" })))
        strictEqual(full.whose, "all")
      }
      equal(yield* storedOf(paid), [0, 1, 2, 3])
      yield* age(Duration.minutes(5))
      const late = yield* guest(9)
      equal(yield* storedOf([...paid, late]), [1, 2, 3, 4])
    }),
    small,
  )

  on(
    "expired tasks do not count against the limits",
    Effect.gen(function* () {
      const old = yield* Effect.replicateEffect(opened(), 4)
      yield* age(life)
      const young = yield* Effect.replicateEffect(opened(), 4)
      equal(yield* storedOf([...old, ...young]), [4, 5, 6, 7])
    }),
    small,
  )

  on(
    "simultaneous calls of open() all succeed, and the next one restores the limit",
    Effect.gen(function* () {
      const tasks = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => n),
        guest,
        { concurrency: "unbounded" },
      )
      strictEqual(new Set(tasks.map(({ id }) => id)).size, 40)
      yield* guest(99)
      ok((yield* storedOf(tasks)).length <= small.totalMax)
    }),
    small,
  )
}

const hostile = [
  ...[
    "",
    "'; DROP TABLE a2a_task; --",
    "\\u0000\0",
    "\ud800 half",
    "𐍈 \u202e عربى 👩‍👩‍👧",
    "{}",
    "null",
  ],
  ...['"quoted"', "line\nline\r\t", "\ufeff\uffff", "${id}", "%00"],
]

export function contentLaws<R>({ on }: TaskStage<R>): void {
  on(
    "find() returns any text of a client unchanged",
    Effect.gen(function* () {
      const { find } = yield* TaskStore
      for (const words of hostile) {
        const message = messageOf(words, words)
        const data = { [words]: [words, { deep: words, none: null, is: true, n: 1e-300 }] }
        const note = { text: words, data, metadata: { [words]: words } }
        const task = yield* opened({
          ...{ contextId: words, subject: { skill: "get_signals", parameters: words }, note },
          history: [message],
        })
        equal([task.contextId, task.subject?.parameters], [words, words])
        equal([task.note, task.history], [note, [message]])
        equal(Option.getOrNull(yield* find(task.id)), task)
      }
    }),
  )

  on(
    "the newest messages are stored, and a placeholder for one that is too large",
    Effect.gen(function* () {
      const long = Array.from({ length: historyMax + 3 }, (_, n) => messageOf(`${n}`))
      const task = yield* opened({ history: long })
      equal(task.history, long.slice(-historyMax))
      const nested = deep(30_000)
      const large: ReadonlyArray<TaskMessage> = [
        messageOf("x".repeat(messageJsonMax), "large"),
        messageOf("small", "i".repeat(100_000)),
        { role: "agent", messageId: "nested", parts: [{ kind: "data", data: nested }] },
      ]
      const after = yield* moved(task, {
        event: "pay",
        paymentId: first,
        life,
        note: null,
        messages: large,
      })
      equal(after.history.slice(0, -3), long.slice(6))
      equal(after.history.slice(-3).map(({ role }) => role), ["user", "user", "agent"])
      for (const { messageId, parts } of after.history.slice(-3)) {
        ok(messageId.length <= 256)
        equal(parts, [{ kind: "text", text: "This was too large to be stored." }])
      }
    }),
  )

  on(
    "a note is stored up to its maximum, and a placeholder for a larger one",
    Effect.gen(function* () {
      const { find } = yield* TaskStore
      const emptyLength = JSON.stringify(noteOf("")).length
      const largest = { ...noteOf(""), data: { a: "ü".repeat(noteJsonMax - emptyLength - 4) } }
      strictEqual(JSON.stringify(largest).length, noteJsonMax)
      const task = yield* opened({ note: largest })
      equal(Option.getOrThrow(yield* find(task.id)).note, largest)
      const tooLarge = { ...largest, text: "x" }
      const placeholder = { text: "This was too large to be stored.", data: null, metadata: {} }
      equal((yield* opened({ note: tooLarge })).note, placeholder)
      const failed = yield* moved(task, {
        event: "fail",
        subject: null,
        note: tooLarge,
        messages: [],
      })
      equal(failed.note, placeholder)
    }),
  )
}

/** JSON that is nested too deep for a recursive serializer. */
function deep(levels: number): TaskMessage["parts"][number] {
  return JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels))
}
