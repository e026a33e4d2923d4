/**
 * The chance that fair prices would have brought a wallet this far from what it paid, by a saddlepoint
 * formula: exact to a few percent or too large, never by a normal approximation.
 *
 * @module
 */
import { normalDensity, normalTail } from "./normal.ts"
import { grid, middle, type NullSums } from "./nullModel.ts"

/** Two-sided: twice the smaller of P(N >= observed) and P(N <= observed), at most 1. */
export function pValueOf(sums: NullSums): number {
  const variance = sums.curve[middle] ?? 0
  if (sums.most === 0 || variance <= 0) return 1
  const step = sums.steps / variance
  return Math.min(1, 2 * Math.min(tail(sums, step, 1), tail(sums, step, -1)))
}

/** Nearer than this to an end, everything (or nothing) came out. */
const endGap = 1e-6

/** So near the mean that the formula would divide by nothing; the tail is about a half there. */
const nearMean = 0.02

/**
 * P(N >= observed) for `side` 1, P(N <= observed) for -1, by Lugannani and Rice with Daniels' second
 * continuity correction (Tail probability approximations, International Statistical Review 55,
 * 1987), for a lattice of `step`.
 *
 * The step is the variance-weighted mean weight of an event. Where weights differ the true lattice is
 * finer, so the correction is too large: the tail reaches further in, and is never too small.
 */
function tail(sums: NullSums, step: number, side: 1 | -1): number {
  const toEnd = side === 1 ? sums.most - sums.observed : sums.observed
  const end = Math.exp(side === 1 ? sums.logAll : sums.logNone)
  if (toEnd < endGap) return end
  const at = sums.observed - side * step / 2
  const mean = sums.slope[middle] ?? 0
  if (side * (at - mean) <= 0) return 1
  const saddle = saddleAt(sums, at)
  const w = Math.sqrt(Math.max(0, 2 * (saddle.t * at - saddle.value)))
  if (w < nearMean) return 1
  const u = 2 / step * Math.sinh(step * Math.abs(saddle.t) / 2) * Math.sqrt(saddle.curve)
  const chance = normalTail(w) + normalDensity(w) * (1 / u - 1 / w)
  return Math.min(1, Math.max(end, chance))
}

interface Saddle {
  readonly t: number
  readonly value: number
  readonly curve: number
}

/** Halvings of one interval of the grid: to the last bit. */
const halvings = 52

/** Where the slope is `at`; the end of the grid when it is nowhere. */
function saddleAt(sums: NullSums, at: number): Saddle {
  const last = grid.length - 1
  let low = 0
  let high = last
  while (high - low > 1) {
    const between = (low + high) >> 1
    if ((sums.slope[between] ?? 0) < at) low = between
    else high = between
  }
  const piece = pieceOf(sums, low)
  let from = 0
  let to = 1
  for (let i = 0; i < halvings; i++) {
    const half = (from + to) / 2
    if (piece(half).slope < at) from = half
    else to = half
  }
  return piece((from + to) / 2)
}

/**
 * The function between two points of the grid, at a share of the way: the polynomial of fifth degree
 * that has its value, slope and curve at both.
 */
function pieceOf(sums: NullSums, index: number) {
  const [t0 = 0, t1 = 1] = [grid[index], grid[index + 1]]
  const width = t1 - t0
  const [f0 = 0, f1 = 0] = [sums.value[index], sums.value[index + 1]]
  const [d0, d1] = [width * (sums.slope[index] ?? 0), width * (sums.slope[index + 1] ?? 0)]
  const [s0, s1] = [
    width ** 2 * (sums.curve[index] ?? 0),
    width ** 2 * (sums.curve[index + 1] ?? 0),
  ]
  const rise = f1 - f0 - d0 - s0 / 2
  const turn = d1 - d0 - s0
  const bend = s1 - s0
  const c3 = 10 * rise - 4 * turn + bend / 2
  const c4 = -15 * rise + 7 * turn - bend
  const c5 = 6 * rise - 3 * turn + bend / 2
  return (x: number): Saddle & { readonly slope: number } => ({
    t: t0 + x * width,
    value: f0 + x * (d0 + x * (s0 / 2 + x * (c3 + x * (c4 + x * c5)))),
    slope: (d0 + x * (s0 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / width,
    curve: (s0 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / width ** 2,
  })
}
