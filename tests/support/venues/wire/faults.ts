/**
 * What can go wrong with an answer of the simulated venue, on demand: by script or by seed.
 *
 * @module
 */
import { mix, uniform } from "../../../../src/venues/simulated/seed.ts"

export const faults = [
  /** 500 with a body that is no JSON. */
  "error",
  /** 429 with `Retry-After: 1`. */
  "rate_limited",
  /** The right answer, late. */
  "slow",
  /** The first half of the right answer, as if it were whole. */
  "truncated",
  /** The listing's page before this one, under this one's cursor. */
  "duplicate_page",
  /** The right rows and levels, in another order. */
  "reordered",
  /** The right rows and, among them, some that are none. */
  "bad_rows",
] as const
export type Fault = typeof faults[number]

/** The kinds of question the wire answers. */
export type Route =
  | "markets"
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

/** Each route's first answers, in order; valid ones after those. */
export function scripted(
  script: { readonly [R in Route]?: ReadonlyArray<Fault | null> },
): FaultPlan {
  return (route, nth) => script[route]?.[nth] ?? null
}

/** Each fault with its own chance; the chances add up to at most 1. */
export function seeded(
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
