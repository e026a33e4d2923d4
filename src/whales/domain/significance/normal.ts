/**
 * The normal distribution, as far as a tail probability needs it.
 *
 * @module
 */

/** The 97.5 % quantile: a 95 % interval reaches this many standard errors to either side. */
export const z95 = 1.959963984540054

/** Density at `x`. */
export function normalDensity(x: number): number {
  return Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)
}

/** From here on the continued fraction is exact to double precision with `steps`. */
const seriesMax = 3
const steps = { series: 80, fraction: 60 }

/**
 * P(X > x) of a standard normal X, to about 1e-13 of its own size, however small.
 *
 * Below 3 by Taylor's series around 0 (Marsaglia, Evaluating the normal distribution, Journal of
 * Statistical Software 11/5, 2004), above by Laplace's continued fraction (Abramowitz and Stegun,
 * 26.2.14): what both leave out shrinks with every step.
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
