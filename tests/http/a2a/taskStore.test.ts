/**
 * The memories of A2A tasks keep the laws: in memory, and on every store; and a store refuses rows that
 * no task can be.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Duration, Effect, Exit } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { layer } from "../../../src/http/a2a/postgres/taskStore.ts"
import { test } from "../../support/effect.ts"
import { memoryTaskStore } from "../../support/http/memoryTasks.ts"
import { onEveryStore } from "../../support/stores.ts"
import { boundLaws, wordLaws } from "./taskBounds.laws.ts"
import { first, made, newTask, opened, pay, taskLaws, type TaskStage } from "./taskStore.laws.ts"

function laws<R>(stage: TaskStage<R>): void {
  for (const state of [taskLaws, boundLaws, wordLaws]) state(stage)
}

laws({
  on: (name, body, limits) =>
    test(`TaskStore in memory: ${name}`, () => Effect.provide(body, memoryTaskStore(limits))),
  age: TestClock.adjust,
})

/** On the database's clock nothing waits: the rows are made older instead. */
const age = (by: Duration.Duration) =>
  Effect.flatMap(SqlClient, (sql) => {
    const ago = sql`${Duration.toMillis(by)} * interval '1 millisecond'`
    return sql`UPDATE a2a_task SET opened_at = opened_at - ${ago}, moved_at = moved_at - ${ago},
      expires_at = expires_at - ${ago}`
  }).pipe(Effect.asVoid, Effect.orDie)

onEveryStore("TaskStore", (law) => {
  laws<SqlClient>({
    on: (name, body, limits) => law(name, Effect.provide(body, layer(limits))),
    age,
  })

  law(
    "what is over goes with what comes, also if nobody asks for it to go",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Effect.replicateEffect(opened({ life: Duration.zero }), 9)
      yield* opened()
      const rows = yield* sql<{ count: bigint }>`SELECT count(*) AS count FROM a2a_task`
      equal(rows, [{ count: 1n }])
    }).pipe(Effect.provide(layer())),
  )

  law(
    "a row that no task can be has no spelling",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const id = `0x${"1".repeat(64)}`
      const wrong: ReadonlyArray<string> = [
        ...["state = 'working'", "state = 'asked'", "skill = NULL", "parameters = NULL"],
        ...["state = 'paying'", `state = 'canceled', payment_id = '${id}'`, "history = NULL"],
        ...[`state = 'declined', payment_id = '${id}'`, `payment_id = '${id}'`, "version = 0"],
        ...["state = 'completed', payment_id = '0x1'", "expires_at = 'infinity'"],
        ...[`state = 'failed', skill = NULL, parameters = NULL, payment_id = '${id}'`],
        ...["state = 'declined', skill = NULL, parameters = NULL", "moved_at = '-infinity'"],
        ...["context_id = repeat('x', 2049)", "parameters = repeat('x', 4097)"],
        ...["note = repeat('x', 262145)", "history = repeat('x', 65537)"],
        ...["client = repeat('x', 257)", "skill = repeat('x', 65)"],
      ]
      yield* opened()
      for (const fields of wrong) {
        const exit = yield* Effect.exit(sql.unsafe(`UPDATE a2a_task SET ${fields}`))
        ok(Exit.isFailure(exit), fields)
      }
      yield* sql.unsafe(`UPDATE a2a_task SET state = 'paying', payment_id = '${id}'`)
    }).pipe(Effect.provide(layer())),
  )

  law(
    "a clock that is set back stops no task",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const task = yield* opened()
      yield* sql`UPDATE a2a_task SET opened_at = opened_at + interval '1 hour',
        moved_at = moved_at + interval '1 hour'`
      const after = yield* made(task, pay(first))
      equal(after.state, "paying")
    }).pipe(Effect.provide(layer())),
  )

  law(
    "where there is no more room, no more give way to many at once than come",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`
        INSERT INTO a2a_task (id, client, context_id, state, history, expires_at)
        SELECT gen_random_uuid(), n::text, '""', 'asked', '[]', now() + interval '1 hour'
        FROM generate_series(1, 2000) AS n`
      yield* Effect.forEach(Array.from({ length: 10 }), () => opened(), {
        concurrency: "unbounded",
      })
      const rows = yield* sql<{ count: bigint }>`SELECT count(*) AS count FROM a2a_task`
      equal(rows, [{ count: 2_000n }])
    }).pipe(Effect.provide(layer({ perClientMax: 100, totalMax: 2_000 }))),
  )

  law(
    "a client that opens many at once keeps no more than its own, once it opens another",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Effect.forEach(Array.from({ length: 60 }), () => opened(), {
        concurrency: "unbounded",
      })
      yield* opened(newTask())
      const rows = yield* sql<{ count: bigint }>`SELECT count(*) AS count FROM a2a_task`
      equal(rows, [{ count: 5n }])
    }).pipe(Effect.provide(layer({ perClientMax: 5, totalMax: 20_000 }))),
  )
})
