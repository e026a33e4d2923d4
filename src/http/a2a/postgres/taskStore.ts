/**
 * A2A tasks in PostgreSQL, on the database's clock.
 *
 * Each move is one compare-and-set on the version of one row. Opening a task makes room for it in the
 * same statement: expired tasks go, and of the client's own those that rank lowest. All tasks are
 * counted once for many that are opened. The rows to delete are selected once, into an array: a plan may
 * run a subquery again for each row, and get the next ones. Expiry is compared with the time of the
 * statement, which an index can be searched for; with the running clock every row would be read.
 *
 * @module
 */
import { Duration, Effect, Layer, Option, Semaphore } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { PaymentId } from "../../../payments/domain/payment.ts"
import {
  boundedNote,
  evictionOrder,
  extendHistory,
  type Task,
  type TaskId,
  taskLife,
  type TaskState,
} from "../domain/task.ts"
import {
  afterMove,
  defaultTaskLimits,
  lifeAfter,
  type NewTask,
  type TaskLimits,
  type TaskMove,
  TasksFull,
  TaskStore,
} from "../TaskStore.ts"

/** Rows whose life is over that go when a task is opened: many more than come. */
const sweptWithOne = 50
/** Tasks that are opened between two counts of all: this part of the most there may be. */
const uncountedPart = 200

export const layer = (
  limits: TaskLimits = defaultTaskLimits,
): Layer.Layer<TaskStore, never, SqlClient> =>
  Layer.effect(
    TaskStore,
    Effect.map(SqlClient, (sql) =>
      TaskStore.of({
        open: open(sql, limits),
        find: find(sql),
        move: move(sql),
        prune: prune(sql),
      })),
  )

const columns = "id, client, context_id, state, skill, parameters, payment_id, note, history, " +
  "version, moved_at"

interface Row {
  readonly id: TaskId
  readonly client: string
  readonly context_id: string
  readonly state: TaskState
  readonly skill: string | null
  readonly parameters: string | null
  readonly payment_id: PaymentId | null
  readonly note: string | null
  readonly history: string
  readonly version: number
  readonly moved_at: Date
}

function taskOf(row: Row): Task {
  const { id, client, state, skill, version } = row
  return {
    ...{ id, client, state, version, contextId: JSON.parse(row.context_id) },
    subject: skill === null || row.parameters === null
      ? null
      : { skill, parameters: JSON.parse(row.parameters) },
    paymentId: row.payment_id,
    note: row.note === null ? null : JSON.parse(row.note),
    history: JSON.parse(row.history),
    movedAt: row.moved_at.getTime(),
  }
}

/** As it is written: words as JSON, which escapes what a text column refuses. */
const written = ({ subject, note, history }: Pick<Task, "subject" | "note" | "history">) => ({
  skill: subject?.skill ?? null,
  parameters: subject === null ? null : JSON.stringify(subject.parameters),
  note: note === null ? null : JSON.stringify(note),
  history: JSON.stringify(history),
})

const milliseconds = (sql: SqlClient, duration: Duration.Duration) =>
  sql`${Duration.toMillis(duration)} * interval '1 millisecond'`

/** Which tasks may be evicted: also one that has stood as being paid for longer than a task lives. */
const givesWay = (sql: SqlClient) =>
  sql`(eviction_order < ${evictionOrder.paying}
    OR moved_at <= statement_timestamp() - ${milliseconds(sql, taskLife)})`

const open = (sql: SqlClient, limits: TaskLimits) => {
  const room = makeRoom(sql, limits)
  return Effect.fn("TaskStore.open")(function* (task: NewTask) {
    yield* room
    const { subject, client } = task
    const words = written({
      subject,
      note: boundedNote(task.note),
      history: extendHistory([], task.history),
    })
    const [row] = yield* Effect.orDie(sql<Row>`
      WITH over AS (
        DELETE FROM a2a_task WHERE id = ANY(ARRAY(
          SELECT id FROM a2a_task WHERE expires_at <= statement_timestamp()
          ORDER BY expires_at LIMIT ${sweptWithOne} FOR UPDATE SKIP LOCKED))
      ), crowding AS (
        DELETE FROM a2a_task WHERE ${givesWay(sql)} AND id = ANY(ARRAY(
          SELECT id FROM a2a_task WHERE ${givesWay(sql)} AND id = ANY(ARRAY(
            SELECT id FROM a2a_task WHERE client = ${client} AND expires_at > statement_timestamp()
            ORDER BY ${givesWay(sql)}, eviction_order DESC, sequence_number DESC
            OFFSET ${limits.perClientMax - 1}))
          FOR UPDATE SKIP LOCKED))
      )
      INSERT INTO a2a_task
        (id, client, context_id, state, skill, parameters, note, history, expires_at)
      SELECT ${task.id}, ${client}, ${JSON.stringify(task.contextId)}, ${task.state},
        ${words.skill}, ${words.parameters}, ${words.note}, ${words.history},
        clock_timestamp() + ${milliseconds(sql, task.life)}
      WHERE ${limits.perClientMax} > (
        SELECT count(*) FROM a2a_task WHERE client = ${client}
          AND expires_at > statement_timestamp() AND NOT ${givesWay(sql)})
      RETURNING ${sql.literal(columns)}`)
    if (row === undefined) return yield* new TasksFull({ whose: "client" })
    return taskOf(row)
  })
}

/** Lets one task be opened; counts them all when what the last count left room for is used up. */
const makeRoom = (sql: SqlClient, { totalMax }: TaskLimits) => {
  const batch = Math.max(1, Math.floor(totalMax / uncountedPart))
  const counting = Semaphore.makeUnsafe(1)
  let room = 0

  const counted = Effect.gen(function* () {
    const [all] = yield* sql<{ live: bigint }>`
      SELECT count(*) AS live FROM a2a_task WHERE expires_at > statement_timestamp()`
    const free = totalMax - Number(all?.live ?? 0n)
    const gone = free >= batch ? [] : yield* sql`
      DELETE FROM a2a_task WHERE ${givesWay(sql)} AND id = ANY(ARRAY(
        SELECT id FROM a2a_task WHERE ${givesWay(sql)} AND expires_at > statement_timestamp()
        ORDER BY eviction_order, sequence_number LIMIT ${batch - free} FOR UPDATE SKIP LOCKED))
      RETURNING 1`
    return Math.min(batch, free + gone.length)
  }).pipe(Effect.orDie)

  const taken = Effect.suspend(() => {
    if (room <= 0) return Effect.fail(new TasksFull({ whose: "all" }))
    room -= 1
    return Effect.void
  })
  /** One caller counts; those who wait for it find room, or count again. */
  const recounted = counting.withPermits(1)(
    Effect.suspend(() =>
      room > 0 ? taken : Effect.flatMap(counted, (left) => {
        room = left
        return taken
      })
    ),
  )
  return Effect.suspend(() => room > 0 ? taken : recounted)
}

const find = (sql: SqlClient) =>
  Effect.fn("TaskStore.find")(function* (id: TaskId) {
    const [row] = yield* sql<Row>`
      SELECT ${sql.literal(columns)} FROM a2a_task
      WHERE id = ${id} AND expires_at > statement_timestamp()`
    return Option.map(Option.fromNullishOr(row), taskOf)
  }, Effect.orDie)

const move = (sql: SqlClient) =>
  Effect.fn("TaskStore.move")(function* (task: Task, move: TaskMove) {
    const after = afterMove(task, move)
    if (Option.isNone(after)) return Option.none<Task>()
    const { state, paymentId, version } = after.value
    const words = written(after.value)
    const { atLeast = Duration.zero, atMost } = lifeAfter(task, move)
    const atTheLatest = atMost === undefined
      ? sql`'infinity'`
      : sql`clock_timestamp() + ${milliseconds(sql, atMost)}`
    const [row] = yield* sql<Row>`
      UPDATE a2a_task SET state = ${state}, payment_id = ${paymentId}, version = ${version},
        skill = ${words.skill}, parameters = ${words.parameters}, note = ${words.note},
        history = ${words.history}, moved_at = clock_timestamp(),
        expires_at = least(${atTheLatest},
          greatest(expires_at, clock_timestamp() + ${milliseconds(sql, atLeast)}))
      WHERE id = ${task.id} AND version = ${task.version} AND expires_at > statement_timestamp()
      RETURNING ${sql.literal(columns)}`
    return Option.map(Option.fromNullishOr(row), taskOf)
  }, Effect.orDie)

const prune = (sql: SqlClient): Effect.Effect<number> =>
  sql<{ gone: bigint }>`
    WITH gone AS (
      DELETE FROM a2a_task WHERE expires_at <= statement_timestamp() RETURNING 1
    )
    SELECT count(*) AS gone FROM gone`.pipe(
    Effect.map(([row]) => Number(row?.gone ?? 0n)),
    Effect.orDie,
  )
