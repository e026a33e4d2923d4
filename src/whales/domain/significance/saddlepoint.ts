/**
 * The tail of a sum of many independent whole numbers, from its cumulants.
 *
 * @module
 */
import { type Cumulants, meanOf, pointWithSlope, stepAt } from "./cumulants.ts"
import { normalDensity, normalTail } from "./normal.ts"

/** This near the mean the formula divides by almost 0; the tail is about a half there. */
const nearMean = 0.02

/**
 * P(N >= observed) for `side` 1, P(N <= observed) for -1, by Lugannani and Rice with Daniels' second
 * continuity correction (Tail probability approximations, International Statistical Review 55,
 * 1987), for a lattice of any step. The result is at most Chernoff's bound. It is 1 around the mean, and
 * where the tail contains the mean.
 *
 * The error is at most 3 % when all summands have one size. When sizes differ, the true lattice is finer
 * than the mean step, so the correction, and with it the tail, is too large. The step is measured at the
 * observed total and at a point nearer to the mean, and the larger one is used, because at the end of the
 * range one large summand makes a lattice of small ones coarse.
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
  const { t, value, curve } = pointWithSlope(cumulants, from)
  const w = Math.sqrt(Math.max(0, 2 * (t * from - value)))
  if (w < nearMean) return 1
  const u = 2 / step * Math.sinh(step * Math.abs(t) / 2) * Math.sqrt(Math.max(0, curve))
  const tail = normalTail(w) + normalDensity(w) * (1 / u - 1 / w)
  const bound = Math.exp(-w * w / 2)
  return tail > 0 ? Math.min(bound, tail) : bound
}
