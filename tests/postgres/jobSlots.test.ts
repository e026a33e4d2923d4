/**
 * The laws of shared scheduled jobs, on every store.
 *
 * @module
 */
import assert from "node:assert/strict"
import { Duration, Effect, Option } from "effect"
import { layer } from "../../src/postgres/jobSlots.ts"
import { minute } from "../../src/core/domain/time.ts"
import { JobSlots, type SlotClaim } from "../../src/core/JobSlots.ts"
import { onEveryStore } from "../support/stores.ts"

const slot = Date.UTC(2026, 10, 20, 12)
const next = slot + 10 * minute
const lease = Duration.minutes(5)
/** A lease that expires at once. */
const expired = Duration.zero

const claimed = (claim: Option.Option<SlotClaim>): SlotClaim => {
  assert.ok(Option.isSome(claim), "expected a claim")
  return claim.value
}

onEveryStore("JobSlots", (law) => {
  const on = (name: string, body: Effect.Effect<void, unknown, JobSlots>) =>
    law(name, Effect.provide(body, layer))

  on(
    "of concurrent claims of one slot one succeeds",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const claims = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => jobs.claim("tick", slot, lease),
        { concurrency: "unbounded" },
      )
      assert.equal(claims.filter(Option.isSome).length, 1)
    }),
  )

  on(
    "of concurrent claims of different slots of a job one succeeds",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const before = claimed(yield* jobs.claim("tick", slot - minute, lease))
      yield* jobs.finish(before, "ok")
      const claims = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => slot + n * minute),
        (slot) => jobs.claim("tick", slot, lease),
        { concurrency: "unbounded" },
      )
      assert.equal(claims.filter(Option.isSome).length, 1)
      assert.ok(Option.isSome(yield* jobs.claim("digest", slot, lease)), "another job is free")
    }),
  )

  on(
    "a finished slot cannot be claimed again, and the next one can",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const claim = claimed(yield* jobs.claim("tick", slot, lease))
      assert.equal(yield* jobs.finish(claim, "failed"), true)
      assert.equal(yield* jobs.finish(claim, "ok"), false)
      assert.ok(Option.isNone(yield* jobs.claim("tick", slot, lease)))
      assert.ok(Option.isSome(yield* jobs.claim("tick", next, lease)))
    }),
  )

  on(
    "a slot with an expired lease can be claimed again, with a higher fence",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const late = claimed(yield* jobs.claim("tick", slot, expired))
      const taken = claimed(yield* jobs.claim("tick", slot, lease))
      assert.ok(taken.fence > late.fence)
      assert.equal(yield* jobs.renew(late, lease), false)
      assert.equal(yield* jobs.finish(late, "failed"), false)
      assert.ok(Option.isNone(yield* jobs.lastOk("tick")))
      assert.equal(yield* jobs.finish(taken, "ok"), true)
      assert.ok(Option.isSome(yield* jobs.lastOk("tick")))
    }),
  )

  on(
    "a claim cannot be renewed or finished after the claim of a later slot",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const late = claimed(yield* jobs.claim("tick", slot, expired))
      const later = claimed(yield* jobs.claim("tick", next, lease))
      assert.ok(later.fence > late.fence)
      assert.equal(yield* jobs.renew(late, lease), false)
      assert.equal(yield* jobs.finish(late, "ok"), false)
      assert.equal(yield* jobs.finish(later, "ok"), true)
    }),
  )

  on(
    "a renewed lease is exclusive, and a claim with an expired lease can finish if no other claimed it",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const claim = claimed(yield* jobs.claim("tick", slot, expired))
      assert.equal(yield* jobs.renew(claim, lease), true)
      assert.ok(Option.isNone(yield* jobs.claim("tick", slot, lease)))
      assert.equal(yield* jobs.renew(claim, expired), true)
      assert.equal(yield* jobs.finish(claim, "ok"), true)
    }),
  )

  on(
    "lastOk() returns the finish time of the newest successful slot",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const first = claimed(yield* jobs.claim("tick", slot, lease))
      yield* jobs.finish(first, "ok")
      const good = yield* jobs.lastOk("tick")
      const second = claimed(yield* jobs.claim("tick", next, lease))
      yield* jobs.finish(second, "failed")
      assert.deepEqual(yield* jobs.lastOk("tick"), good)
      assert.ok(Option.isNone(yield* jobs.lastOk("digest")))
    }),
  )

  on(
    "prune() deletes old slots, and the fence still increases",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const first = claimed(yield* jobs.claim("tick", slot, lease))
      yield* jobs.finish(first, "ok")
      assert.equal(yield* jobs.prune(next), 1)
      const again = claimed(yield* jobs.claim("tick", slot, lease))
      assert.ok(again.fence > first.fence)
    }),
  )
})
