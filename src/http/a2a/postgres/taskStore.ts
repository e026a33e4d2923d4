/**
 * A2A tasks in PostgreSQL, on the database's clock.
 *
 * Each move is one compare-and-set on the version of one row. Opening a task also deletes expired
 * tasks and the client's own tasks of the lowest rank, in the same statement. All tasks are counted
 * only once per batch of opened tasks. The rows to delete are selected once into an array, because
 * a plan may run a subquery again for each row and then select other rows. Expiry is compared with
 * statement_timestamp(), which can use an index; clock_timestamp() would read every row.
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

/** Expired rows deleted per opened task. */
const expiredPerOpenMax = 50
/** All tasks are counted again after `totalMax / recountDivisor` opened tasks. */
const recountDivisor = 200

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
    id,
    client,
    state,
    version,
    contextId: JSON.parse(row.context_id),
    subject: skill === null || row.parameters === null
      ? null
      : { skill, parameters: JSON.parse(row.parameters) },
    paymentId: row.payment_id,
    note: row.note === null ? null : JSON.parse(row.note),
    history: JSON.parse(row.history),
    movedAt: row.moved_at.getTime(),
  }
}

/**
 * The column values. Text is stored as JSON, which escapes characters that a text column refuses.
 */
const columnsOf = ({ subject, note, history }: Pick<Task, "subject" | "note" | "history">) => ({
  skill: subject?.skill ?? null,
  parameters: subject === null ? null : JSON.stringify(subject.parameters),
  note: note === null ? null : JSON.stringify(note),
  history: JSON.stringify(history),
})

const milliseconds = (sql: SqlClient, duration: Duration.Duration) =>
  sql`${Duration.toMillis(duration)} * interval '1 millisecond'`

/**
 * The tasks that may be evicted, including those in state `paying` for longer than a task's life.
 */
const isEvictable = (sql: SqlClient) =>
  sql`(eviction_order < ${evictionOrder.paying}
    OR moved_at <= statement_timestamp() - ${milliseconds(sql, taskLife)})`

const open = (sql: SqlClient, limits: TaskLimits) => {
  const room = makeRoom(sql, limits)
  return Effect.fn("TaskStore.open")(function* (task: NewTask) {
    yield* room
    const { subject, client } = task
    const values = columnsOf({
      subject,
      note: boundedNote(task.note),
      history: extendHistory([], task.history),
    })
    const [row] = yield* Effect.orDie(sql<Row>`
      WITH expired AS (
        DELETE FROM a2a_task WHERE id = ANY(ARRAY(
          SELECT id FROM a2a_task WHERE expires_at <= statement_timestamp()
          ORDER BY expires_at LIMIT ${expiredPerOpenMax} FOR UPDATE SKIP LOCKED))
      ), evicted AS (
        DELETE FROM a2a_task WHERE ${isEvictable(sql)} AND id = ANY(ARRAY(
          SELECT id FROM a2a_task WHERE ${isEvictable(sql)} AND id = ANY(ARRAY(
            SELECT id FROM a2a_task WHERE client = ${client} AND expires_at > statement_timestamp()
            ORDER BY ${isEvictable(sql)}, eviction_order DESC, sequence_number DESC
            OFFSET ${limits.perClientMax - 1}))
          FOR UPDATE SKIP LOCKED))
      )
      INSERT INTO a2a_task
        (id, client, context_id, state, skill, parameters, note, history, expires_at)
      SELECT ${task.id}, ${client}, ${JSON.stringify(task.contextId)}, ${task.state},
        ${values.skill}, ${values.parameters}, ${values.note}, ${values.history},
        clock_timestamp() + ${milliseconds(sql, task.life)}
      WHERE ${limits.perClientMax} > (
        SELECT count(*) FROM a2a_task WHERE client = ${client}
          AND expires_at > statement_timestamp() AND NOT ${isEvictable(sql)})
      RETURNING ${sql.literal(columns)}`)
    if (row === undefined) return yield* new TasksFull({ whose: "client" })
    return taskOf(row)
  })
}

/** Reserves room for one task. When the room found by the last count is used up, counts again. */
const makeRoom = (sql: SqlClient, { totalMax }: TaskLimits) => {
  const batch = Math.max(1, Math.floor(totalMax / recountDivisor))
  const counting = Semaphore.makeUnsafe(1)
  let room = 0

  const countRoom = Effect.gen(function* () {
    const [all] = yield* sql<{ live: bigint }>`
      SELECT count(*) AS live FROM a2a_task WHERE expires_at > statement_timestamp()`
    const free = totalMax - Number(all?.live ?? 0n)
    const evicted = free >= batch ? [] : yield* sql`
      DELETE FROM a2a_task WHERE ${isEvictable(sql)} AND id = ANY(ARRAY(
        SELECT id FROM a2a_task WHERE ${isEvictable(sql)} AND expires_at > statement_timestamp()
        ORDER BY eviction_order, sequence_number LIMIT ${batch - free} FOR UPDATE SKIP LOCKED))
      RETURNING 1`
    return Math.min(batch, free + evicted.length)
  }).pipe(Effect.orDie)

  const takeRoom = Effect.suspend(() => {
    if (room <= 0) return Effect.fail(new TasksFull({ whose: "all" }))
    room -= 1
    return Effect.void
  })
  /** One caller counts at a time; the callers that wait find room, or count again. */
  const recount = counting.withPermits(1)(
    Effect.suspend(() =>
      room > 0 ? takeRoom : Effect.flatMap(countRoom, (left) => {
        room = left
        return takeRoom
      })
    ),
  )
  return Effect.suspend(() => room > 0 ? takeRoom : recount)
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
    const values = columnsOf(after.value)
    const { atLeast = Duration.zero, atMost } = lifeAfter(task, move)
    const latestExpiry = atMost === undefined
      ? sql`'infinity'`
      : sql`clock_timestamp() + ${milliseconds(sql, atMost)}`
    const [row] = yield* sql<Row>`
      UPDATE a2a_task SET state = ${state}, payment_id = ${paymentId}, version = ${version},
        skill = ${values.skill}, parameters = ${values.parameters}, note = ${values.note},
        history = ${values.history}, moved_at = clock_timestamp(),
        expires_at = least(${latestExpiry},
          greatest(expires_at, clock_timestamp() + ${milliseconds(sql, atLeast)}))
      WHERE id = ${task.id} AND version = ${task.version} AND expires_at > statement_timestamp()
      RETURNING ${sql.literal(columns)}`
    return Option.map(Option.fromNullishOr(row), taskOf)
  }, Effect.orDie)

const prune = (sql: SqlClient): Effect.Effect<number> =>
  sql<{ count: bigint }>`
    WITH deleted AS (
      DELETE FROM a2a_task WHERE expires_at <= statement_timestamp() RETURNING 1
    )
    SELECT count(*) AS count FROM deleted`.pipe(
    Effect.map(([row]) => Number(row?.count ?? 0n)),
    Effect.orDie,
  )
