/**
 * The true probability of a market at any instant, computed from its key alone.
 *
 * It is `Phi((z + B(v)) / sqrt(1 - v))`, with `B` a Brownian motion and `v` a clock of information that
 * runs from 0 to 1: an exact martingale that ends at 0 or 1 and thereby draws the outcome. The clock is
 * slow, jumps where news is planted, and runs to 1 between `revealsAt` and `closesAt`. `B` is built by
 * midpoint displacement: any instant costs twenty hashes, and no nodes are stored.
 *
 * The rungs of a ladder share `B` and the clock, and `z` falls from each to the next: so a harder one
 * is never more likely, and never wins alone.
 *
 * @module
 */
import { normalCdf } from "../../core/domain/student.ts"
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { WorldOptions } from "./options.ts"
import { between, gaussian, type Key, mix, normalQuantile, uniform } from "./seed.ts"

export interface Path {
  /** The true probability of the first outcome. */
  readonly at: (instant: EpochMs) => number
  /** Ascending. */
  readonly jumps: ReadonlyArray<Jump>
  /** True when the first outcome wins. */
  readonly firstWins: boolean
}

/** A planted jump of the true probability. */
export interface Jump {
  readonly at: EpochMs
  readonly from: number
  readonly to: number
}

export function drawPath(options: WorldOptions, market: SimulatedMarket): Path {
  // What is drawn from `key` is the same for all rungs of a ladder.
  const key = market.rung === null ? market.key : mix(market.eventKey, 57)
  const { opensAt, revealsAt, closesAt } = market
  const z = normalQuantile(between(mix(key, 51), 0.05, 0.95)) - heightOf(market)
  const hourlyVol = between(mix(key, 54), 0.006, 0.022)
  const news = newsIn(options, market, mix(key, 52))

  /** The information up to `instant`; the share of it that is still to come is its exponential. */
  const informationAt = (instant: EpochMs): number =>
    news.reduce(
      (sum, { at, size }) => at <= instant ? sum + size : sum,
      hourlyVol * hourlyVol * (instant - opensAt) / hour,
    )
  const clockAt = (instant: EpochMs): number => {
    if (instant < revealsAt) return 1 - Math.exp(-informationAt(Math.max(opensAt, instant)))
    const before = 1 - Math.exp(-informationAt(revealsAt))
    return before + (1 - before) * (instant - revealsAt) / (closesAt - revealsAt)
  }
  const motion = mix(key, 53)
  const probability = (clock: number): number =>
    normalCdf((z + brownian(motion, clock)) / Math.sqrt(1 - clock))
  const firstWins = z + brownian(motion, 1) > 0
  return {
    firstWins,
    at: (instant) => instant >= closesAt ? Number(firstWins) : probability(clockAt(instant)),
    jumps: news.map(({ at }) => ({
      at,
      from: probability(clockAt(at - 1)),
      to: probability(clockAt(at)),
    })),
  }
}

/** Chance of news in each period of `newsChance / rate` days, at a uniform time. */
const newsChance = 0.75
/** Least and greatest information of one item of news: its probit moves by its root, on average. */
const newsSize = [0.04, 0.14] as const

function newsIn(options: WorldOptions, { opensAt, revealsAt }: SimulatedMarket, key: Key) {
  const period = Math.max(minute, newsChance * day / options.jumpsPerMarketDay)
  const count = Math.max(0, Math.floor((revealsAt - opensAt) / period))
  return Array.from({ length: count }, (_, n) => {
    const draw = mix(key, n)
    return {
      at: Math.floor(opensAt + (n + uniform(mix(draw, 3))) * period),
      size: uniform(draw) < newsChance ? between(mix(draw, 2), ...newsSize) : 0,
    }
  }).filter(({ size }) => size > 0)
}

/** Least and greatest distance of two rungs, in probits; a misquoted one is this near to the easier. */
const rungGaps = [0.2, 0.45] as const
const misquotedGap = 0.02
/** Share of the rungs that are misquoted. */
const misquotedShare = 0.2

/** How far quotes are above a probability of one half; it shrinks to 0 towards 0 and 1. */
export function misquoteOf({ key, rung }: SimulatedMarket): number {
  const misquoted = rung !== null && rung > 0 && uniform(mix(key, 55)) < misquotedShare
  return misquoted ? between(mix(key, 56), 0.05, 0.08) : 0
}

/** How much harder a rung is than the event's drawn start, in probits; 0 on no ladder. */
function heightOf(market: SimulatedMarket): number {
  if (market.rung === null) return 0
  const gap = between(mix(market.eventKey, 58), ...rungGaps)
  const height = (market.rung - 1.5) * gap
  return misquoteOf(market) > 0 ? height - gap + misquotedGap : height
}

/** Between two points this many halvings apart the motion is a straight line: within a minute. */
const halvings = 20

/** A Brownian motion at `clock` of 0 to 1, by midpoint displacement. */
function brownian(key: Key, clock: number): number {
  let [left, right] = [0, gaussian(mix(key, 1))]
  let [from, length, node] = [0, 1, 1]
  for (let level = 0; level < halvings; level++) {
    const middle = (left + right) / 2 + Math.sqrt(length) / 2 * gaussian(mix(key, node + 0x10000))
    length /= 2
    if (clock < from + length) {
      right = middle
      node = node * 2
    } else {
      left = middle
      from += length
      node = node * 2 + 1
    }
  }
  return left + (right - left) * (clock - from) / length
}
