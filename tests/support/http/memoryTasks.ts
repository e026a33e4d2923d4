/**
 * A `TaskStore` in memory, on the Effect clock: what the port says, in a map.
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

interface Kept {
  readonly task: Task
  readonly expiresAt: number
}

export function memoryTasks(
  { perClientMax, totalMax }: TaskLimits = defaultTaskLimits,
): TaskStore["Service"] {
  /** In the order they were opened. */
  const rows = new Map<TaskId, Kept>()

  const live = (now: number) => [...rows.values()].filter(({ expiresAt }) => expiresAt > now)
  const givesWay = (now: number) => ({ task }: Kept) =>
    evictionRank(task) < evictionOrder.paying || task.movedAt + Duration.toMillis(taskLife) <= now
  /** Of those given lets go what gives way first, until there are no more than `most`; tells how many. */
  const giveWay = (kept: ReadonlyArray<Kept>, most: number, now: number) => {
    const gone = kept.filter(givesWay(now))
      .sort((one, other) => evictionRank(one.task) - evictionRank(other.task))
      .slice(0, Math.max(0, kept.length - most))
    for (const { task } of gone) rows.delete(task.id)
    return kept.length - gone.length
  }
  const at = <A>(body: (now: number) => A) => Effect.map(Clock.currentTimeMillis, body)
  const copy = (task: Task): Task => structuredClone(task)

  return TaskStore.of({
    open: Effect.fnUntraced(function* ({ life, ...opened }) {
      const now = yield* Clock.currentTimeMillis
      if (giveWay(live(now), totalMax - 1, now) >= totalMax) {
        return yield* new TasksFull({ whose: "all" })
      }
      const own = live(now).filter(({ task }) => task.client === opened.client)
      if (giveWay(own, perClientMax - 1, now) >= perClientMax) {
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
    move: (held, move) =>
      at((now) => {
        const kept = rows.get(held.id)
        if (kept === undefined || kept.expiresAt <= now || kept.task.version !== held.version) {
          return Option.none()
        }
        return Option.map(afterMove(held, move), (after) => {
          const { atLeast = Duration.zero, atMost = Duration.infinity } = lifeAfter(held, move)
          const task = copy({ ...after, movedAt: now })
          const expiresAt = Math.min(
            now + Duration.toMillis(atMost),
            Math.max(kept.expiresAt, now + Duration.toMillis(atLeast)),
          )
          rows.set(held.id, { task, expiresAt })
          return copy(task)
        })
      }),
    prune: at((now) => {
      const gone = [...rows.values()].filter(({ expiresAt }) => expiresAt <= now)
      for (const { task } of gone) rows.delete(task.id)
      return gone.length
    }),
  })
}

/** The same as a layer; what it remembers goes with its scope. */
export const memoryTaskStore = (limits?: TaskLimits) =>
  Layer.sync(TaskStore, () => memoryTasks(limits))
