/**
 * A memory of bounded size, for what is dear to work out again and never wrong to forget.
 *
 * @module
 */

export interface Memo<A> {
  readonly get: (name: number) => A | undefined
  readonly set: (name: number, value: A) => void
}

/** A memory of bounded size: at most `capacity` values, the older half forgotten at a time. */
export function makeMemo<A>(capacity: number): Memo<A> {
  let young = new Map<number, A>()
  let old = new Map<number, A>()
  const set = (name: number, value: A) => {
    if (young.size >= capacity / 2) {
      old = young
      young = new Map()
    }
    young.set(name, value)
  }
  return {
    get: (name) => {
      const value = young.get(name)
      if (value !== undefined) return value
      const aged = old.get(name)
      if (aged !== undefined) set(name, aged)
      return aged
    },
    set,
  }
}

/** A world of up to this many markets is remembered whole. */
const wholeWorld = 8_192

/**
 * How many markets to keep at hand: all of a small world. A sweep over a large one would only carry
 * each market into the old generation and drop it there, so just those in use are kept.
 */
export function marketsKept(markets: number): number {
  return markets <= wholeWorld ? 4 * markets + 16 : 512
}
