/**
 * The laws of shared scheduled work, on every store.
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
/** A lease that has run out by the time anyone looks. */
const spent = Duration.zero

const claimed = (claim: Option.Option<SlotClaim>): SlotClaim => {
  assert.ok(Option.isSome(claim), "expected a claim")
  return claim.value
}

onEveryStore("JobSlots", (law) => {
  const on = (name: string, body: Effect.Effect<void, unknown, JobSlots>) =>
    law(name, Effect.provide(body, layer))

  on(
    "of any number of claimants of a slot one wins",
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
    "of claimants of different slots of a job one wins",
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
    "a done slot is not done again, and the next one is free",
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
    "a slot whose lease ran out is taken over under a larger fence",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const late = claimed(yield* jobs.claim("tick", slot, spent))
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
    "whoever was overtaken by a later slot cannot renew or finish",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const late = claimed(yield* jobs.claim("tick", slot, spent))
      const later = claimed(yield* jobs.claim("tick", next, lease))
      assert.ok(later.fence > late.fence)
      assert.equal(yield* jobs.renew(late, lease), false)
      assert.equal(yield* jobs.finish(late, "ok"), false)
      assert.equal(yield* jobs.finish(later, "ok"), true)
    }),
  )

  on(
    "a renewed lease holds, and one that ran out unseen can still finish",
    Effect.gen(function* () {
      const jobs = yield* JobSlots
      const claim = claimed(yield* jobs.claim("tick", slot, spent))
      assert.equal(yield* jobs.renew(claim, lease), true)
      assert.ok(Option.isNone(yield* jobs.claim("tick", slot, lease)))
      assert.equal(yield* jobs.renew(claim, spent), true)
      assert.equal(yield* jobs.finish(claim, "ok"), true)
    }),
  )

  on(
    "the last good run is that of the newest slot that went well",
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
    "old slots are forgotten, and the fence still grows",
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
