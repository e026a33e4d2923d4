/**
 * Slots of scheduled work in memory, on the test's clock: what replicas in one test share.
 *
 * @module
 */
import { Clock, Duration, Effect, Option } from "effect"
import { JobSlots } from "../../src/core/JobSlots.ts"

interface Held {
  readonly slot: number
  until: number
  fence: number
  outcome: "ok" | "failed" | null
  finishedAt: number
}

export const memorySlots = Effect.sync(() => {
  const jobs = new Map<string, Map<number, Held>>()
  const now = Clock.currentTimeMillis
  const slotsOf = (job: string) => {
    const slots = jobs.get(job) ?? new Map<number, Held>()
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
        const held = slotsOf(job).get(slot)
        if (held?.fence !== fence) return false
        held.until = at + Duration.toMillis(lease)
        return true
      }),
    finish: ({ job, slot, fence }, outcome) =>
      Effect.map(now, (at) => {
        const held = slotsOf(job).get(slot)
        if (held?.fence !== fence) return false
        held.outcome = outcome
        held.finishedAt = at
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
        let gone = 0
        for (const slots of jobs.values()) {
          for (const slot of slots.keys()) if (slot < before && slots.delete(slot)) gone += 1
        }
        return gone
      }),
  })
})
