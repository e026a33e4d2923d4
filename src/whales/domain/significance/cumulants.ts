/**
 * The cumulant generating function of a sum of independent whole numbers, on a fixed grid. It is
 * additive over summands, and gives bounds on the tails of the sum.
 *
 * @module
 */
import { addFigures, type Figures, type Outcome } from "./outcomes.ts"

/** One figure for each t of `grid`. */
export interface Cumulants {
  /** ln E exp(t N) and its first two derivatives. */
  readonly value: Figures
  readonly slope: Figures
  readonly curve: Figures
  /** Sum over summands of E|M - M'|^3 / 2, for two independent draws M and M' tilted by exp(t M). */
  readonly jumps: Figures
}

/**
 * The grid is dense near 0, where sums of many summands are evaluated, and sparse further out: a summand
 * of size a bends the function at a distance of 1/a, so the spacing can grow with the distance. It ends
 * at `reach` on both sides.
 */
const reach = 4
/** Grid points on each side of 0. */
const half = 22
/** A larger value makes the spacing grow faster. */
const stretch = 11
const grid: Figures = Array.from(
  { length: 2 * half + 1 },
  (_, i) => reach * Math.sinh(stretch * (i - half) / half) / Math.sinh(stretch),
)

const zeros: Figures = grid.map(() => 0)
export const noCumulants: Cumulants = { value: zeros, slope: zeros, curve: zeros, jumps: zeros }

export function cumulantsOf(outcomes: ReadonlyArray<Outcome>): Cumulants {
  const most = outcomes.reduce((max, { total }) => Math.max(max, total), 0)
  const tilted = { value: [...zeros], slope: [...zeros], curve: [...zeros], jumps: [...zeros] }
  grid.forEach((t, i) => {
    // The largest exponent is factored out, so that nothing overflows.
    const pivot = t > 0 ? most : 0
    const masses = outcomes.map(({ total, chance }) => chance * Math.exp(t * (total - pivot)))
    const mass = masses.reduce((sum, one) => sum + one, 0)
    const { mean, variance, jumps } = momentsOf(outcomes, masses, mass)
    tilted.value[i] = t * pivot + Math.log(mass)
    tilted.slope[i] = mean
    tilted.curve[i] = variance
    tilted.jumps[i] = jumps
  })
  return tilted
}

/** The moments of one draw whose outcomes have these masses. */
function momentsOf(
  outcomes: ReadonlyArray<Outcome>,
  masses: ReadonlyArray<number>,
  mass: number,
) {
  let mean = 0
  let variance = 0
  let jumps = 0
  for (let i = 0; i < outcomes.length; i++) {
    const total = outcomes[i]?.total ?? 0
    const share = (masses[i] ?? 0) / mass
    mean += share * total
    for (let j = 0; j < i; j++) {
      const apart = Math.abs(total - (outcomes[j]?.total ?? 0))
      const both = share * (masses[j] ?? 0) / mass
      variance += both * apart * apart
      jumps += both * apart ** 3
    }
  }
  return { mean, variance, jumps }
}

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addCumulants(sums: Cumulants, part: Cumulants, times: 1 | -1): Cumulants {
  return {
    value: addFigures(sums.value, part.value, times),
    slope: addFigures(sums.slope, part.slope, times),
    curve: addFigures(sums.curve, part.curve, times),
    jumps: addFigures(sums.jumps, part.jumps, times),
  }
}

export function meanOf({ slope }: Cumulants): number {
  return slope[half] ?? 0
}

export function varianceOf({ curve }: Cumulants): number {
  return Math.max(0, curve[half] ?? 0)
}

/**
 * An interval of totals, by the best Chernoff bound on the grid: the sum is below it with a probability
 * of at most `chance`, and above it with the same.
 */
export function chernoffInterval({ value }: Cumulants, chance: number) {
  const bound = (i: number) => ((value[i] ?? 0) - Math.log(chance)) / (grid[i] ?? 1)
  let lowest = -Infinity
  let highest = Infinity
  for (let i = 0; i < half; i++) lowest = Math.max(lowest, bound(i))
  for (let i = half + 1; i < grid.length; i++) highest = Math.min(highest, bound(i))
  return { lowest, highest }
}

/** Totals are whole numbers; far out, where the variance is 0, no other step is known. */
const stepMin = 1

/**
 * The distance between neighbouring totals where the function has this slope: the lattice step when all
 * summands are equal, else the mean of their steps, weighted by their share of the variance there.
 * Computed at the two nearest grid points, of which the larger value is returned.
 */
export function stepAt(cumulants: Cumulants, slope: number): number {
  const index = indexOf(cumulants, slope)
  const at = (i: number) => {
    const curve = cumulants.curve[i] ?? 0
    return curve > 0 ? (cumulants.jumps[i] ?? 0) / curve : stepMin
  }
  return Math.max(at(index), at(index + 1))
}

/** The grid interval that contains the slope; the first or the last one when none does. */
function indexOf({ slope }: Cumulants, wanted: number): number {
  let low = 0
  let high = grid.length - 1
  while (high - low > 1) {
    const between = (low + high) >> 1
    if ((slope[between] ?? 0) < wanted) low = between
    else high = between
  }
  return low
}

/** The function at `t`, with its first two derivatives. */
interface CurvePoint {
  readonly t: number
  readonly value: number
  readonly slope: number
  readonly curve: number
}

/** Bisection steps within one grid interval, to double precision. */
const bisectionSteps = 52

/** The point with this slope; the end of the grid when it is further out. */
export function pointWithSlope(cumulants: Cumulants, slope: number): CurvePoint {
  const piece = pieceOf(cumulants, indexOf(cumulants, slope))
  let from = 0
  let to = 1
  for (let i = 0; i < bisectionSteps; i++) {
    const middle = (from + to) / 2
    if (piece(middle).slope < slope) from = middle
    else to = middle
  }
  return piece((from + to) / 2)
}

/**
 * Interpolates between two grid points, at a share of the interval, by the polynomial of fifth degree
 * with the value, slope and curvature of both points.
 */
function pieceOf({ value, slope, curve }: Cumulants, index: number): (share: number) => CurvePoint {
  const [t0 = 0, t1 = 1] = [grid[index], grid[index + 1]]
  const width = t1 - t0
  const [f0 = 0, f1 = 0] = [value[index], value[index + 1]]
  const [d0, d1] = [width * (slope[index] ?? 0), width * (slope[index + 1] ?? 0)]
  const [s0, s1] = [width ** 2 * (curve[index] ?? 0), width ** 2 * (curve[index + 1] ?? 0)]
  const rise = f1 - f0 - d0 - s0 / 2
  const turn = d1 - d0 - s0
  const bend = s1 - s0
  const c3 = 10 * rise - 4 * turn + bend / 2
  const c4 = -15 * rise + 7 * turn - bend
  const c5 = 6 * rise - 3 * turn + bend / 2
  return (x) => ({
    t: t0 + x * width,
    value: f0 + x * (d0 + x * (s0 / 2 + x * (c3 + x * (c4 + x * c5)))),
    slope: (d0 + x * (s0 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / width,
    curve: (s0 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / width ** 2,
  })
}
