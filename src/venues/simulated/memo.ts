/**
 * A cache of bounded size for values that can be recomputed.
 *
 * @module
 */

/** The value of a key, computed when it is not cached. */
type Memo<A> = (key: number, compute: () => A) => A

/** Caches at most `capacity` values; when full, it drops the older half. */
export function makeMemo<A>(capacity: number): Memo<A> {
  let young = new Map<number, A>()
  let old = new Map<number, A>()
  return (key, compute) => {
    const known = young.get(key)
    if (known !== undefined) return known
    const value = old.get(key) ?? compute()
    if (young.size >= capacity / 2) {
      old = young
      young = new Map()
    }
    young.set(key, value)
    return value
  }
}

/** A world of at most this many markets is cached completely. */
const smallWorldMax = 8_192

/**
 * How many markets to cache: all of a small world. In a large one a full listing would fill the
 * cache with markets that are dropped before their next use, so the cache is small.
 */
export function marketCacheSize(markets: number): number {
  return markets <= smallWorldMax ? 40 * markets + 16 : 512
}
