/**
 * The quantile of Student's distribution, for intervals of means over few independent events, and the
 * normal distribution function.
 *
 * @module
 */

/** The 97.5 % quantile of the normal distribution. */
export const z95 = 1.959963984540054

/**
 * The 97.5 % quantile of Student's t: the expansion of Cornish and Fisher (Abramowitz and Stegun,
 * 26.7.5). Exact to four decimals for 1 and 2 degrees of freedom, within 1 % from 3 and 0.001 from 9 on.
 */
export function studentQuantile(degrees: number): number {
  if (degrees <= 1) return 12.7062
  if (degrees === 2) return 4.3027
  const z = z95
  return z + (z ** 3 + z) / (4 * degrees) +
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * degrees ** 3)
}

/** The normal distribution function (Abramowitz and Stegun 26.2.17; error below 1e-7). */
export function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const tail = Math.exp(-z * z / 2) * 0.3989422804014327 * t *
    (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return z > 0 ? 1 - tail : tail
}
