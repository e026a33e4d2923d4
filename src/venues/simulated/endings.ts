/**
 * What the venue says of how a simulated market ended, and when: some payouts are told late, a few are
 * corrected afterwards, and of some the oracle's record never speaks.
 *
 * @module
 */
import { day, type EpochMs, hour, second } from "../../core/domain/time.ts"
import type { ResolutionSource } from "../../markets/domain/resolution.ts"
import type { SimulatedMarket } from "./lives.ts"
import { between, mix, pick, uniform } from "./seed.ts"

interface EndingOptions {
  /** Share of decided markets whose payout is told 1 to 5 days late. */
  readonly lateShare: number
  /** Share of decided markets that are first said to have paid the other outcome, for 6 to 72 hours. */
  readonly correctedShare: number
  /** Share of decided markets of whose payout the oracle's record never speaks. */
  readonly silentShare: number
}

/** Longest time from a market's end until the last word on it. */
export const lastWordMs = 8 * day

export interface Ending {
  /** When the first word is out. */
  readonly toldAt: EpochMs
  /** When that word is replaced by the true one; `toldAt` itself for most. */
  readonly settledAt: EpochMs
  /** The first place that says what was paid, in the order in which they are asked. */
  readonly source: ResolutionSource
}

export function endingOf(options: EndingOptions, market: SimulatedMarket): Ending {
  const { key, resolvedAt } = market
  if (market.kind === "mechanical" || market.end !== "decided") {
    return { toldAt: resolvedAt, settledAt: resolvedAt, source: "oracle" }
  }
  const whole = (ms: number) => Math.floor(ms / second) * second
  const late = uniform(mix(key, 80)) < options.lateShare
  const toldAt = late ? whole(resolvedAt + between(mix(key, 81), 1, 5) * day) : resolvedAt
  const corrected = uniform(mix(key, 82)) < options.correctedShare
  const silent = uniform(mix(key, 84)) < options.silentShare
  return {
    toldAt,
    settledAt: corrected ? whole(toldAt + between(mix(key, 83), 6, 72) * hour) : toldAt,
    source: silent ? pick(mix(key, 86), ["listing", "book"]) : "oracle",
  }
}

/** What a market paid that neither outcome won: mostly a half each. */
export function unevenPayouts(market: SimulatedMarket): readonly [number, number] {
  const draw = uniform(mix(market.key, 85))
  return draw < 0.7 ? [0.5, 0.5] : draw < 0.85 ? [0.25, 0.75] : [0.75, 0.25]
}

/** The word that is out at an instant: null for a cancelled market, undefined before the first word. */
export function toldAt(
  ending: Ending,
  payouts: readonly [number, number] | null,
  at: EpochMs,
): readonly [number, number] | null | undefined {
  if (at < ending.toldAt) return undefined
  return at < ending.settledAt && payouts !== null ? [payouts[1], payouts[0]] : payouts
}
