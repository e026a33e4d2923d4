/**
 * How a market of the world is drawn: where its probability starts, and when it is repriced.
 *
 * @module
 */
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import type { SimulatedMarket } from "./lives.ts"
import { makePath, type Path } from "./paths.ts"
import { between, mix, uniform } from "./seed.ts"

interface RepricingOptions {
  /** Planted jumps a market-day, on average. */
  readonly liveliness: number
  readonly bounceOnly: boolean
}

/** In each stretch of `1 / rate` days there is a jump with this chance, at a uniform time. */
const jumpChance = 0.75
/** Share of the jumps of a market with siblings that hit all of its event at once. */
const sharedJumps = 0.4

export function drawPath(options: RepricingOptions, market: SimulatedMarket): Path {
  const { key, eventKey } = market
  const edge = uniform(mix(key, 50))
  const start = market.kind === "mechanical"
    ? 0.5
    : edge < 0.1
    ? between(mix(key, 51), 0.04, 0.15)
    : edge < 0.15
    ? between(mix(key, 51), 0.85, 0.96)
    : between(mix(key, 51), 0.15, 0.85)
  const shared = market.siblings > 1 ? sharedJumps * options.liveliness : 0
  const quiet = market.kind === "mechanical" || options.bounceOnly
  const jumps = quiet ? [] : [
    ...jumpsAt(market, mix(key, 52), options.liveliness - shared),
    ...jumpsAt(market, mix(eventKey, 52), shared),
  ].sort((a, b) => a.at - b.at)
  return makePath({
    key: mix(key, 53),
    opensAt: market.opensAt,
    revealsAt: market.revealsAt,
    closesAt: market.closesAt,
    start,
    hourlyVol: market.kind === "mechanical" ? 0.01 : between(mix(key, 54), 0.006, 0.022),
    jumps,
    constant: options.bounceOnly,
  })
}

/** Four in five jumps are of 6 to 14 points, the rest of 14 to 28. */
function jumpsAt(market: SimulatedMarket, key: number, perDay: number) {
  const jumps: Array<{ at: EpochMs; size: number; key: number }> = []
  if (perDay <= 0) return jumps
  const stretch = Math.max(minute, jumpChance * day / perDay)
  const first = Math.floor(market.opensAt / stretch)
  const last = Math.floor(Math.max(market.opensAt, market.revealsAt - hour) / stretch)
  for (let index = first; index <= last; index++) {
    const draw = mix(key, index)
    if (uniform(draw) >= jumpChance) continue
    const size = uniform(mix(draw, 1)) < 0.8
      ? between(mix(draw, 2), 0.06, 0.14)
      : between(mix(draw, 2), 0.14, 0.28)
    const at = Math.floor((index + uniform(mix(draw, 3))) * stretch)
    jumps.push({ at, size, key: mix(mix(draw, 4), market.key) })
  }
  return jumps
}
