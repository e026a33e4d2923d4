/**
 * readOnChange(): how often the version is queried, when the value is read, and who shares a read.
 *
 * @module
 */
import { deepStrictEqual as equal, strictEqual } from "node:assert/strict"
import { Duration, Effect, Fiber, Ref } from "effect"
import { TestClock } from "effect/testing"
import { readOnChange } from "../../src/core/readOnChange.ts"
import { test } from "../support/effect.ts"

/** A store that counts version queries and reads; `takes` is the duration of a read. */
const countingStore = Effect.fnUntraced(function* (ageMax: Duration.Input = Duration.infinity) {
  const version = yield* Ref.make("a")
  const queries = yield* Ref.make(0)
  const reads = yield* Ref.make(0)
  const takes = yield* Ref.make<Duration.Input>(0)
  const up = yield* Ref.make(true)
  const current = yield* readOnChange({
    version: Effect.gen(function* () {
      yield* Ref.update(queries, (count) => count + 1)
      if (!(yield* Ref.get(up))) return yield* Effect.die("the store is down")
      return yield* Ref.get(version)
    }),
    read: Effect.gen(function* () {
      const reading = yield* Ref.updateAndGet(reads, (count) => count + 1)
      yield* Effect.sleep(yield* Ref.get(takes))
      return { reading }
    }),
    intervalMin: Duration.seconds(5),
    ageMax: Duration.fromInputUnsafe(ageMax),
  })
  const counts = Effect.all([Ref.get(queries), Ref.get(reads)])
  return { version, takes, up, current, counts }
})

test("readOnChange() queries the version once a second, and reads only after a change", () =>
  Effect.gen(function* () {
    const { version, current, counts } = yield* countingStore()
    const first = yield* current
    for (let n = 0; n < 1_000; n++) strictEqual(yield* current, first)
    equal(yield* counts, [1, 1])
    for (let seconds = 1; seconds <= 60; seconds++) {
      yield* TestClock.adjust("1 second")
      strictEqual(yield* current, first)
    }
    equal(yield* counts, [61, 1])
    yield* Ref.set(version, "b")
    yield* TestClock.adjust("1 second")
    equal(yield* current, { reading: 2 })
  }))

test("readOnChange() reads at most every five seconds, and returns the last change", () =>
  Effect.gen(function* () {
    const { version, current, counts } = yield* countingStore()
    for (let seconds = 0; seconds < 60; seconds++) {
      yield* Ref.set(version, `${seconds}`)
      yield* current
      yield* TestClock.adjust("1 second")
    }
    equal((yield* counts)[1], 12)
    yield* TestClock.adjust("5 seconds")
    equal(yield* current, { reading: 13 })
    yield* TestClock.adjust("5 seconds")
    equal(yield* current, { reading: 13 })
  }))

test("readOnChange() reads an unchanged value again when it is older than ageMax", () =>
  Effect.gen(function* () {
    const { current } = yield* countingStore("1 minute")
    yield* current
    yield* TestClock.adjust("59 seconds")
    equal(yield* current, { reading: 1 })
    yield* TestClock.adjust("1 second")
    equal(yield* current, { reading: 2 })
  }))

test("readOnChange() serves concurrent callers with one read, also when one is interrupted", () =>
  Effect.gen(function* () {
    const { takes, current, counts } = yield* countingStore()
    yield* Ref.set(takes, "1 second")
    const [first, ...others] = yield* Effect.forEach(
      Array.from({ length: 100 }),
      () => Effect.forkChild(current, { startImmediately: true }),
    )
    if (first !== undefined) yield* Fiber.interrupt(first)
    yield* TestClock.adjust("1 second")
    const values = yield* Effect.forEach(others, (fiber) => Fiber.join(fiber))
    strictEqual(new Set(values).size, 1)
    equal(yield* counts, [1, 1])
  }))

test("readOnChange() detects a change during a read", () =>
  Effect.gen(function* () {
    const { version, takes, current } = yield* countingStore()
    yield* Ref.set(takes, "2 seconds")
    const reading = yield* Effect.forkChild(current, { startImmediately: true })
    yield* TestClock.adjust("1 second")
    yield* Ref.set(version, "b")
    yield* TestClock.adjust("1 second")
    equal(yield* Fiber.join(reading), { reading: 1 })
    yield* Ref.set(takes, 0)
    yield* TestClock.adjust("5 seconds")
    equal(yield* current, { reading: 2 })
  }))

test("readOnChange() does not cache a failure, and queries again at once", () =>
  Effect.gen(function* () {
    const { up, current } = yield* countingStore()
    const first = yield* current
    yield* Ref.set(up, false)
    yield* TestClock.adjust("1 second")
    strictEqual((yield* Effect.exit(current))._tag, "Failure")
    yield* Ref.set(up, true)
    strictEqual(yield* current, first)
  }))
