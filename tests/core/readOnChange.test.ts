/**
 * What is kept until it changes: how often the store is asked, and who waits for whom.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Duration, Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { readOnChange } from "../../src/core/readOnChange.ts"
import { test } from "../support/effect.ts"

/** A store whose answers tell how often it was read, and that takes a while over each. */
const counting = Effect.fnUntraced(function* (ageMax: Duration.Input = Duration.infinity) {
  const word = yield* Ref.make("a")
  const questions = yield* Ref.make(0)
  const readings = yield* Ref.make(0)
  const takes = yield* Ref.make<Duration.Input>(0)
  const up = yield* Ref.make(true)
  const current = yield* readOnChange({
    version: Effect.gen(function* () {
      yield* Ref.update(questions, (count) => count + 1)
      if (!(yield* Ref.get(up))) return yield* Effect.die("the store is down")
      return yield* Ref.get(word)
    }),
    read: Effect.gen(function* () {
      const reading = yield* Ref.updateAndGet(readings, (count) => count + 1)
      yield* Effect.sleep(yield* Ref.get(takes))
      return { reading }
    }),
    apart: Duration.seconds(5),
    ageMax: Duration.fromInputUnsafe(ageMax),
  })
  const counts = Effect.all([Ref.get(questions), Ref.get(readings)])
  return { word, takes, up, current, counts }
})

test("readOnChange() asks once a second, and reads only what changed", () =>
  Effect.gen(function* () {
    const { word, current, counts } = yield* counting()
    const first = yield* current
    for (let n = 0; n < 1_000; n++) strictEqual(yield* current, first)
    equal(yield* counts, [1, 1])
    for (let seconds = 1; seconds <= 60; seconds++) {
      yield* TestClock.adjust("1 second")
      strictEqual(yield* current, first)
    }
    equal(yield* counts, [61, 1])
    yield* Ref.set(word, "b")
    yield* TestClock.adjust("1 second")
    equal(yield* current, { reading: 2 })
  }))

test("readOnChange() reads at most every five seconds, and shows the last change", () =>
  Effect.gen(function* () {
    const { word, current, counts } = yield* counting()
    for (let seconds = 0; seconds < 60; seconds++) {
      yield* Ref.set(word, `${seconds}`)
      yield* current
      yield* TestClock.adjust("1 second")
    }
    equal((yield* counts)[1], 12)
    yield* TestClock.adjust("5 seconds")
    equal(yield* current, { reading: 13 })
    yield* TestClock.adjust("5 seconds")
    equal(yield* current, { reading: 13 })
  }))

test("readOnChange() reads again after a while even what did not change", () =>
  Effect.gen(function* () {
    const { current } = yield* counting("1 minute")
    yield* current
    yield* TestClock.adjust("59 seconds")
    equal(yield* current, { reading: 1 })
    yield* TestClock.adjust("1 second")
    equal(yield* current, { reading: 2 })
  }))

test("readOnChange() serves all who ask at once with one reading, whoever of them leaves", () =>
  Effect.gen(function* () {
    const { takes, current, counts } = yield* counting()
    yield* Ref.set(takes, "1 second")
    const [first, ...others] = yield* Effect.forEach(
      Array.from({ length: 100 }),
      () => Effect.forkChild(current, { startImmediately: true }),
    )
    if (first !== undefined) yield* Fiber.interrupt(first)
    yield* TestClock.adjust("1 second")
    const made = yield* Effect.forEach(others, (fiber) => Fiber.join(fiber))
    strictEqual(new Set(made).size, 1)
    equal(yield* counts, [1, 1])
  }))

test("readOnChange() finds a change that came while it was reading", () =>
  Effect.gen(function* () {
    const { word, takes, current } = yield* counting()
    yield* Ref.set(takes, "2 seconds")
    const reading = yield* Effect.forkChild(current, { startImmediately: true })
    yield* TestClock.adjust("1 second")
    yield* Ref.set(word, "b")
    yield* TestClock.adjust("1 second")
    equal(yield* Fiber.join(reading), { reading: 1 })
    yield* Ref.set(takes, 0)
    yield* TestClock.adjust("5 seconds")
    equal(yield* current, { reading: 2 })
  }))

test("readOnChange() keeps no failure, and asks again at once", () =>
  Effect.gen(function* () {
    const { up, current } = yield* counting()
    const first = yield* current
    yield* Ref.set(up, false)
    yield* TestClock.adjust("1 second")
    strictEqual((yield* Effect.exit(current))._tag, "Failure")
    yield* Ref.set(up, true)
    strictEqual(yield* current, first)
  }))
