/**
 * Randomness without state: every draw is a hash of its subject, so it is the same in any order of
 * calls.
 *
 * @module
 */
import { normalCdf } from "../../core/domain/student.ts"

/** A 32-bit hash that identifies the subject of a draw. */
export type Key = number

/** The key of `part` within `key`: a full avalanche (Ellis's lowbias32) over both. */
export function mix(key: Key, part: number): Key {
  let hash = key ^ Math.imul((part + 0x7f4a7c15) | 0, 0x9e3779b1)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x21f0aaad)
  hash ^= hash >>> 15
  hash = Math.imul(hash, 0x735a2d97)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** A uniform draw in (0, 1). */
export function uniform(key: Key): number {
  return (key + 0.5) / 4_294_967_296
}

/** A uniform draw in (low, high). */
export function between(key: Key, low: number, high: number): number {
  return low + (high - low) * uniform(key)
}

/** One item of a non-empty list. */
export function pick<A>(key: Key, from: ReadonlyArray<A>): A {
  const found = from[Math.floor(uniform(key) * from.length)]
  if (found === undefined) throw new RangeError("Cannot pick: the list is empty")
  return found
}

const quantiles = 4_096
const normal = Float64Array.from(
  { length: quantiles },
  (_, n) => normalQuantile((n + 0.5) / quantiles),
)

/** A standard normal draw, from a table of 4,096 quantiles (|z| < 3.7). */
export function gaussian(key: Key): number {
  return normal[key >>> 20] ?? 0
}

/** The two hexadecimal digits of each byte: five times as fast as `toString`. */
const byteHex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** `length` hexadecimal digits, at most 64. */
export function hex(key: Key, length: number): string {
  let digits = ""
  for (let word = 0; digits.length < length && word < 8; word++) {
    const bits = mix(key, word)
    digits += `${byteHex[bits >>> 24]}${byteHex[(bits >>> 16) & 255]}` +
      `${byteHex[(bits >>> 8) & 255]}${byteHex[bits & 255]}`
  }
  return digits.slice(0, length)
}

/** The inverse of `normalCdf` for p in (0, 1), by halving; error below 1e-6 for draws of `gaussian`. */
export function normalQuantile(p: number): number {
  let [low, high] = [-8, 8]
  for (let n = 0; n < 30; n++) {
    const middle = (low + high) / 2
    if (normalCdf(middle) < p) low = middle
    else high = middle
  }
  return low
}
