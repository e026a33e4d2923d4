/**
 * The distribution of a sum of whole numbers, kept so that summands can be added and taken away.
 *
 * The characteristic function of the sum is the product of those of its parts. Kept as logarithm and
 * angle at the roots of unity of one order it adds up, and a discrete Fourier transform gives back the
 * chance of every stretch of totals that is no longer than the order, exactly.
 *
 * @module
 */
import { addFigures, type Figures, type Outcome } from "./outcomes.ts"

/** Totals that can be told apart. Sums in store were made with it: with another, all is to be counted anew. */
export const order = 256
/** The other half mirrors this one. */
const kept = order / 2 + 1

/** Plain JSON; at each of the first roots of unity. */
export interface Harmonics {
  /** ln of the modulus. */
  readonly size: Figures
  /** Radians; whole turns mean nothing. */
  readonly angle: Figures
}

const zeros: Figures = Array.from({ length: kept }, () => 0)
export const noHarmonics: Harmonics = { size: zeros, angle: zeros }

const cosines: Figures = Array.from({ length: order }, (_, i) => Math.cos(2 * Math.PI * i / order))
const sines: Figures = Array.from({ length: order }, (_, i) => Math.sin(2 * Math.PI * i / order))

/** Nothing has no logarithm; the square of a modulus is so small that it is taken for this. */
const squareMin = 1e-24

export function harmonicsOf(outcomes: ReadonlyArray<Outcome>): Harmonics {
  const size = [...zeros]
  const angle = [...zeros]
  for (let i = 1; i < kept; i++) {
    let real = 0
    let imaginary = 0
    for (const { total, chance } of outcomes) {
      real += chance * (cosines[i * total % order] ?? 0)
      imaginary += chance * (sines[i * total % order] ?? 0)
    }
    size[i] = Math.log(Math.max(squareMin, real * real + imaginary * imaginary)) / 2
    angle[i] = Math.atan2(imaginary, real)
  }
  return { size, angle }
}

/** `sums` with `part` added `times` over: -1 takes it away. */
export function addHarmonics(sums: Harmonics, part: Harmonics, times: 1 | -1): Harmonics {
  return {
    size: addFigures(sums.size, part.size, times),
    angle: addFigures(sums.angle, part.angle, times),
  }
}

/**
 * The chance of a total from `first` to `last`, both within and at most `order` of them; totals that
 * are apart by a multiple of `order` are taken for the same. In [0, 1], to about 1e-15.
 */
export function chanceBetween({ size, angle }: Harmonics, first: number, last: number): number {
  const count = last - first + 1
  if (count <= 0) return 0
  let sum = count
  for (let i = 1; i < kept; i++) {
    // The sum of cos(angle - turn x total) over the stretch is that of its middle, times a ratio.
    const half = Math.PI * i / order
    const stretch = Math.sin(half * count) / Math.sin(half)
    const middle = (angle[i] ?? 0) - half * (first + last)
    const twice = i === order / 2 ? 1 : 2
    sum += twice * Math.exp(size[i] ?? 0) * stretch * Math.cos(middle)
  }
  return Math.min(1, Math.max(0, sum / order))
}
