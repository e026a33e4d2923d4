/**
 * A cache of bounded size for values that can be recomputed.
 *
 * @module
 */

/** The value of a key, computed when it is not cached. */
type Memo<A> = (key: number, compute: () => A) => A

/** Enough for the markets of months of a small world. */
const valuesMax = 40_000

/**
 * Forgets all its values when it is full, which is not before it has a value for each of the `live`
 * markets of a world and of those before them.
 */
export function makeMemo<A>(live = 0): Memo<A> {
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
