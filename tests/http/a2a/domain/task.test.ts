/**
 * The states of a task: every legal move, and no other.
 *
 * @module
 */
import { deepStrictEqual as equal } from "node:assert/strict"
import { Result } from "effect"
import { step, taskEvents, taskStates } from "../../../../src/http/a2a/domain/task.ts"

const legal = [
  "asked + offer -> offered",
  "asked + complete -> completed",
  "asked + fail -> failed",
  "asked + cancel -> canceled",
  "offered + pay -> paying",
  "offered + fail -> failed",
  "offered + cancel -> canceled",
  "offered + decline -> declined",
  "paying + release -> offered",
  "paying + complete -> completed",
  "paying + fail -> failed",
]

Deno.test("step() makes the legal moves and no other", () => {
  const found = taskStates.flatMap((from) =>
    taskEvents.flatMap((event) => {
      const to = step(from, event)
      return Result.isSuccess(to) ? [`${from} + ${event} -> ${to.success}`] : []
    })
  )
  equal(found.toSorted(), legal.toSorted())
})
