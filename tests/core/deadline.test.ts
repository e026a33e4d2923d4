/**
 * The deadline applies even to work that cannot be interrupted, and an interrupted caller stops the
 * work. A timeout waits until the work has stopped.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Deferred, Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { withDeadline, withTimeout } from "../../src/core/deadline.ts"
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

test("each work expires at its own deadline, whatever ended before it", () =>
  Effect.gen(function* () {
    const endings: Array<string> = []
    const start = (name: string, work: Effect.Effect<void>) =>
      Effect.forkChild(
        Effect.map(withDeadline(deadline)(work), (result) => {
          endings.push(`${name} ${Option.isSome(result) ? "done" : "late"}`)
        }),
        { startImmediately: true },
      )
    yield* start("first", Effect.sleep(Duration.millis(500)))
    yield* TestClock.adjust(Duration.seconds(1))
    equal(endings, ["first done"])
    yield* start("second", Effect.never)
    yield* TestClock.adjust(Duration.seconds(1))
    yield* start("third", Effect.sleep(Duration.millis(1_500)))
    yield* start("fourth", Effect.never)
    yield* TestClock.adjust(Duration.millis(999))
    equal(endings, ["first done"])
    yield* TestClock.adjust(Duration.millis(1))
    equal(endings, ["first done", "second late"])
    yield* TestClock.adjust(Duration.seconds(1))
    equal(endings, ["first done", "second late", "third done", "fourth late"])
    yield* start("fifth", Effect.never)
    yield* TestClock.adjust(deadline)
    equal(endings.at(-1), "fifth late")
  }))

test("withTimeout() returns none once the work has stopped", () =>
  Effect.gen(function* () {
    const stopping = Deferred.makeUnsafe<void>()
    const work = Effect.onInterrupt(Effect.never, () => Deferred.await(stopping))
    const waiting = yield* Effect.forkChild(withTimeout(deadline)(work), {
      startImmediately: true,
    })
    yield* TestClock.adjust(deadline)
    strictEqual(waiting.pollUnsafe(), undefined)
    yield* Deferred.succeed(stopping, undefined)
    equal(yield* Fiber.join(waiting), Option.none())
    equal(yield* withTimeout(deadline)(Effect.succeed(1)), Option.some(1))
  }))
