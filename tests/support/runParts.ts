/**
 * Runs a computation in parts without a pause, for tests of pure code.
 *
 * @module
 */
import type { Parts } from "../../src/core/domain/parts.ts"

export function runParts<A>(parts: Parts<A>): A {
  for (;;) {
    const part = parts.next()
    if (part.done === true) return part.value
  }
}
