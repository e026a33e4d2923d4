/**
 * How fast an agent may ask: what the RateLimit headers leave it, and how long it waits for a
 * service that is away.
 *
 * @module
 */

const secondMs = 1_000
/** Longest wait that a header can talk an agent into. */
export const waitMaxMs = 3_600 * secondMs
/** The first wait for a service that does not answer; each further one is twice as long. */
const absenceMs = secondMs
const absenceMaxMs = 60 * secondMs

/** What `RateLimit: "free";r=4;t=12` says: four more at once, and more in twelve seconds. */
export interface Allowance {
  readonly remaining: number
  readonly resetMs: number
}

/** Reads the first budget of a RateLimit field; null when there is none to be read. */
export function readAllowance(field: string | null): Allowance | null {
  const [, remaining, seconds] = /^"[^"]*";r=(\d{1,9});t=(\d{1,9})/.exec(field ?? "") ?? []
  if (remaining === undefined || seconds === undefined) return null
  return { remaining: Number(remaining), resetMs: Number(seconds) * secondMs }
}

/** How long to wait before the next question to a budget: as often as wanted, never when it is empty. */
export function waitAfter(allowance: Allowance | null, wantedMs: number): number {
  if (allowance === null || allowance.remaining > 0) return wantedMs
  return Math.max(wantedMs, Math.min(allowance.resetMs, waitMaxMs))
}

/** `Retry-After: 5`, in milliseconds, never nothing; null when it is absent or a date. */
export function readRetryAfter(field: string | null): number | null {
  if (field === null || !/^\d{1,9}$/.test(field)) return null
  return Math.max(secondMs, Math.min(Number(field) * secondMs, waitMaxMs))
}

/** How long to wait for a service that did not answer `times` times in a row. */
export function absence(times: number): number {
  return Math.min(absenceMs * 2 ** Math.min(times - 1, 10), absenceMaxMs)
}
