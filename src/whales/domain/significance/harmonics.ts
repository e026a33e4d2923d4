/**
 * The distribution of a sum of whole numbers, in a form that can add and subtract summands.
 *
 * The characteristic function of a sum is the product of those of its summands. Its logarithm at the
 * roots of unity is additive, and a discrete Fourier transform returns the exact probability of every
 * range of totals no longer than the order.
 *
 * @module
 */
import { addFigures, type Figures, type Outcome } from "./outcomes.ts"

/** How many totals are distinct. Stored sums depend on it: a change requires a recount of all wallets. */
export const order = 256
/** The values at the other roots are the complex conjugates of these. */
const storedRoots = order / 2 + 1

/** Figures at each of the first roots of unity. */
export interface Harmonics {
  /** ln of the modulus. */
  readonly size: Figures
  /** Radians, modulo 2 pi. */
  readonly angle: Figures
}

const zeros: Figures = Array.from({ length: storedRoots }, () => 0)
export const noHarmonics: Harmonics = { size: zeros, angle: zeros }

const cosines: Figures = Array.from({ length: order }, (_, i) => Math.cos(2 * Math.PI * i / order))
const sines: Figures = Array.from({ length: order }, (_, i) => Math.sin(2 * Math.PI * i / order))

/** A smaller squared modulus is replaced by this, because 0 has no logarithm. */
const squareMin = 1e-24

export function harmonicsOf(outcomes: ReadonlyArray<Outcome>): Harmonics {
  const size = [...zeros]
  const angle = [...zeros]
  for (let i = 1; i < storedRoots; i++) {
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

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addHarmonics(sums: Harmonics, part: Harmonics, times: 1 | -1): Harmonics {
  return {
    size: addFigures(sums.size, part.size, times),
    angle: addFigures(sums.angle, part.angle, times),
  }
}

/**
 * The probability of a total in `[first, last]`, a range of at most `order` totals. Totals that differ
 * by a multiple of `order` count as the same. In [0, 1], with an error of about 1e-15.
 */
export function chanceBetween({ size, angle }: Harmonics, first: number, last: number): number {
  const count = last - first + 1
  if (count <= 0) return 0
  let sum = count
  for (let i = 1; i < storedRoots; i++) {
    // The sum of cos(angle - 2 half total) over the range is its middle term times `ratio`.
    const half = Math.PI * i / order
    const ratio = Math.sin(half * count) / Math.sin(half)
    const middle = (angle[i] ?? 0) - half * (first + last)
    const terms = i === order / 2 ? 1 : 2
    sum += terms * Math.exp(size[i] ?? 0) * ratio * Math.cos(middle)
  }
  return Math.min(1, Math.max(0, sum / order))
}
