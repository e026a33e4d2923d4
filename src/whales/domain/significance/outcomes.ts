/**
 * The possible totals of one event with their probabilities, and the addition of figures over events.
 *
 * @module
 */

/** A possible total of one event. */
export interface Outcome {
  /** Whole, at least 0. */
  readonly total: number
  readonly chance: number
}

/** Figures at fixed indices. */
export type Figures = ReadonlyArray<number>

/** Adds `part` to `sums`, or subtracts it when `times` is -1. */
export function addFigures(sums: Figures, part: Figures, times: 1 | -1): Figures {
  const moved: Array<number> = []
  for (let i = 0; i < sums.length; i++) moved.push((sums[i] ?? 0) + times * (part[i] ?? 0))
  return moved
}
