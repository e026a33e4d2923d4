/**
 * An in-memory `JobSlots` on the test's clock, shared by the replicas of one test.
 *
 * @module
 */
import { Clock, Duration, Effect, Option } from "effect"
import { pruneStepMs } from "../../src/core/domain/time.ts"
import { JobSlots } from "../../src/core/JobSlots.ts"

interface StoredSlot {
  readonly slot: number
  until: number
  fence: number
  outcome: "ok" | "failed" | null
  finishedAt: number
}

export const memorySlots = Effect.sync(() => {
  const jobs = new Map<string, Map<number, StoredSlot>>()
  const now = Clock.currentTimeMillis
  const slotsOf = (job: string) => {
    const slots = jobs.get(job) ?? new Map<number, StoredSlot>()
    jobs.set(job, slots)
    return slots
  }
  let fences = 0
  return JobSlots.of({
    claim: (job, slot, lease) =>
      Effect.map(now, (at) => {
        const slots = slotsOf(job)
        const busy = [...slots.values()].some(({ outcome, until }) =>
          outcome === null && until > at
        )
        if (busy || (slots.get(slot)?.outcome ?? null) !== null) return Option.none()
        const fence = ++fences
        const until = at + Duration.toMillis(lease)
        slots.set(slot, { slot, until, fence, outcome: null, finishedAt: 0 })
        return Option.some({ job, slot, fence })
      }),
    renew: ({ job, slot, fence }, lease) =>
      Effect.map(now, (at) => {
        const stored = slotsOf(job).get(slot)
        if (stored?.fence !== fence) return false
        stored.until = at + Duration.toMillis(lease)
        return true
      }),
    finish: ({ job, slot, fence }, outcome) =>
      Effect.map(now, (at) => {
        const stored = slotsOf(job).get(slot)
        if (stored?.fence !== fence) return false
        stored.outcome = outcome
        stored.finishedAt = at
        return true
      }),
    lastOk: (job) =>
      Effect.sync(() => {
        const done = [...slotsOf(job).values()].filter(({ outcome }) => outcome === "ok")
        const last = done.sort((a, b) => b.slot - a.slot)[0]
        return Option.map(Option.fromUndefinedOr(last), ({ finishedAt }) => finishedAt)
      }),
    prune: (before) =>
      Effect.sync(() => {
        let pruned = 0
        const slots = [...jobs.values()].flatMap((slots) => [...slots.keys()])
        const end = Math.min(before, Math.min(...slots) + pruneStepMs)
        for (const slots of jobs.values()) {
          for (const slot of slots.keys()) if (slot < end && slots.delete(slot)) pruned += 1
        }
        return pruned
      }),
  })
})
