/**
 * The only source of randomness of a simulated run: the same seed gives the same run.
 *
 * @module
 */

/** The sfc32 generator, seeded with splitmix32. */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: number) {
    let state = seed | 0
    const split = () => {
      state = (state + 0x9e3779b9) | 0
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
      return mixed ^ (mixed >>> 15)
    }
    this.#a = split()
    this.#b = split()
    this.#c = split()
    for (let round = 0; round < 12; round++) this.#next()
  }

  #next(): number {
    const mixed = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + mixed) | 0
    return mixed >>> 0
  }

  /** At least 0, less than 1. */
  fraction(): number {
    return this.#next() / 4_294_967_296
  }

  /** True with this probability. A probability of 0 draws no number. */
  chance(probability: number): boolean {
    return probability > 0 && this.fraction() < probability
  }

  between(low: number, high: number): number {
    return low + this.fraction() * (high - low)
  }

  /** A whole number, at least 0 and less than `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end)
  }

  pick<A>(items: readonly [A, ...ReadonlyArray<A>]): A {
    return items[this.below(items.length)] ?? items[0]
  }
}
