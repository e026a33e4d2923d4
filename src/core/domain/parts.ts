/**
 * Long computations in parts, so that a caller can pause between them. `src/core/slices.ts` does.
 *
 * @module
 */

/** A computation that stops at each `yield`. The parts are short: one text, one comparison. */
export type Parts<A> = Generator<undefined, A, undefined>

/** The result, without a pause. */
export function runParts<A>(parts: Parts<A>): A {
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
  }
}

/** `map` with one part for each item. */
export function* mapParts<A, B>(items: Iterable<A>, f: (item: A) => B): Parts<ReadonlyArray<B>> {
  const results: Array<B> = []
  for (const item of items) {
    results.push(f(item))
    yield
  }
  return results
}
