/**
 * A value that is made when it is first needed.
 *
 * @module
 */

/** Calls `make` at the first call, and returns the same value ever after. */
export function once<A>(make: () => A): () => A {
  let made: { readonly value: A } | null = null
  return () => (made ??= { value: make() }).value
}
