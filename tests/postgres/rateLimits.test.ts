/**
 * The laws of the request limit, on every store.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Arbitrary, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { SqlClient } from "effect/sql/SqlClient"
import { makeLimiter } from "../../src/http/server/limits.ts"
import { layer } from "../../src/postgres/rateLimits.ts"
import { minute } from "../../src/core/domain/time.ts"
import { type RateDecision, RateLimits, RateLimitUnavailable } from "../../src/core/RateLimits.ts"
import { checkProperty, onEveryStore } from "../support/stores.ts"

const free = { name: "free", limit: 5, windowMs: minute }

/**
 * Arrivals of two addresses, by the milliseconds since the one before: bunched, spaced, on the
 * edge.
 */
const arrivals = Arbitrary.schema(
  Schema.Array(Schema.Struct({
    key: Schema.Literals(["a", "b"]),
    after: Schema.Union([
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 })),
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 })),
      Schema.Literals([minute - 1, minute, minute + 1]),
    ]),
  })).check(Schema.isMaxLength(40)),
)

/** The reference model: a list of grants per key. */
function modelLimits() {
  const grants = new Map<string, Array<number>>()
  return (key: string, now: number): RateDecision => {
    const current = (grants.get(key) ?? []).filter((at) => at > now - free.windowMs)
    const granted = current.length < free.limit
    if (granted) current.push(now)
    grants.set(key, current)
    return {
      granted,
      remaining: free.limit - current.length,
      resetMs: (current[0] ?? now) + free.windowMs - now,
    }
  }
}

const clocked = layer({ time: "clock" })

onEveryStore("RateLimits", (law) => {
  law(
    "take() grants exactly what the reference model grants, and so does a limiter that caches refusals",
    checkProperty(arrivals, (schedule) =>
      Effect.gen(function* () {
        const { take } = yield* RateLimits
        const limiter = yield* makeLimiter("cached", { limit: free.limit, windowMs: free.windowMs })
        const model = modelLimits()
        let now = 0
        for (const { key, after } of schedule) {
          yield* TestClock.adjust(after)
          now += after
          const expected = model(key, now)
          assert.deepEqual(yield* take(free, key), expected)
          const { kind } = yield* limiter.take({ client: key, site: null })
          assert.equal(kind, expected.granted ? "granted" : "denied")
        }
      }).pipe(Effect.provide(clocked), Effect.provide(TestClock.layer()))),
  )

  law(
    "take() grants no more than the limit to concurrent requests, on the database's clock",
    Effect.gen(
      function* () {
        const { take } = yield* RateLimits
        const decisions = yield* Effect.forEach(
          Array.from({ length: 40 }),
          () => take(free, "10.0.0.1"),
          { concurrency: "unbounded" },
        )
        const granted = decisions.filter((decision) => decision.granted)
        assert.deepEqual(granted.map(({ remaining }) => remaining).sort(), [0, 1, 2, 3, 4])
        assert.ok(decisions.every(({ resetMs }) => resetMs > 0 && resetMs <= minute))
        assert.equal((yield* take(free, "10.0.0.2")).granted, true)
      },
    ).pipe(Effect.provide(layer())),
  )

  law(
    "take() grants no more than the limit over replicas",
    Effect.gen(function* () {
      const replica = Effect.gen(function* () {
        const { take } = yield* RateLimits
        return yield* Effect.forEach(
          Array.from({ length: 12 }, (_, n) => n),
          (n) => take(free, `10.0.0.${n % 3}`),
          { concurrency: "unbounded" },
        )
      }).pipe(Effect.provide(Layer.fresh(layer())))
      const all = yield* Effect.all([replica, replica, replica, replica], {
        concurrency: "unbounded",
      })
      assert.equal(all.flat().filter(({ granted }) => granted).length, 15)
    }),
  )

  law(
    "takes of one statement share what is left, in the order of their arrival",
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      yield* take(free, "a")
      yield* take(free, "a")
      const decisions = yield* Effect.forEach(["a", "b", "a", "a", "a"], (key) => take(free, key), {
        concurrency: "unbounded",
      })
      assert.deepEqual(
        decisions.map(({ granted, remaining }) => granted ? remaining : "denied"),
        [2, 4, 1, 0, "denied"],
      )
    }).pipe(Effect.provide(clocked), Effect.provide(TestClock.layer())),
  )

  law(
    "a limit of 300 lets 300 through, and each again a window later",
    Effect.gen(function* () {
      const { take } = yield* RateLimits
      const wide = { name: "wide", limit: 300, windowMs: minute }
      for (let n = 0; n < 300; n++) {
        assert.equal((yield* take(wide, "a")).remaining, 299 - n)
        if (n === 99 || n === 199) yield* TestClock.adjust(20_000)
      }
      assert.deepEqual(yield* take(wide, "a"), { granted: false, remaining: 0, resetMs: 20_000 })
      yield* TestClock.adjust(20_000)
      assert.equal((yield* take(wide, "a")).remaining, 99)
      yield* TestClock.adjust(20_000)
      assert.equal((yield* take(wide, "a")).remaining, 198)
    }).pipe(Effect.provide(clocked), Effect.provide(TestClock.layer())),
  )

  law(
    "a limit of 300 lets no more through in any window, and denies at most 1/240 of it too long",
    checkProperty(arrivals, (schedule) =>
      Effect.gen(function* () {
        const { take } = yield* RateLimits
        const wide = { name: "bursts", limit: 300, windowMs: minute }
        const granted: Array<number> = []
        let now = 0
        for (const { after } of schedule) {
          yield* TestClock.adjust(after)
          now += after
          const burst = yield* Effect.forEach(
            Array.from({ length: 50 }),
            () => take(wide, "a"),
            { concurrency: "unbounded" },
          )
          const since = (windowMs: number) => granted.filter((at) => at > now - windowMs).length
          const got = burst.filter(({ granted }) => granted).length
          const atMost = Math.min(50, 300 - since(minute))
          const atLeast = Math.min(50, 300 - since(minute + minute / 240))
          assert.ok(got <= atMost && got >= atLeast, `${got} of ${atLeast} to ${atMost}`)
          granted.push(...Array.from({ length: got }, () => now))
        }
      }).pipe(Effect.provide(clocked), Effect.provide(TestClock.layer()))),
  )

  law(
    "giveBack() gives the newest grant back, at any limit, and none that was not made",
    Effect.gen(function* () {
      const { take, giveBack } = yield* RateLimits
      for (const policy of [free, { name: "wide", limit: 300, windowMs: minute }]) {
        yield* giveBack(policy, "a")
        const { remaining, resetMs } = yield* take(policy, "a")
        yield* TestClock.adjust(10_000)
        yield* Effect.all([take(policy, "a"), take(policy, "a")], { concurrency: "unbounded" })
        yield* giveBack(policy, "a")
        yield* giveBack(policy, "b")
        assert.deepEqual(yield* take(policy, "a"), {
          granted: true,
          remaining: remaining - 2,
          resetMs: resetMs - 10_000,
        })
        for (let n = 0; n < 4; n++) yield* giveBack(policy, "a")
        assert.equal((yield* take(policy, "a")).remaining, remaining)
        yield* TestClock.adjust(minute)
      }
    }).pipe(Effect.provide(clocked), Effect.provide(TestClock.layer())),
  )

  law(
    "prune() deletes the keys that were not used since, and no others",
    Effect.gen(function* () {
      const { take, prune } = yield* RateLimits
      yield* take(free, "old")
      yield* TestClock.adjust(10_000)
      yield* take(free, "new")
      assert.equal(yield* prune(10_000), 1)
      assert.equal((yield* take(free, "new")).remaining, 3)
      assert.equal((yield* take(free, "old")).remaining, 4)
    }).pipe(Effect.provide(clocked), Effect.provide(TestClock.layer())),
  )

  law(
    "take() fails when the log cannot be read",
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { take } = yield* RateLimits
      yield* sql`ALTER TABLE rate_log RENAME TO rate_log_gone`
      const failure = yield* Effect.flip(take(free, "a"))
      yield* sql`ALTER TABLE rate_log_gone RENAME TO rate_log`
      assert.ok(failure instanceof RateLimitUnavailable)
      assert.equal((yield* take(free, "a")).granted, true)
    }).pipe(Effect.provide(layer())),
  )
})
