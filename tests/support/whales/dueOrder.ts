/**
 * The order in which the results of one wallet may count, for the store in memory, the oracle and the
 * simulation of labels. The rule is described in `src/whales/domain/due.ts`.
 *
 * @module
 */
import { overdueMsMax } from "../../../src/whales/domain/due.ts"

/** A position with entries. */
export interface ScheduledPosition {
  /** `-Infinity` without a schedule. */
  readonly dueAt: number
  readonly isOpen: boolean
}

/** Results of the wallet with these positions may count at `at` if they were due before this. */
export function dueBefore(positions: Iterable<ScheduledPosition>, at: number): number {
  // Times are whole milliseconds.
  let before = at + 1
  for (const { dueAt, isOpen } of positions) {
    if (isOpen && dueAt <= at && dueAt > at - overdueMsMax) before = Math.min(before, dueAt)
  }
  return before
}
