/**
 * The expected outcome of a sale with a fault at one of its calls.
 *
 * A row gives, for one call and one kind of fault: the buyer's outcome, the state of the row, and
 * the end. There is one end when it is the same for a buyer who sends the payment again and for one
 * who does not; otherwise the first end is for the buyer who does not. Left of the bar the fault
 * comes before the call takes effect, right of it after; without a bar there is no difference.
 * `lost` is the buyer's outcome when the process dies.
 *
 * @module
 */

import matrix from "./payments.faultMatrix.txt" with { type: "text" }

const tables = new Map(
  matrix.trim().split("\n\n").map((table) => {
    const [flow = "", ...rows] = table.split("\n")
    return [flow.slice(0, -1), rows.map((row) => row.trim())] as const
  }),
)

/** The rows of one flow, in the order of its calls. */
export const rowsOf = (flow: string): ReadonlyArray<string> => tables.get(flow) ?? []
