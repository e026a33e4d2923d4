/**
 * Cuts a list into the pieces that go into one statement each.
 *
 * @module
 */

export function batches<A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> {
  return Array.from(
    { length: Math.ceil(all.length / size) },
    (_, i) => all.slice(i * size, (i + 1) * size),
  )
}
