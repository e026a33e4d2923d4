/**
 * How much work a test does. `deno task test` runs a small size that can still fail; CI and
 * `deno task test:full` run the full size. One file at full size:
 * `deno test -A --no-check FILE -- --full`.
 *
 * An argument needs no permission, so tests of domain modules can read it as well.
 *
 * @module
 */

export const isFull: boolean = Deno.args.includes("--full")

/** Picks one of two sizes; both numbers are written down where they are used. */
export const sized = <A>(sizes: { readonly short: A; readonly full: A }): A =>
  isFull ? sizes.full : sizes.short
