/**
 * The laws of TaskStore in memory and on every database; and the database refuses impossible rows.
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
import { boundLaws, contentLaws } from "./taskBounds.laws.ts"
import { first, moved, newTask, opened, pay, taskLaws, type TaskStage } from "./taskStore.laws.ts"

function laws<R>(stage: TaskStage<R>): void {
  for (const register of [taskLaws, boundLaws, contentLaws]) register(stage)
}

laws({
  on: (name, body, limits) =>
    test(`TaskStore in memory: ${name}`, () => Effect.provide(body, memoryTaskStore(limits))),
  age: TestClock.adjust,
})

/** A test cannot advance the database's clock, so it makes the rows older. */
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
    "an insert deletes expired tasks, without a call of prune",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* Effect.replicateEffect(opened({ life: Duration.zero }), 9)
      yield* opened()
      const rows = yield* sql<{ count: bigint }>`SELECT count(*) AS count FROM a2a_task`
      equal(rows, [{ count: 1n }])
    }).pipe(Effect.provide(layer())),
  )

  law(
    "the table refuses impossible rows",
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
    "a task moves on after the database's clock is set back",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const task = yield* opened()
      yield* sql`UPDATE a2a_task SET opened_at = opened_at + interval '1 hour',
        moved_at = moved_at + interval '1 hour'`
      const after = yield* moved(task, pay(first))
      equal(after.state, "paying")
    }).pipe(Effect.provide(layer())),
  )

  law(
    "ten simultaneous inserts into a full table evict ten tasks",
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
    "after simultaneous inserts of one client, its next insert restores its limit",
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
