/**
 * Finds how the rows of a file are ordered, from its first rows.
 *
 * @module
 */
import type { RowOrder } from "./priceReplay.ts"

/** Rows that are read for it; they are kept until the order is known. */
export const orderRows = 10_000

/**
 * `market` when each market's rows stand in one block, with two rows or more in some block, and times
 * go back between two blocks; else `time`.
 */
export function rowOrder(
  rows: ReadonlyArray<{ readonly market: string; readonly at: number }>,
): RowOrder {
  const seen = new Set<string>()
  let [goesBack, longest, length] = [false, 0, 0]
  for (const [n, row] of rows.entries()) {
    const last = rows[n - 1]
    if (last === undefined || last.market !== row.market) {
      if (seen.has(row.market)) return "time"
      if (last !== undefined && row.at < last.at) goesBack = true
      seen.add(row.market)
      length = 0
    }
    length += 1
    longest = Math.max(longest, length)
  }
  return goesBack && longest > 1 ? "market" : "time"
}
