/**
 * A memory of tasks that answers in time or not at all, as the payment store is made to.
 *
 * @module
 */
import { prompt } from "../../payments/promptStore.ts"
import type { TaskStore } from "./TaskStore.ts"

/**
 * The same memory, each of whose answers is waited for no longer than `storeWithin`. What is late may
 * still be done: a move that is told as failed is found made by whoever reads the task next.
 */
export function promptTasks(tasks: TaskStore["Service"]): TaskStore["Service"] {
  const name = "The memory of tasks"
  return {
    open: (task) => prompt(name, tasks.open(task)),
    find: (id) => prompt(name, tasks.find(id)),
    move: (held, move) => prompt(name, tasks.move(held, move)),
    prune: prompt(name, tasks.prune),
  }
}
