/**
 * A `TaskStore` in memory, on the Effect clock: what the port says, in a map.
 *
 * @module
 */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { keptNote, remembered, type Task, type TaskId } from "../../src/domain/task.ts"
import {
  defaultTaskLimits,
  moved,
  type TaskLimits,
  TasksFull,
  TaskStore,
} from "../../src/services/TaskStore.ts"

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
  /** Lets the oldest go without a payment, of those given, until there are no more than `most`. */
  const giveWay = (kept: ReadonlyArray<Kept>, most: number) => {
    const unpaid = kept.filter(({ task }) => task.paymentId === null)
    const gone = unpaid.slice(0, Math.max(0, kept.length - most))
    for (const { task } of gone) rows.delete(task.id)
    return kept.length - gone.length
  }
  const at = <A>(body: (now: number) => A) => Effect.map(Clock.currentTimeMillis, body)
  const copy = (task: Task): Task => structuredClone(task)

  return TaskStore.of({
    open: Effect.fnUntraced(function* ({ life, ...opened }) {
      const now = yield* Clock.currentTimeMillis
      if (giveWay(live(now), totalMax - 1) >= totalMax) return yield* new TasksFull()
      const own = live(now).filter(({ task }) =>
        task.client === opened.client && task.paymentId === null
      )
      giveWay(own, perClientMax - 1)
      const task: Task = copy({
        ...opened,
        ...{ paymentId: null, movedAt: now, version: 1 },
        note: keptNote(opened.note),
        history: remembered([], opened.history),
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
        return Option.map(moved(held, move), (after) => {
          const life = move.event === "pay" ? Duration.toMillis(move.life) : 0
          const task = copy({ ...after, movedAt: now })
          rows.set(held.id, { task, expiresAt: Math.max(kept.expiresAt, now + life) })
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
