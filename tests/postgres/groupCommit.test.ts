/**
 * What sharing a statement must never change: each command's own outcome, and the order of a row.
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

const refused = new SqlError({ reason: new ConstraintError({ cause: "refused" }) })
const lost = new SqlError({ reason: new ConnectionError({ cause: "lost" }) })

/** A command: what it says, of a row. */
interface Said {
  readonly row: string
  readonly word: string
}

const said = (row: string, word = row): Said => ({ row, word })

/**
 * A table that keeps every word said of a row, behind statements that can be held up: the n-th waits
 * until `open(n)`. A word `poison` is refused, `lost` loses the connection, `nothing` changes nothing.
 */
const table = Effect.gen(function* () {
  const statements: Array<ReadonlyArray<string>> = []
  const rows = new Map<string, ReadonlyArray<string>>()
  const held = new Map<number, Deferred.Deferred<void>>()
  const began = new Map<number, Deferred.Deferred<void>>()
  const latch = (latches: Map<number, Deferred.Deferred<void>>, n: number) => {
    const known = latches.get(n) ?? Deferred.makeUnsafe<void>()
    latches.set(n, known)
    return known
  }
  const say = yield* groupCommit<Said, ReadonlyArray<string>>({
    rowOf: ({ row }) => row,
    together: Effect.fnUntraced(function* (commands) {
      const n = statements.push(commands.map(({ word }) => word)) - 1
      yield* Deferred.succeed(latch(began, n), undefined)
      const gate = held.get(n)
      if (gate !== undefined) yield* Deferred.await(gate)
      if (commands.some(({ word }) => word === "lost")) return yield* lost
      if (commands.some(({ word }) => word === "poison")) return yield* refused
      const changed = commands.filter(({ word }) => word !== "nothing")
      for (const { row, word } of changed) rows.set(row, [...rows.get(row) ?? [], word])
      return new Map(changed.map(({ row }) => [row, rows.get(row) ?? []]))
    }),
  })
  return {
    say,
    statements,
    rows,
    hold: (n: number) => Effect.sync(() => latch(held, n)),
    open: (n: number) => Deferred.succeed(latch(held, n), undefined),
    began: (n: number) => Deferred.await(latch(began, n)),
  }
})

/** Starts `commands` while the first statement is held up by another one, then lets it go. */
const whileBusy = Effect.fnUntraced(function* (
  { say, hold, began, open }: Effect.Success<typeof table>,
  commands: ReadonlyArray<Said>,
) {
  yield* hold(0)
  const first = yield* Effect.forkChild(say(said("first")))
  yield* began(0)
  const rest = yield* Effect.forEach(
    commands,
    (command) => Effect.forkChild(Effect.exit(say(command)), { startImmediately: true }),
  )
  yield* open(0)
  yield* Fiber.join(first)
  return yield* Effect.forEach(rest, Fiber.join)
})

onEveryStore("groupCommit()", (law) => {
  law(
    "starts a lone command at once, and puts those that come meanwhile into one statement",
    Effect.gen(function* () {
      const busy = yield* table
      const words = ["a", "b", "c"]
      const exits = yield* whileBusy(busy, words.map((word) => said(word)))
      equal(busy.statements, [["first"], words])
      equal(exits, words.map((word) => Exit.succeed(Option.some([word]))))
    }),
  )

  law(
    "puts no more than 64 commands into a statement",
    Effect.gen(function* () {
      const { say, statements } = yield* table
      const words = Array.from({ length: 200 }, (_, n) => `${n}`)
      yield* Effect.forEach(words, (word) => say(said(word)), { concurrency: "unbounded" })
      ok(statements.every(({ length }) => length <= 64))
      equal(statements.flat().sort(), words.sort())
    }),
  )

  law(
    "does the commands of one row in their order, each after the one before it",
    Effect.gen(function* () {
      const busy = yield* table
      const commands = [said("x", "1"), said("y"), said("x", "2"), said("x", "3")]
      const exits = yield* whileBusy(busy, commands)
      equal(busy.statements, [["first"], ["1", "y"], ["2"], ["3"]])
      equal(
        exits,
        [["1"], ["y"], ["1", "2"], ["1", "2", "3"]].map((row) => Exit.succeed(Option.some(row))),
      )
    }),
  )

  law(
    "gives none to a command that changed nothing, and their own to its neighbours",
    Effect.gen(function* () {
      const busy = yield* table
      const exits = yield* whileBusy(busy, [said("a"), said("b", "nothing"), said("c")])
      equal(exits, [
        Exit.succeed(Option.some(["a"])),
        Exit.succeed(Option.none()),
        Exit.succeed(Option.some(["c"])),
      ])
    }),
  )

  law(
    "does a refused statement again by its commands, so that the poisoned one alone fails",
    Effect.gen(function* () {
      const busy = yield* table
      const exits = yield* whileBusy(busy, [said("a"), said("b", "poison"), said("c")])
      equal(exits, [
        Exit.succeed(Option.some(["a"])),
        Exit.fail(refused),
        Exit.succeed(Option.some(["c"])),
      ])
      equal(busy.statements.slice(2).flat().sort(), ["a", "c", "poison"])
    }),
  )

  law(
    "does nothing again whose outcome is not known",
    Effect.gen(function* () {
      const busy = yield* table
      const exits = yield* whileBusy(busy, [said("a"), said("b", "lost")])
      equal(exits, [Exit.fail(lost), Exit.fail(lost)])
      equal(busy.statements, [["first"], ["a", "lost"]])
    }),
  )

  law(
    "takes back the command of whoever is interrupted before it is under way, and no other",
    Effect.gen(function* () {
      const { say, hold, open, began, statements, rows } = yield* table
      yield* hold(0)
      const first = yield* Effect.forkChild(say(said("first")))
      yield* began(0)
      const [a, b] = yield* Effect.forEach(
        ["a", "b"],
        (word) => Effect.forkChild(say(said(word)), { startImmediately: true }),
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
    "holds up nobody for long behind a statement that does not end",
    Effect.gen(function* () {
      const { say, hold, began, statements } = yield* table
      yield* hold(0)
      yield* Effect.forkChild(say(said("first")))
      yield* began(0)
      const next = yield* Effect.forkChild(say(said("a")))
      yield* TestClock.adjust("199 millis")
      equal(statements.length, 1)
      yield* TestClock.adjust("1 millis")
      equal(yield* Fiber.join(next), Option.some(["a"]))
    }).pipe(Effect.provide(TestClock.layer())),
  )

  law(
    "never puts what a transaction does into a statement of others",
    Effect.gen(function* () {
      const { say, statements } = yield* table
      const sql = yield* SqlClient
      const both = (row: string) =>
        Effect.all([say(said(row, "in")), say(said(`${row}'`, "in"))], { concurrency: 2 })
      yield* Effect.all([
        sql.withTransaction(both("a")),
        sql.withTransaction(both("b")),
        say(said("c", "out")),
        say(said("d", "out")),
      ], { concurrency: "unbounded" }).pipe(
        Effect.catchCause((cause) => Effect.die(Cause.pretty(cause))),
      )
      equal(statements.map((words) => new Set(words).size), statements.map(() => 1))
    }),
  )
})
