/**
 * A cache of bounded size, for what is slow to compute and safe to forget.
 *
 * @module
 */

/** The value of a name, computed when it is not cached. */
export type Memo<A> = (name: number, make: () => A) => A

/** At most `capacity` values are cached; the older half is dropped at a time. */
export function makeMemo<A>(capacity: number): Memo<A> {
  let young = new Map<number, A>()
  let old = new Map<number, A>()
  return (name, make) => {
    const known = young.get(name)
    if (known !== undefined) return known
    const value = old.get(name) ?? make()
    if (young.size >= capacity / 2) {
      old = young
      young = new Map()
    }
    young.set(name, value)
    return value
  }
}

/** A world of up to this many markets is cached whole. */
const wholeWorld = 8_192

/**
 * How many markets to cache: all of a small world. A sweep over a large one would only carry each
 * market into the old generation and drop it there, so only those in use are cached.
 */
export function marketCacheSize(markets: number): number {
  return markets <= wholeWorld ? 4 * markets + 16 : 512
}
