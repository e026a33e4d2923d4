/**
 * The slots of the service's leased jobs (`src/app/jobs.ts`), as a soak expects them.
 *
 * @module
 */

export interface Slot {
  readonly job: string
  readonly slot: number
  readonly endMs: number
}

const minute = 60_000

/** Minutes between the slots of each job. */
const everyMinutes: Readonly<Record<string, number>> = {
  tick: 10,
  predetermined: 10,
  scores: 10,
  whales: 10,
  backfill: 10,
  housekeeping: 10,
  news: 15,
  tracking: 1_440,
  digest: 1,
  "follow-prices": 1,
}

/** The current slots of the jobs that run every ten minutes or less often. */
export function longJobsAt(at: number): ReadonlyArray<Slot> {
  return Object.entries(everyMinutes).filter(([, every]) => every >= 10).map(([job, every]) => {
    const slot = Math.floor(at / (every * minute)) * every * minute
    return { job, slot, endMs: slot + every * minute }
  })
}

/** The slots that begin with a minute. */
export function jobsDueAt(at: number): ReadonlyArray<Slot> {
  return Object.entries(everyMinutes)
    .filter(([, every]) => at % (every * minute) === 0)
    .map(([job, every]) => ({ job, slot: at, endMs: at + every * minute }))
}
