/**
 * Long computations in parts, so that a caller can pause between them. `src/core/slices.ts` does.
 *
 * @module
 */

/** A computation that stops at each `yield`. The parts are short: one text, one comparison. */
export type Parts<A> = Generator<undefined, A, undefined>

/** `map` with one part for each item. */
export function* mapParts<A, B>(items: Iterable<A>, f: (item: A) => B): Parts<ReadonlyArray<B>> {
  const results: Array<B> = []
  for (const item of items) {
    results.push(f(item))
    yield
  }
  return results
}
