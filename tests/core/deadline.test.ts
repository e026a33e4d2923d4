/**
 * The bound holds even for work that cannot be stopped, and a caller who leaves stops the work.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { withDeadline } from "../../src/core/deadline.ts"
import { test } from "../support/effect.ts"

const bound = Duration.seconds(2)

test("withDeadline() gives none at its bound, however long the work takes to stop", () =>
  Effect.gen(function* () {
    const unstoppable = Effect.onInterrupt(Effect.never, () => Effect.never)
    const waiting = yield* Effect.forkChild(withDeadline(bound)(unstoppable))
    yield* TestClock.adjust(Duration.millis(1_999))
    strictEqual(waiting.pollUnsafe(), undefined)
    yield* TestClock.adjust(Duration.millis(1))
    equal(yield* Fiber.join(waiting), Option.none())
  }))

test("withDeadline() gives what was done or failed in time", () =>
  Effect.gen(function* () {
    equal(yield* withDeadline(bound)(Effect.succeed(1)), Option.some(1))
    strictEqual(yield* Effect.flip(withDeadline(bound)(Effect.fail("no"))), "no")
  }))

test("withDeadline() stops the work when its bound has passed or its caller is interrupted", () =>
  Effect.gen(function* () {
    for (const leave of [() => TestClock.adjust(bound), Fiber.interrupt]) {
      const stopped = yield* Deferred.make<void>()
      const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      const waiting = yield* Effect.forkChild(withDeadline(bound)(work), { startImmediately: true })
      yield* leave(waiting)
      yield* Deferred.await(stopped)
    }
  }))
