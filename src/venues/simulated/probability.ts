/**
 * The true probability of a market at any instant, computed from its key alone.
 *
 * Between planted jumps the probability is `Phi((z + B(v)) / sqrt(1 - v))`, with `B` a Brownian
 * motion and `v` a variance clock that starts at 0: an exact martingale. Jumps go up or down by the
 * same amount with equal chance: also a martingale. In the last segment `v` reaches 1, so the path
 * ends at 0 or 1 and thereby draws the outcome. `B` is built by midpoint displacement: any instant
 * costs a dozen hashes, and no nodes are stored.
 *
 * The rungs of a ladder share `B` and all jumps, and `z` falls from each to the next: so a harder one
 * is never more likely, and never wins alone.
 *
 * @module
 */
import { day, type EpochMs, hour, minute } from "../../core/domain/time.ts"
import type { SimulatedMarket } from "./catalogue.ts"
import type { WorldOptions } from "./options.ts"
import { normalCdf } from "../../core/domain/student.ts"
import { between, gaussian, type Key, mix, normalQuantile, uniform } from "./seed.ts"

/** Chance of a jump in each period of `jumpChance / rate` days, at a uniform time. */
const jumpChance = 0.75
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

export function drawPath(options: WorldOptions, market: SimulatedMarket): Path {
  // What is drawn from `key` is the same for all rungs of a ladder.
  const key = market.rung === null ? market.key : mix(market.eventKey, 57)
  const startDraw = uniform(mix(key, 50))
  const start = market.kind === "mechanical"
    ? 0.5
    : startDraw < 0.1
    ? between(mix(key, 51), 0.04, 0.15)
    : startDraw < 0.15
    ? between(mix(key, 51), 0.85, 0.96)
    : between(mix(key, 51), 0.15, 0.85)
  const perDay = market.kind === "mechanical" ? 0 : options.jumpsPerMarketDay
  return makePath({
    key: mix(key, 53),
    opensAt: market.opensAt,
    revealsAt: market.revealsAt,
    closesAt: market.closesAt,
    start: normalQuantile(start) - heightOf(market),
    hourlyVol: market.kind === "mechanical" ? 0.01 : between(mix(key, 54), 0.006, 0.022),
    jumps: jumpsAt(market, mix(key, 52), perDay),
  })
}

/** How much harder a rung is than the event's drawn start, in probits; 0 on no ladder. */
function heightOf(market: SimulatedMarket): number {
  if (market.rung === null) return 0
  const gap = between(mix(market.eventKey, 58), ...rungGaps)
  const height = (market.rung - 1.5) * gap
  return misquoteOf(market) > 0 ? height - gap + misquotedGap : height
}

/** Four in five jumps are of 6 to 14 points, the rest of 14 to 28. */
function jumpsAt(market: SimulatedMarket, key: Key, perDay: number) {
  const jumps: Array<{ at: EpochMs; size: number; key: number }> = []
  if (perDay <= 0) return jumps
  const period = Math.max(minute, jumpChance * day / perDay)
  const first = Math.floor(market.opensAt / period)
  const last = Math.floor(Math.max(market.opensAt, market.revealsAt - hour) / period)
  for (let index = first; index <= last; index++) {
    const draw = mix(key, index)
    if (uniform(draw) >= jumpChance) continue
    const size = uniform(mix(draw, 1)) < 0.8
      ? between(mix(draw, 2), 0.06, 0.14)
      : between(mix(draw, 2), 0.14, 0.28)
    const at = Math.floor((index + uniform(mix(draw, 3))) * period)
    jumps.push({ at, size, key: mix(draw, 4) })
  }
  return jumps
}

/** A planted jump of the true probability. */
export interface Jump {
  readonly at: EpochMs
  readonly from: number
  readonly to: number
}

interface PathPlan {
  readonly key: Key
  readonly opensAt: EpochMs
  /** From here the path moves to its outcome. */
  readonly revealsAt: EpochMs
  readonly closesAt: EpochMs
  /** The probit of the probability at `opensAt`. */
  readonly start: number
  /** Standard deviation of the probit of the probability over one hour. */
  readonly hourlyVol: number
  /** Candidate jumps in ascending time; `size` is in probability. */
  readonly jumps: ReadonlyArray<{ readonly at: EpochMs; readonly size: number; readonly key: Key }>
}

export interface Path {
  /** The true probability of the first outcome. */
  readonly at: (instant: EpochMs) => number
  readonly jumps: ReadonlyArray<Jump>
  /** True when the first outcome wins. */
  readonly firstWins: boolean
}

interface Segment {
  readonly from: EpochMs
  readonly to: EpochMs
  /** The probit of the probability at `from`. */
  readonly z: number
  /** The final value of the segment's variance clock; 1 reveals the outcome. */
  readonly end: number
  readonly key: Key
}

/** Planted jumps never take a probability beyond these; less is left of one near them. */
const lowest = 0.03
const highest = 0.97
/** Between two points this far apart the path is a straight line. */
const grainMs = minute

function makePath(plan: PathPlan): Path {
  const segments: Array<Segment> = []
  const jumps: Array<Jump> = []
  let from = plan.opensAt
  let z = plan.start
  const diffuse = (to: EpochMs, end: number) => {
    const segment = { from, to, z, end, key: mix(plan.key, 100 + segments.length) }
    segments.push(segment)
    from = to
    z = end === 1
      ? (z + endValue(segment)) * Infinity
      : (z + endValue(segment)) / Math.sqrt(1 - end)
  }
  for (const candidate of plan.jumps) {
    if (candidate.at <= from || candidate.at >= plan.revealsAt) continue
    diffuse(candidate.at, varianceOver(plan, from, candidate.at))
    const before = normalCdf(z)
    const size = Math.min(candidate.size, before - lowest, highest - before)
    if (size <= 0) continue
    const after = uniform(candidate.key) < 0.5 ? before - size : before + size
    jumps.push({ at: candidate.at, from: before, to: after })
    z = normalQuantile(after)
  }
  if (plan.revealsAt > from) diffuse(plan.revealsAt, varianceOver(plan, from, plan.revealsAt))
  diffuse(plan.closesAt, 1)
  const firstWins = z > 0
  return { at: (instant) => probability(segments, instant, firstWins), jumps, firstWins }
}

function varianceOver(plan: PathPlan, from: EpochMs, to: EpochMs): number {
  return 1 - Math.exp(-plan.hourlyVol * plan.hourlyVol * (to - from) / (60 * minute))
}

/** The Brownian motion at the end of a segment. */
function endValue(segment: Segment): number {
  return Math.sqrt(segment.end) * gaussian(mix(segment.key, 1))
}

function probability(
  segments: ReadonlyArray<Segment>,
  instant: EpochMs,
  firstWins: boolean,
): number {
  let low = 0
  let high = segments.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    const candidate = segments[middle]
    if (candidate !== undefined && candidate.from <= instant) low = middle
    else high = middle - 1
  }
  const segment = segments[low]
  if (segment === undefined || instant >= segment.to) return firstWins ? 1 : 0
  const share = Math.max(0, (instant - segment.from) / (segment.to - segment.from))
  const remaining = 1 - segment.end * share
  return normalCdf((segment.z + brownian(segment, share)) / Math.sqrt(remaining))
}

/** The Brownian motion of a segment at `share` of its length, by midpoint displacement. */
function brownian(segment: Segment, share: number): number {
  let left = 0
  let right = endValue(segment)
  let from = 0
  let length = 1
  let node = 1
  const grain = grainMs / (segment.to - segment.from)
  // 24 halvings divide thirty years into less than a minute.
  for (let level = 0; level < 24 && length > grain; level++) {
    const deviation = Math.sqrt(length * segment.end) / 2
    const middle = (left + right) / 2 + deviation * gaussian(mix(segment.key, node + 0x10000))
    length /= 2
    if (share < from + length) {
      right = middle
      node = node * 2
    } else {
      left = middle
      from += length
      node = node * 2 + 1
    }
  }
  return left + (right - left) * (share - from) / length
}
