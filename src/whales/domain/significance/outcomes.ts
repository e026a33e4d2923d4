/**
 * What one draw may bring a wallet in one event: whole totals and their chances, and how tables of
 * figures of many events are added.
 *
 * @module
 */

/** A total that one event may come to, and its chance. */
export interface Outcome {
  /** Whole, at least 0. */
  readonly total: number
  readonly chance: number
}

/** Figures at fixed places. */
export type Figures = ReadonlyArray<number>

/** `sums` with `part` added `times` over: -1 takes it away. */
export function addFigures(sums: Figures, part: Figures, times: 1 | -1): Figures {
  const moved: Array<number> = []
  for (let i = 0; i < sums.length; i++) moved.push((sums[i] ?? 0) + times * (part[i] ?? 0))
  return moved
}
