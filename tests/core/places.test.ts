/**
 * Laws of places: never more than the limit, first come first served, no caller is lost or counted
 * twice, whatever ends, waits too long or is interrupted.
 *
 * @module
 */
import { deepStrictEqual as equal, ok } from "node:assert/strict"
import { Deferred, Duration, Effect, Exit, Fiber, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { makePlaces, makePlacesByKey, publishDepth } from "../../src/core/places.ts"
import { test } from "../support/effect.ts"
import { Random } from "../support/random.ts"
import { sized } from "../support/size.ts"

const limits = { places: 3, waiting: 4, waitMax: Duration.seconds(5) }

test("places are never exceeded, and all are free at the end", () =>
  Effect.gen(function* () {
    for (let seed = 1; seed <= sized({ short: 20, full: 100 }); seed++) {
      const random = new Random(seed)
      const places = makePlaces(limits)
      let inside = 0
      let most = 0
      const work = Effect.sync(() => {
        inside += 1
        most = Math.max(most, inside)
      }).pipe(
        Effect.andThen(Effect.sleep(Duration.seconds(random.below(8)))),
        Effect.ensuring(Effect.sync(() => inside -= 1)),
      )
      const fibers = yield* Effect.forEach(Array.from({ length: random.below(30) }), () => {
        const call = Effect.result(places.run("refused" as const)(work))
        const endsAfter = random.chance(0.5) ? 100 : random.below(10)
        const ends = Effect.timeoutOption(call, Duration.seconds(endsAfter))
        return Effect.forkChild(Effect.delay(ends, Duration.seconds(random.below(20))))
      })
      yield* TestClock.adjust(Duration.seconds(120))
      for (const fiber of fibers) yield* Fiber.join(fiber)
      ok(most <= limits.places, `seed ${seed}: ${most} inside`)
      equal([inside, places.isIdle()], [0, true], `seed ${seed}`)
    }
  }))

test("places are given in the order of arrival", () =>
  Effect.gen(function* () {
    const places = makePlaces({ places: 1, waiting: 9, waitMax: Duration.seconds(50) })
    const order: Array<number> = []
    const fibers = yield* Effect.forEach([1, 2, 3, 4], (n) =>
      Effect.forkChild(
        places.run("refused")(Effect.delay(Effect.sync(() => order.push(n)), Duration.seconds(1))),
        { startImmediately: true },
      ))
    yield* TestClock.adjust(Duration.seconds(4))
    for (const fiber of fibers) yield* Fiber.join(fiber)
    equal(order, [1, 2, 3, 4])
  }))

test("one key cannot use the places of another, and an idle key is forgotten", () =>
  Effect.gen(function* () {
    const byKey = makePlacesByKey({ ...limits, waiting: 0 })
    const gate = yield* Deferred.make<void>()
    const call = (key: string) => byKey.run(key)("refused" as const)(Deferred.await(gate))
    const fibers = yield* Effect.forEach(
      ["a", "a", "a", "b"],
      (key) => Effect.forkChild(call(key), { startImmediately: true }),
    )
    ok(Exit.isFailure(yield* Effect.exit(call("a"))))
    equal(byKey.size(), 2)
    yield* Deferred.succeed(gate, undefined)
    for (const fiber of fibers) yield* Fiber.join(fiber)
    equal(byKey.size(), 0)
  }))

test("the depth of a queue is read at each scrape, and gone when its scope closes", () =>
  Effect.gen(function* () {
    const places = makePlaces({ ...limits, waiting: 2 })
    const gate = yield* Deferred.make<void>()
    const depth = Effect.map(
      PrometheusMetrics.format(),
      (text) =>
        ["running", "waiting"].map((part) =>
          new RegExp(`^queue_${part}\\{queue="q"\\} (\\d+)$`, "m").exec(text)?.[1]
        ),
    )
    yield* Effect.scoped(Effect.gen(function* () {
      yield* publishDepth("q", places)
      equal(yield* depth, ["0", "0"])
      const fibers = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () =>
          Effect.forkChild(Effect.ignore(places.run("refused")(Deferred.await(gate))), {
            startImmediately: true,
          }),
      )
      equal(yield* depth, ["3", "2"])
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of fibers) yield* Fiber.join(fiber)
      equal(yield* depth, ["0", "0"])
    }))
    equal(yield* depth, [undefined, undefined])
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map())))
