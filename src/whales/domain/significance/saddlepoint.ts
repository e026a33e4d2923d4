/**
 * The tail of a sum of many independent whole numbers, from its cumulants.
 *
 * @module
 */
import { type Cumulants, meanOf, placeOf, stepAt } from "./cumulants.ts"
import { normalDensity, normalTail } from "./normal.ts"

/** So near the mean that the formula would divide by nothing; the tail is about a half there. */
const nearMean = 0.02

/**
 * P(N >= observed) for `side` 1, P(N <= observed) for -1, by Lugannani and Rice with Daniels' second
 * continuity correction (Tail probability approximations, International Statistical Review 55,
 * 1987), for a lattice of some step. Never more than Chernoff's bound, and 1 about the mean and beyond.
 *
 * Where all summands are of one size this is exact to 3 %. Where they differ the true lattice is finer
 * than the mean of their steps, so that the correction is too large: the tail begins further in, and
 * comes out too large. The larger step of those at the observed total and further in is taken: among
 * small summands at the very end the lattice grows coarse as soon as a large one moves.
 */
export function saddlepointTail(
  cumulants: Cumulants,
  observed: number,
  side: 1 | -1,
): number {
  const near = stepAt(cumulants, observed)
  const step = Math.max(near, stepAt(cumulants, observed - side * near / 2))
  const from = observed - side * step / 2
  if (side * (from - meanOf(cumulants)) <= 0) return 1
  const { t, value, curve } = placeOf(cumulants, from)
  const w = Math.sqrt(Math.max(0, 2 * (t * from - value)))
  if (w < nearMean) return 1
  const u = 2 / step * Math.sinh(step * Math.abs(t) / 2) * Math.sqrt(Math.max(0, curve))
  const tail = normalTail(w) + normalDensity(w) * (1 / u - 1 / w)
  const bound = Math.exp(-w * w / 2)
  return tail > 0 ? Math.min(bound, tail) : bound
}
