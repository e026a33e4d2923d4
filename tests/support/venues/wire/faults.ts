/**
 * Faults in the responses of the simulated venue, by seed.
 *
 * @module
 */
import { mix, uniform } from "../../../../src/venues/simulated/seed.ts"

export const faults = [
  /** 500 with a body that is not JSON. */
  "error",
  /** 429 with `Retry-After: 1`. */
  "rate_limited",
  /** The correct response, late. */
  "slow",
  /** The first half of the correct response, with status 200. */
  "truncated",
  /** The previous page of the listing, under this page's cursor. */
  "duplicate_page",
  /** The correct rows and levels, in another order. */
  "reordered",
  /** The correct rows, with some invalid ones among them. */
  "bad_rows",
] as const
export type Fault = typeof faults[number]

/** The routes of the simulated venue's server. */
export type Route =
  | "markets"
  | "events"
  | "market"
  | "books"
  | "book"
  | "prices_history"
  | "trades"
  | "resolutions"
  | "activity"
  | "leaderboard"

/** The fault of the `nth` request (from 0) to a route, or null. */
export type FaultPlan = (route: Route, nth: number) => Fault | null

export const noFaults: FaultPlan = () => null

/** Each fault with its own chance; the sum of the chances must be at most 1. */
export function seededFaults(
  seed: number,
  chances: { readonly [F in Fault]?: number },
): FaultPlan {
  return (route, nth) => {
    let key = mix(0xfa17, seed)
    for (const letter of route) key = mix(key, letter.charCodeAt(0))
    let draw = uniform(mix(key, nth))
    for (const fault of faults) {
      draw -= chances[fault] ?? 0
      if (draw < 0) return fault
    }
    return null
  }
}
