/**
 * The density and the tail of the normal distribution.
 *
 * @module
 */

/** The 97.5 % quantile: a 95 % interval is the mean plus or minus this many standard errors. */
export const z95 = 1.959963984540054

/** Density at `x`. */
export function normalDensity(x: number): number {
  return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)
}

/** Above it the continued fraction with `steps` is exact to double precision. */
const seriesMax = 3
const steps = { series: 80, fraction: 60 }

/**
 * P(X > x) of a standard normal X, with a relative error of about 1e-13.
 *
 * Below 3 by Taylor's series around 0 (Marsaglia, Evaluating the normal distribution, Journal of
 * Statistical Software 11/5, 2004), above by Laplace's continued fraction (Abramowitz and Stegun,
 * 26.2.14).
 */
export function normalTail(x: number): number {
  if (x < 0) return 1 - normalTail(-x)
  if (x < seriesMax) {
    let term = x
    let sum = x
    for (let i = 1; i <= steps.series; i++) {
      term *= x * x / (2 * i + 1)
      sum += term
    }
    return 0.5 - sum * normalDensity(x)
  }
  let fraction = x
  for (let i = steps.fraction; i >= 1; i--) fraction = x + i / fraction
  return normalDensity(x) / fraction
}
