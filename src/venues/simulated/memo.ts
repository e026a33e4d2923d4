/**
 * A cache of bounded size for values that can be recomputed.
 *
 * @module
 */

/** Enough for the markets of months of a small world. */
const valuesMax = 40_000

/** Forgets all its values when it is full, but not before each of the `live` markets has two. */
export function makeMemo<A>(live = 0): (key: number, compute: () => A) => A {
  const room = Math.max(valuesMax, 2 * live)
  const known = new Map<number, A>()
  return (key, compute) => {
    const cached = known.get(key)
    if (cached !== undefined) return cached
    const value = compute()
    if (known.size >= room) known.clear()
    known.set(key, value)
    return value
  }
}
