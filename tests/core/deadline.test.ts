/**
 * The deadline applies even to work that cannot be interrupted, and an interrupted caller stops the
 * work.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { withDeadline } from "../../src/core/deadline.ts"
import { test } from "../support/effect.ts"

const deadline = Duration.seconds(2)

test("withDeadline() returns none at its deadline, however long the work takes to stop", () =>
  Effect.gen(function* () {
    const unstoppable = Effect.onInterrupt(Effect.never, () => Effect.never)
    const waiting = yield* Effect.forkChild(withDeadline(deadline)(unstoppable))
    yield* TestClock.adjust(Duration.millis(1_999))
    strictEqual(waiting.pollUnsafe(), undefined)
    yield* TestClock.adjust(Duration.millis(1))
    equal(yield* Fiber.join(waiting), Option.none())
  }))

test("withDeadline() returns the result or the failure that came in time", () =>
  Effect.gen(function* () {
    equal(yield* withDeadline(deadline)(Effect.succeed(1)), Option.some(1))
    strictEqual(yield* Effect.flip(withDeadline(deadline)(Effect.fail("no"))), "no")
  }))

test("withDeadline() stops the work at its deadline, or when its caller is interrupted", () =>
  Effect.gen(function* () {
    for (const leave of [() => TestClock.adjust(deadline), Fiber.interrupt]) {
      const stopped = yield* Deferred.make<void>()
      const work = Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, undefined))
      const waiting = yield* Effect.forkChild(withDeadline(deadline)(work), {
        startImmediately: true,
      })
      yield* leave(waiting)
      yield* Deferred.await(stopped)
    }
  }))
