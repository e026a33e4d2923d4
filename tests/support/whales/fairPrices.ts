/**
 * The null model of fair prices by brute force: by convolution of all events, and by random draws.
 *
 * @module
 */
import { mix, uniform } from "../../../src/venues/simulated/seed.ts"
import {
  addNullSums,
  emptyNullSums,
  eventSums,
  type NullSums,
} from "../../../src/whales/domain/significance/nullModel.ts"

/** The favoured side of a market that has not ended. */
export interface OpenSide {
  readonly weight: number
  readonly price: number
}
export type OpenEvent = ReadonlyArray<OpenSide>

/** The product's sums of events in which no side was paid. */
export function sumsOf(events: ReadonlyArray<OpenEvent>): NullSums {
  return events.reduce(
    (sums, event) => addNullSums(sums, eventSums(event.map((side) => ({ ...side, paid: 0 }))), 1),
    emptyNullSums,
  )
}

/** The weight of the sides that are paid when the draw is `u`. */
function paidAt(event: OpenEvent, u: number): number {
  return event.reduce((sum, { weight, price }) => u < price ? sum + weight : sum, 0)
}

/** The exact probability of every total. */
export function convolve(events: ReadonlyArray<OpenEvent>): Float64Array {
  const most = events.flat().reduce((sum, { weight }) => sum + weight, 0)
  let chances = new Float64Array(most + 1)
  chances[0] = 1
  let top = 0
  for (const event of events) {
    const cuts = [0, ...event.map(({ price }) => price).sort((a, b) => a - b), 1]
    const next = new Float64Array(most + 1)
    cuts.slice(1).forEach((cut, i) => {
      const from = cuts[i] ?? 0
      const total = paidAt(event, (from + cut) / 2)
      for (let at = 0; at <= top; at++) {
        next[at + total] = (next[at + total] ?? 0) + (chances[at] ?? 0) * (cut - from)
      }
    })
    top += event.reduce((sum, { weight }) => sum + weight, 0)
    chances = next
  }
  return chances
}

/** The exact two-sided p-value of each total, summed from the far end to keep small terms. */
export function exactPValues(chances: Float64Array): ReadonlyArray<number> {
  const summed = (all: ReadonlyArray<number>) => {
    let sum = 0
    return all.map((chance) => sum += chance)
  }
  const below = summed([...chances])
  const above = summed([...chances].reverse()).reverse()
  return below.map((sum, i) => Math.min(1, 2 * Math.min(sum, above[i] ?? 0)))
}

/** The two-sided p-value of `observed` by random draws: (r + 1) / (draws + 1) for each side. */
export function drawnPValue(
  events: ReadonlyArray<OpenEvent>,
  observed: number,
  draws: number,
  seed: number,
): number {
  let above = 0
  let below = 0
  for (let draw = 0; draw < draws; draw++) {
    const key = mix(mix(0xfa12, seed), draw)
    const total = events.reduce((sum, event, i) => sum + paidAt(event, uniform(mix(key, i))), 0)
    if (total >= observed) above++
    if (total <= observed) below++
  }
  return Math.min(1, 2 * (Math.min(above, below) + 1) / (draws + 1))
}

/** Distributions of the weights and of the prices of a wallet's markets, including extreme ones. */
export const weightings: Readonly<Record<string, (u: number) => number>> = {
  "one each": () => 1,
  "seven each": () => 7,
  "twenty each": () => 20,
  "one to four": (u) => 1 + Math.floor(4 * u),
  "two or three": (u) => u < 0.5 ? 2 : 3,
  "often repeated": (u) => 1 + Math.floor(Math.log(u) / Math.log(0.5)),
  "some of twenty": (u) => u < 0.1 ? 20 : 1,
  "half of twenty": (u) => u < 0.5 ? 20 : 1,
  "few of forty": (u) => u < 0.03 ? 40 : 1,
  "a long tail": (u) => Math.floor(Math.min(60, u ** -0.7)),
}
export const pricings: Readonly<Record<string, (u: number) => number>> = {
  "wide": (u) => 0.02 + 0.93 * u,
  "middling": (u) => 0.3 + 0.4 * u,
  "all .95": () => 0.95,
  "all .02": () => 0.02,
  "all .5": () => 0.5,
  "high": (u) => 0.9 + 0.09 * u,
  "both ends": (u) => u < 0.5 ? 0.95 : 0.05,
}

/** A wallet with this many events, each of up to `marketsMax` markets. */
export function walletOf(
  weighting: string,
  pricing: string,
  events: number,
  marketsMax: 1 | 3,
  seed: number,
): ReadonlyArray<OpenEvent> {
  const key = mix(mix(0x3a11e7, seed), events)
  return Array.from({ length: events }, (_, i) => {
    const event = mix(key, i)
    const markets = 1 + Math.floor(marketsMax * uniform(mix(event, 0)))
    return Array.from({ length: markets }, (_, m) => {
      const market = mix(event, m + 1)
      return {
        weight: weightings[weighting]?.(uniform(mix(market, 1))) ?? 1,
        price: pricings[pricing]?.(uniform(mix(market, 2))) ?? 0.5,
      }
    })
  })
}
