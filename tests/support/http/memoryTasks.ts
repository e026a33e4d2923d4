/**
 * A `TaskStore` in memory, on the Effect clock.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import {
  boundedNote,
  evictionOrder,
  evictionRank,
  extendHistory,
  type Task,
  type TaskId,
  taskLife,
} from "../../../src/http/a2a/domain/task.ts"
import {
  afterMove,
  defaultTaskLimits,
  lifeAfter,
  type TaskLimits,
  TasksFull,
  TaskStore,
} from "../../../src/http/a2a/TaskStore.ts"

interface StoredTask {
  readonly task: Task
  readonly expiresAt: number
}

export function memoryTasks(
  { perClientMax, totalMax }: TaskLimits = defaultTaskLimits,
): TaskStore["Service"] {
  /** In the order of opening. */
  const rows = new Map<TaskId, StoredTask>()

  const live = (now: number) => [...rows.values()].filter(({ expiresAt }) => expiresAt > now)
  const isEvictable = (now: number) => ({ task }: StoredTask) =>
    evictionRank(task) < evictionOrder.paying || task.movedAt + Duration.toMillis(taskLife) <= now
  /** Evicts from `candidates` until at most `countMax` are left; returns how many are left. */
  const evict = (candidates: ReadonlyArray<StoredTask>, countMax: number, now: number) => {
    const evicted = candidates.filter(isEvictable(now))
      .sort((one, other) => evictionRank(one.task) - evictionRank(other.task))
      .slice(0, Math.max(0, candidates.length - countMax))
    for (const { task } of evicted) rows.delete(task.id)
    return candidates.length - evicted.length
  }
  const at = <A>(body: (now: number) => A) => Effect.map(Clock.currentTimeMillis, body)
  const copy = (task: Task): Task => structuredClone(task)

  return TaskStore.of({
    open: Effect.fnUntraced(function* ({ life, ...opened }) {
      const now = yield* Clock.currentTimeMillis
      if (evict(live(now), totalMax - 1, now) >= totalMax) {
        return yield* new TasksFull({ whose: "all" })
      }
      const own = live(now).filter(({ task }) => task.client === opened.client)
      if (evict(own, perClientMax - 1, now) >= perClientMax) {
        return yield* new TasksFull({ whose: "client" })
      }
      const task: Task = copy({
        ...opened,
        ...{ paymentId: null, movedAt: now, version: 1 },
        note: boundedNote(opened.note),
        history: extendHistory([], opened.history),
      })
      rows.set(task.id, { task, expiresAt: now + Duration.toMillis(life) })
      return copy(task)
    }),
    find: (id) =>
      at((now) =>
        Option.map(
          Option.filter(
            Option.fromNullishOr(rows.get(id)),
            ({ expiresAt }) => expiresAt > now,
          ),
          ({ task }) => copy(task),
        )
      ),
    move: (read, move) =>
      at((now) => {
        const stored = rows.get(read.id)
        if (
          stored === undefined || stored.expiresAt <= now || stored.task.version !== read.version
        ) {
          return Option.none()
        }
        return Option.map(afterMove(read, move), (after) => {
          const { atLeast = Duration.zero, atMost = Duration.infinity } = lifeAfter(read, move)
          const task = copy({ ...after, movedAt: now })
          const expiresAt = Math.min(
            now + Duration.toMillis(atMost),
            Math.max(stored.expiresAt, now + Duration.toMillis(atLeast)),
          )
          rows.set(read.id, { task, expiresAt })
          return copy(task)
        })
      }),
    prune: at((now) => {
      const expired = [...rows.values()].filter(({ expiresAt }) => expiresAt <= now)
      for (const { task } of expired) rows.delete(task.id)
      return expired.length
    }),
  })
}

/** The same as a Layer. */
export const memoryTaskStore = (limits?: TaskLimits) =>
  Layer.sync(TaskStore, () => memoryTasks(limits))
