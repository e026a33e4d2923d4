/**
 * The rule that the movers are compared with: a price alert at a fixed number of points.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import { type MoveWindow, windowMs } from "../../feed/domain/item.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/**
 * The thresholds that are replayed together, in points (cents of price): from more items than any rule of
 * 5 points has, to very few.
 */
export const naivePoints: ReadonlyArray<number> = Array.from({ length: 58 }, (_, n) => n + 3)

/** The most common alert. */
export const usualPoints = 5

/** Until when each threshold is silent for one market; mutated. */
export type Silence = Float64Array

export function noSilence(): Silence {
  return new Float64Array(naivePoints.length)
}

/**
 * The thresholds that fire at this tick, by window. A threshold fires when the price moved by at least
 * that much over the window, 1 h before 24 h, and is then silent for the market for the window's length.
 */
export function naiveAlerts(
  moves: ReadonlyArray<{ readonly window: MoveWindow; readonly delta: number }>,
  now: EpochMs,
  silentUntil: Silence,
): ReadonlyArray<{ readonly window: MoveWindow; readonly points: ReadonlyArray<number> }> {
  return moves.map(({ window, delta }) => {
    const size = Math.abs(halfSteps(delta))
    const points: Array<number> = []
    for (const [n, threshold] of naivePoints.entries()) {
      if (size < halfSteps(threshold / 100)) break
      if ((silentUntil[n] ?? 0) > now) continue
      silentUntil[n] = now + windowMs[window]
      points.push(threshold)
    }
    return { window, points }
  })
}
