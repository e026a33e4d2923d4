/**
 * The clock of all replicas: whatever a machine's clock does, time is the store's; whatever the store's
 * clock does alone, time goes on; and a replica whose clocks disagree says so.
 *
 * @module
 */
import { match, ok, strictEqual } from "node:assert/strict"
import { Clock, Effect, Fiber, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { day, hour, minute, second } from "../../src/core/domain/time.ts"
import { StoreClock } from "../../src/core/StoreClock.ts"
import { StoreProbe } from "../../src/core/StoreProbe.ts"
import { clockAhead, test } from "../support/effect.ts"

/** Far from 0, so that clocks can be behind. */
const start = 20_000 * day

/** A machine and a store whose clocks are ahead of the right time by these. */
const clocks = { machineMs: 0, storeMs: 0, isUp: true }

const wrongClocks = (
  name: string,
  body: (seen: Effect.Effect<Seen>) => Effect.Effect<void, never, never>,
  atStart: Partial<typeof clocks> = {},
) =>
  test(name, () =>
    Effect.gen(function* () {
      Object.assign(clocks, { machineMs: 0, storeMs: 0, isUp: true }, atStart)
      yield* TestClock.setTime(start)
      const right = yield* Clock.Clock
      const probe = Layer.mock(StoreProbe, {
        now: Effect.suspend(() =>
          clocks.isUp
            ? Effect.succeed(right.currentTimeMillisUnsafe() + clocks.storeMs)
            : Effect.never
        ),
      })
      const machine: Clock.Clock = {
        ...clockAhead(right, 0),
        currentTimeMillisUnsafe: () => right.currentTimeMillisUnsafe() + clocks.machineMs,
      }
      const built = yield* Effect.forkChild(
        Layer.build(StoreClock.layer.pipe(Layer.provide(probe))).pipe(
          Effect.provideService(Clock.Clock, machine),
          Effect.provideService(References.MinimumLogLevel, "None"),
        ),
      )
      yield* TestClock.adjust("3 seconds")
      const context = yield* Fiber.join(built)
      const seen = Effect.gen(function* () {
        const at = yield* Clock.currentTimeMillis
        return {
          aheadMs: at - right.currentTimeMillisUnsafe(),
          disagreement: yield* (yield* StoreClock).disagreement,
        }
      }).pipe(Effect.provide(context))
      yield* body(seen)
    }))

interface Seen {
  readonly aheadMs: number
  readonly disagreement: string | null
}

/** Long enough for the clock to be read again. */
const later = TestClock.adjust("10 seconds")

const wrongMachines = [45 * second, -45 * second, hour, -hour, 100 * day, -100 * day, 6 * second]

for (const machineMs of wrongMachines) {
  wrongClocks(
    `a machine that is ${machineMs / second} s wrong from the start`,
    (seen) =>
      Effect.gen(function* () {
        const { aheadMs, disagreement } = yield* seen
        strictEqual(aheadMs, 0)
        match(
          disagreement ?? "",
          machineMs > 0 ? /s ahead of the store's$/ : /s behind the store's$/,
        )
        clocks.machineMs = 0
        yield* later
        strictEqual((yield* seen).disagreement, null)
      }),
    { machineMs },
  )

  wrongClocks(
    `a machine whose clock jumps by ${machineMs / second} s, and back`,
    (seen) =>
      Effect.gen(function* () {
        strictEqual((yield* seen).disagreement, null)
        clocks.machineMs = machineMs
        strictEqual((yield* seen).aheadMs, 0, "before the next reading")
        yield* later
        const wrong = yield* seen
        strictEqual(wrong.aheadMs, 0)
        ok(wrong.disagreement !== null)
        clocks.machineMs = 0
        yield* later
        strictEqual((yield* seen).disagreement, null)
      }),
  )

  wrongClocks(
    `a store whose clock jumps by ${machineMs / second} s, and back`,
    (seen) =>
      Effect.gen(function* () {
        clocks.storeMs = machineMs
        yield* later
        const wrong = yield* seen
        strictEqual(wrong.aheadMs, 0)
        ok(wrong.disagreement !== null)
        clocks.storeMs = 0
        yield* later
        strictEqual((yield* seen).disagreement, null)
      }),
  )
}

wrongClocks(
  "clocks that move together are followed: the machine slept",
  (seen) =>
    Effect.gen(function* () {
      clocks.machineMs = clocks.storeMs = hour
      yield* later
      strictEqual((yield* seen).aheadMs, hour)
      strictEqual((yield* seen).disagreement, null)
    }),
)

wrongClocks(
  "a drift of seconds is followed, and is no disagreement",
  (seen) =>
    Effect.gen(function* () {
      for (let step = 1; step <= 4; step++) {
        clocks.storeMs = step * second
        yield* later
        strictEqual((yield* seen).aheadMs, step * second)
      }
      strictEqual((yield* seen).disagreement, null)
    }),
)

wrongClocks(
  "a store that does not answer changes nothing, and time goes on",
  (seen) =>
    Effect.gen(function* () {
      clocks.isUp = false
      clocks.machineMs = hour
      yield* TestClock.adjust(10 * minute)
      strictEqual((yield* seen).aheadMs, 0)
      clocks.isUp = true
      yield* later
      ok((yield* seen).disagreement !== null)
    }),
)

wrongClocks("without a first reading, time is the machine's", (seen) =>
  Effect.gen(function* () {
    strictEqual((yield* seen).aheadMs, minute)
    clocks.isUp = true
    yield* later
    strictEqual((yield* seen).aheadMs, 0)
  }), { isUp: false, machineMs: minute })
