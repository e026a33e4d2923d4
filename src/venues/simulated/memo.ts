/**
 * A cache of bounded size for values that can be recomputed.
 *
 * @module
 */

/** The value of a key, computed when it is not cached. */
type Memo<A> = (key: number, compute: () => A) => A

/** Enough for the markets of months of a small world, and for a part of a large one. */
const valuesMax = 40_000

/** Forgets all its values when it is full. */
export function makeMemo<A>(): Memo<A> {
  const known = new Map<number, A>()
  return (key, compute) => {
    const value = known.get(key) ?? compute()
    if (known.size >= valuesMax) known.clear()
    known.set(key, value)
    return value
  }
}
