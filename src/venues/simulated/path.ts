/**
 * The true probability of a market at any instant, computed from its key alone.
 *
 * It is `Phi((z + B(v)) / sqrt(1 - v))`, with `B` a Brownian motion and `v` a clock of information that
 * runs from 0 to 1: an exact martingale that ends at 0 or 1 and thereby draws the outcome. The clock is
 * slow, jumps where news is planted, and runs to 1 between `revealsAt` and `closesAt`. `B` is built by
 * midpoint displacement: any instant costs twenty hashes, and no nodes are stored.
 *
 * The rungs of a ladder share `B` and the clock, and `z` falls from each to the next: so a harder one
 * is never more likely, and never wins alone. Rivals share them too: each has the part between its own
 * rung and the next, so they add up to at most 1, and at most one wins.
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
  // What is drawn from `key` is the same for all rungs.
  const key = market.rung === null ? market.key : mix(market.eventKey, 57)
  const { opensAt, revealsAt, closesAt } = market
  const z = normalQuantile(between(mix(key, 51), 0.05, 0.95))
  const [low, high] = heightsOf(market)
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
  const probability = (clock: number): number => {
    const reached = z + brownian(motion, clock)
    const above = (height: number) => normalCdf((reached - height) / Math.sqrt(1 - clock))
    return above(low) - above(high)
  }
  const last = z + brownian(motion, 1)
  const firstWins = last > low && last <= high
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
export function misquoteOf({ key, rivals, rung }: SimulatedMarket): number {
  const misquoted = rivals === 0 && rung !== null && rung > 0 &&
    uniform(mix(key, 55)) < misquotedShare
  return misquoted ? between(mix(key, 56), 0.05, 0.08) : 0
}

/** Between which heights, in probits, a path must end for the first outcome to win. */
function heightsOf(market: SimulatedMarket): readonly [low: number, high: number] {
  const { eventKey, rivals, rung } = market
  if (rung === null) return [0, Infinity]
  if (rivals > 0) {
    const height = (n: number) => normalQuantile((n + otherShare) / (rivals + otherShare))
    return [height(rung), rung + 1 === rivals ? Infinity : height(rung + 1)]
  }
  const gap = between(mix(eventKey, 58), ...rungGaps)
  const height = (rung - 1.5) * gap
  return [misquoteOf(market) > 0 ? height - gap + misquotedGap : height, Infinity]
}

/** The chance that none of the rivals wins, as a share of that of one. */
const otherShare = 0.3

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
