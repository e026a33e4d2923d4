/**
 * Group commit: every command has its own outcome, and the commands of a row run in order.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Cause, Deferred, Effect, Exit, Fiber, Option } from "effect"
import { ConnectionError, ConstraintError, SqlError } from "effect/sql/SqlError"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { groupCommit } from "../../src/postgres/groupCommit.ts"
import { onEveryStore } from "../support/stores.ts"

const refusedError = new SqlError({ reason: new ConstraintError({ cause: "refused" }) })
const lostError = new SqlError({ reason: new ConnectionError({ cause: "lost" }) })

/** A command: appends a word to a row. */
interface Append {
  readonly row: string
  readonly word: string
}

const append = (row: string, word = row): Append => ({ row, word })

/**
 * A table that stores every word of a row. `hold(n)` blocks the n-th statement until `open(n)`. The
 * word `poison` is refused, `lost` loses the connection, `nothing` changes nothing.
 */
const table = Effect.gen(function* () {
  const statements: Array<ReadonlyArray<string>> = []
  const rows = new Map<string, ReadonlyArray<string>>()
  const gates = new Map<number, Deferred.Deferred<void>>()
  const started = new Map<number, Deferred.Deferred<void>>()
  const latch = (latches: Map<number, Deferred.Deferred<void>>, n: number) => {
    const known = latches.get(n) ?? Deferred.makeUnsafe<void>()
    latches.set(n, known)
    return known
  }
  const run = yield* groupCommit<Append, ReadonlyArray<string>>({
    rowOf: ({ row }) => row,
    runBatch: Effect.fnUntraced(function* (commands) {
      const n = statements.push(commands.map(({ word }) => word)) - 1
      yield* Deferred.succeed(latch(started, n), undefined)
      const gate = gates.get(n)
      if (gate !== undefined) yield* Deferred.await(gate)
      if (commands.some(({ word }) => word === "lost")) return yield* lostError
      if (commands.some(({ word }) => word === "poison")) return yield* refusedError
      const changed = commands.filter(({ word }) => word !== "nothing")
      for (const { row, word } of changed) rows.set(row, [...rows.get(row) ?? [], word])
      return new Map(changed.map(({ row }) => [row, rows.get(row) ?? []]))
    }),
  })
  return {
    run,
    statements,
    rows,
    hold: (n: number) => Effect.sync(() => latch(gates, n)),
    open: (n: number) => Deferred.succeed(latch(gates, n), undefined),
    started: (n: number) => Deferred.await(latch(started, n)),
  }
})

/** Starts `commands` while the first statement is blocked, then unblocks it. */
const whileBusy = Effect.fnUntraced(function* (
  { run, hold, started, open }: Effect.Success<typeof table>,
  commands: ReadonlyArray<Append>,
) {
  yield* hold(0)
  const first = yield* Effect.forkChild(run(append("first")))
  yield* started(0)
  const rest = yield* Effect.forEach(
    commands,
    (command) => Effect.forkChild(Effect.exit(run(command)), { startImmediately: true }),
  )
  yield* open(0)
  yield* Fiber.join(first)
  return yield* Effect.forEach(rest, Fiber.join)
})

onEveryStore("groupCommit()", (law) => {
  law(
    "runs a single command at once, and batches the commands that arrive meanwhile",
    Effect.gen(function* () {
      const busy = yield* table
      const words = ["a", "b", "c"]
      const exits = yield* whileBusy(busy, words.map((word) => append(word)))
      equal(busy.statements, [["first"], words])
      equal(exits, words.map((word) => Exit.succeed(Option.some([word]))))
    }),
  )

  law(
    "batches at most 64 commands",
    Effect.gen(function* () {
      const { run, statements } = yield* table
      const words = Array.from({ length: 200 }, (_, n) => `${n}`)
      yield* Effect.forEach(words, (word) => run(append(word)), { concurrency: "unbounded" })
      ok(statements.every(({ length }) => length <= 64))
      equal(statements.flat().sort(), words.sort())
    }),
  )

  law(
    "runs the commands of one row in order, each in its own statement",
    Effect.gen(function* () {
      const busy = yield* table
      const commands = [append("x", "1"), append("y"), append("x", "2"), append("x", "3")]
      const exits = yield* whileBusy(busy, commands)
      equal(busy.statements, [["first"], ["1", "y"], ["2"], ["3"]])
      equal(
        exits,
        [["1"], ["y"], ["1", "2"], ["1", "2", "3"]].map((row) => Exit.succeed(Option.some(row))),
      )
    }),
  )

  law(
    "returns none for a command that changed nothing, and its result for every other one",
    Effect.gen(function* () {
      const busy = yield* table
      const exits = yield* whileBusy(busy, [append("a"), append("b", "nothing"), append("c")])
      equal(exits, [
        Exit.succeed(Option.some(["a"])),
        Exit.succeed(Option.none()),
        Exit.succeed(Option.some(["c"])),
      ])
    }),
  )

  law(
    "retries a refused statement command by command, so that only the refused command fails",
    Effect.gen(function* () {
      const busy = yield* table
      const exits = yield* whileBusy(busy, [append("a"), append("b", "poison"), append("c")])
      equal(exits, [
        Exit.succeed(Option.some(["a"])),
        Exit.fail(refusedError),
        Exit.succeed(Option.some(["c"])),
      ])
      equal(busy.statements.slice(2).flat().sort(), ["a", "c", "poison"])
    }),
  )

  law(
    "does not retry a statement with an unknown outcome",
    Effect.gen(function* () {
      const busy = yield* table
      const exits = yield* whileBusy(busy, [append("a"), append("b", "lost")])
      equal(exits, [Exit.fail(lostError), Exit.fail(lostError)])
      equal(busy.statements, [["first"], ["a", "lost"]])
    }),
  )

  law(
    "cancels an interrupted command whose statement has not started, and no other",
    Effect.gen(function* () {
      const { run, hold, open, started, statements, rows } = yield* table
      yield* hold(0)
      const first = yield* Effect.forkChild(run(append("first")))
      yield* started(0)
      const [a, b] = yield* Effect.forEach(
        ["a", "b"],
        (word) => Effect.forkChild(run(append(word)), { startImmediately: true }),
      )
      if (a === undefined || b === undefined) return
      yield* Fiber.interrupt(a)
      yield* Fiber.interrupt(first)
      yield* open(0)
      equal(yield* Fiber.join(b), Option.some(["b"]))
      equal(statements, [["first"], ["b"]])
      equal(rows.get("first"), ["first"])
    }),
  )

  law(
    "delays a command for at most 200 ms behind a statement that does not end",
    Effect.gen(function* () {
      const { run, hold, started, statements } = yield* table
      yield* hold(0)
      yield* Effect.forkChild(run(append("first")))
      yield* started(0)
      const next = yield* Effect.forkChild(run(append("a")))
      yield* TestClock.adjust("199 millis")
      equal(statements.length, 1)
      yield* TestClock.adjust("1 millis")
      equal(yield* Fiber.join(next), Option.some(["a"]))
    }).pipe(Effect.provide(TestClock.layer())),
  )

  law(
    "never batches commands of a transaction with commands outside it",
    Effect.gen(function* () {
      const { run, statements } = yield* table
      const sql = yield* SqlClient
      const both = (row: string) =>
        Effect.all([run(append(row, "in")), run(append(`${row}'`, "in"))], { concurrency: 2 })
      yield* Effect.all([
        sql.withTransaction(both("a")),
        sql.withTransaction(both("b")),
        run(append("c", "out")),
        run(append("d", "out")),
      ], { concurrency: "unbounded" }).pipe(
        Effect.catchCause((cause) => Effect.die(Cause.pretty(cause))),
      )
      equal(statements.map((words) => new Set(words).size), statements.map(() => 1))
    }),
  )
})
