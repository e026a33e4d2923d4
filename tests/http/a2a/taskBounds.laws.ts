/**
 * The laws of A2A tasks, for every memory of them: how many are kept, and what of what was said.
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
  made,
  messageOf,
  moveOf,
  newTask,
  noted,
  opened,
  pay,
  type TaskStage,
  there,
} from "./taskStore.laws.ts"

export function boundLaws<R>({ on, age }: TaskStage<R>): void {
  const few = { perClientMax: 3, totalMax: 100 }
  on(
    "the oldest of a client gives way to its newest, and nobody else's does",
    Effect.gen(function* () {
      const another = yield* opened({ client: "198.51.100.1" })
      const own = yield* Effect.replicateEffect(opened(), 5)
      equal(yield* there([another, ...own]), [0, 3, 4, 5])
      const stranger = yield* opened({ client: "203.0.113.1" })
      equal(yield* there([another, ...own, stranger]), [0, 3, 4, 5, 6])
    }),
    few,
  )

  const paid = Effect.flatMap(opened(), (task) => made(task, pay(first)))
  const sold: TaskMove = { event: "complete", subject: null, note: null, messages: [] }
  on(
    "of a client's own goes first what has ended, also in vain with a payment, then what is unpaid, then what was paid",
    Effect.gen(function* () {
      const done = yield* made(yield* paid, sold)
      const unpaid = yield* opened()
      const forged = yield* made(yield* paid, moveOf("fail"))
      const all = [done, unpaid, forged]
      for (const left of [[0, 1, 3], [0, 3, 4]]) {
        all.push(yield* paid)
        equal(yield* there(all), left)
      }
      all.push(yield* paid)
      equal(yield* there(all), [3, 4, 5], "what is being paid for stays")
    }),
    few,
  )

  on(
    "a client all of whose tasks are being paid for opens no more, and another does",
    Effect.gen(function* () {
      const { open, find } = yield* TaskStore
      const held = yield* Effect.replicateEffect(paid, 3)
      const full = yield* Effect.flip(open(newTask()))
      equal(full, new TasksFull({ whose: "client" }))
      const stranger = yield* opened({ client: "203.0.113.1" })
      equal(yield* there([...held, stranger]), [0, 1, 2, 3])
      const [task] = held
      if (task !== undefined) yield* made(task, moveOf("release"))
      const late = yield* opened()
      equal(yield* there([...held, late]), [1, 2, 3])
      strictEqual(Option.isSome(yield* find(late.id)), true)
    }),
    few,
  )

  on(
    "what stands as being paid for longer than a task lives gives way as well",
    Effect.gen(function* () {
      const shownLong = Effect.flatMap(
        opened(),
        (task) => made(task, pay(first, Duration.hours(1))),
      )
      const held = yield* Effect.replicateEffect(shownLong, 3)
      yield* age(Duration.subtract(life, Duration.seconds(30)))
      const store = yield* TaskStore
      equal((yield* Effect.flip(store.open(newTask()))).whose, "client")
      yield* age(Duration.seconds(30))
      equal(yield* there(held), [0, 1, 2])
      const late = yield* opened()
      equal(yield* there([...held, late]), [1, 2, 3])
    }),
    few,
  )

  on(
    "what has stood so for long gives way before what is being paid for now, the older of two",
    Effect.gen(function* () {
      const fresh = yield* opened({ life: Duration.hours(1) })
      const shownLong = Effect.flatMap(
        opened(),
        (task) => made(task, pay(first, Duration.hours(1))),
      )
      const stale = yield* Effect.replicateEffect(shownLong, 2)
      yield* age(life)
      yield* made(fresh, pay(first))
      const late = yield* opened()
      equal(yield* there([fresh, ...stale, late]), [0, 2, 3])
    }),
    few,
  )

  on(
    "one client who forges payments, or leaves them, closes nothing to another",
    Effect.gen(function* () {
      const { open } = yield* TaskStore
      for (let n = 0; n < 30; n++) {
        const task = yield* Effect.result(open(newTask()))
        if (task._tag === "Failure") continue
        const bound = yield* made(task.success, pay(first, Duration.hours(1)))
        if (n % 2 === 0) yield* made(bound, moveOf("fail"))
      }
      for (let n = 0; n < 4; n++) yield* opened({ client: `198.51.100.${n}` })
    }),
    { perClientMax: 3, totalMax: 6 },
  )

  const small = { perClientMax: 100, totalMax: 4 }
  const guest = (n: number) => opened({ client: `192.0.2.${n}` })
  on(
    "where there is no more room the oldest without a payment gives way, whoever's it is",
    Effect.gen(function* () {
      const paid = yield* Effect.flatMap(guest(0), (task) => made(task, pay(first)))
      const tasks = [paid, ...yield* Effect.forEach([1, 2, 3], guest)]
      equal(yield* there(tasks), [0, 1, 2, 3])
      for (const left of [[0, 2, 3, 4], [0, 3, 4, 5]]) {
        tasks.push(yield* guest(tasks.length))
        equal(yield* there(tasks), left)
      }
    }),
    small,
  )

  on(
    "where there is no more room what has ended gives way before older offers",
    Effect.gen(function* () {
      const offers = yield* Effect.forEach([1, 2], guest)
      const ended = yield* made(yield* guest(3), moveOf("cancel"))
      const forged = yield* made(yield* made(yield* guest(4), pay(first)), moveOf("fail"))
      const tasks = [...offers, ended, forged]
      for (const left of [[0, 1, 3, 4], [0, 1, 4, 5], [1, 4, 5, 6]]) {
        tasks.push(yield* guest(tasks.length + 1))
        equal(yield* there(tasks), left)
      }
    }),
    small,
  )

  on(
    "where everything is being paid for nothing is opened, until some of it is over",
    Effect.gen(function* () {
      const store = yield* TaskStore
      const lives = [5, 9, 9, 9].map((minutes) => Duration.minutes(minutes))
      const paid = yield* Effect.forEach(lives, (each, n) =>
        Effect.flatMap(
          opened({ client: `192.0.2.${n}`, life: each }),
          (task) => made(task, pay(first, Duration.zero)),
        ))
      for (let n = 0; n < 3; n++) {
        const full = yield* Effect.flip(store.open(newTask({ client: "192.0.2.9" })))
        strictEqual(full.whose, "all")
      }
      equal(yield* there(paid), [0, 1, 2, 3])
      yield* age(Duration.minutes(5))
      const late = yield* guest(9)
      equal(yield* there([...paid, late]), [1, 2, 3, 4])
    }),
    small,
  )

  on(
    "what is over takes nobody's place",
    Effect.gen(function* () {
      const old = yield* Effect.replicateEffect(opened(), 4)
      yield* age(life)
      const young = yield* Effect.replicateEffect(opened(), 4)
      equal(yield* there([...old, ...young]), [4, 5, 6, 7])
    }),
    small,
  )

  on(
    "of many who open at once none is refused that has room, and there are never too many",
    Effect.gen(function* () {
      const tasks = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => n),
        guest,
        { concurrency: "unbounded" },
      )
      strictEqual(new Set(tasks.map(({ id }) => id)).size, 40)
      yield* guest(99)
      ok((yield* there(tasks)).length <= small.totalMax)
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

export function wordLaws<R>({ on }: TaskStage<R>): void {
  on(
    "whatever a client says is given back as it was said",
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
    "the newest messages are kept, and a word in the place of one that is too large",
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
      const moved = yield* made(task, {
        event: "pay",
        paymentId: first,
        life,
        note: null,
        messages: large,
      })
      equal(moved.history.slice(0, -3), long.slice(6))
      equal(moved.history.slice(-3).map(({ role }) => role), ["user", "user", "agent"])
      for (const { messageId, parts } of moved.history.slice(-3)) {
        ok(messageId.length <= 256)
        equal(parts, [{ kind: "text", text: "This was too large to be stored." }])
      }
    }),
  )

  on(
    "a note is kept up to its most, and what is larger leaves a word in its place",
    Effect.gen(function* () {
      const { find } = yield* TaskStore
      const empty = JSON.stringify(noted("")).length
      const most = { ...noted(""), data: { a: "ü".repeat(noteJsonMax - empty - 4) } }
      strictEqual(JSON.stringify(most).length, noteJsonMax)
      const task = yield* opened({ note: most })
      equal(Option.getOrThrow(yield* find(task.id)).note, most)
      const over = { ...most, text: "x" }
      const short = { text: "This was too large to be stored.", data: null, metadata: {} }
      equal((yield* opened({ note: over })).note, short)
      const failed = yield* made(task, { event: "fail", subject: null, note: over, messages: [] })
      equal(failed.note, short)
    }),
  )
}

/** JSON that is nested deeper than a writer of JSON goes. */
function deep(levels: number): TaskMessage["parts"][number] {
  return JSON.parse('{"a":'.repeat(levels) + "1" + "}".repeat(levels))
}
