/**
 * Rows gathered: those that became values, and the others counted by reason.
 *
 * @module
 */
import { Result } from "effect"
import type { Decoded } from "../../markets/VenueClient.ts"

/** Decodes each row. A row that is none costs only itself. */
export function decodeRows<A>(
  rows: ReadonlyArray<unknown>,
  decode: (row: unknown) => Result.Result<A, string>,
): Decoded<A> {
  const found: Array<A> = []
  const rejected: Record<string, number> = {}
  for (const row of rows) {
    const decoded = decode(row)
    if (Result.isSuccess(decoded)) found.push(decoded.success)
    else rejected[decoded.failure] = (rejected[decoded.failure] ?? 0) + 1
  }
  return { rows: found, rejected }
}

/** Everything that was decoded and everything that was rejected, as one. */
export function merge<A>(parts: ReadonlyArray<Decoded<A>>): Decoded<A> {
  const rejected: Record<string, number> = {}
  for (const part of parts) {
    for (const [reason, count] of Object.entries(part.rejected)) {
      rejected[reason] = (rejected[reason] ?? 0) + count
    }
  }
  return { rows: parts.flatMap((part) => part.rows), rejected }
}
