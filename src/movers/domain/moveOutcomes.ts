/**
 * What moves did next: sums of drift by kind of move, and what they say of the next such move.
 *
 * Drift is direction x (later price - published price): positive when the move continued, negative
 * when it reversed. It is counted in half price steps (`book.ts`), so that every sum is a whole number:
 * sums do not depend on the order of the moves, and add up exactly.
 *
 * @module
 */
import { studentQuantile } from "../../core/domain/student.ts"
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import type { ExpectedDrift, MoveExpectation, MoveWindow } from "../../feed/domain/item.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

/** The facts of a move that its bin depends on, as known at publication. */
export interface MoveFeatures {
  readonly window: MoveWindow
  /** Price change; only its size counts. */
  readonly delta: number
  readonly zScore: number
  readonly converged: boolean
  /** The market's scheduled end; null when unknown. */
  readonly endsAt: EpochMs | null
  readonly emittedAt: EpochMs
}

/** Lower limits of the bins: five points is the smallest mover, three the classical outlier. */
const sizes = [[0.2, "20+ points"], [0.1, "10-20 points"], [0, "under 10 points"]] as const
const scores = [[6, "z 6+"], [3, "z 3-6"], [0, "z under 3"]] as const
/** A market whose scheduled end is nearer than this may resolve before the later price. */
const nearEndMs = 24 * hour

/**
 * The bins of a move, finest first; each next one leaves out one or two features. Converged and
 * contested moves never share a bin: a converged price has little room in one direction.
 */
export function binsOf(move: MoveFeatures): ReadonlyArray<string> {
  const { window, delta, zScore, converged, endsAt, emittedAt } = move
  const state = converged ? "converged" : "contested"
  const moved = halfSteps(Math.abs(delta))
  const size = sizes.find(([from]) => moved >= halfSteps(from))?.[1] ?? sizes[2][1]
  const score = scores.find(([from]) => zScore >= from)?.[1] ?? scores[2][1]
  const end = endsAt === null
    ? "end unknown"
    : endsAt - emittedAt < nearEndMs
    ? "end within 24 h"
    : "end later"
  const features = [state, `${window} window`, size, score, end]
  return [5, 4, 3, 1].map((length) => features.slice(0, length).join(", "))
}

/** What one move did until a later price, in half price steps. */
export interface MoveOutcome {
  readonly drift: number
  /** 2 x drift + size of the move: from 0 on, the later price is at or beyond the midpoint. */
  readonly margin: number
}

/** A move from 0.50 to 0.60 keeps half at 0.55 and above, one from 0.60 to 0.50 at 0.55 and below. */
export function outcomeOf(
  { priceStart, priceNow }: { readonly priceStart: number; readonly priceNow: number },
  later: number,
): MoveOutcome {
  const moved = halfSteps(priceNow) - halfSteps(priceStart)
  const drift = Math.sign(moved) * (halfSteps(later) - halfSteps(priceNow))
  // Minus zero would be another number in a database.
  return { drift: drift === 0 ? 0 : drift, margin: 2 * drift + Math.abs(moved) }
}

/**
 * Sums over the moves of one bin. Moves of one event are one trial: `n` and `s` are the number of moves
 * and the sum of drifts of an event, in half price steps.
 */
export interface OutcomeSums {
  readonly moves: number
  readonly events: number
  /** Moves that kept half. */
  readonly kept: number
  /** Sum of s. */
  readonly drift: number
  /** Sums of n x n, n x s and s x s. */
  readonly movesMoves: number
  readonly movesDrift: number
  readonly driftDrift: number
}

/** Sums by bin, for one horizon. */
type SumsByBin = ReadonlyMap<string, OutcomeSums>

/** An hour and a day after publication. */
export type Horizon = "1h" | "24h"
export type SumsByHorizon = Readonly<Record<Horizon, SumsByBin>>

/** The sums of two sets of moves; exact when no event has moves in both. */
export function addSums(a: OutcomeSums, b: OutcomeSums): OutcomeSums {
  return {
    moves: a.moves + b.moves,
    events: a.events + b.events,
    kept: a.kept + b.kept,
    drift: a.drift + b.drift,
    movesMoves: a.movesMoves + b.movesMoves,
    movesDrift: a.movesDrift + b.movesDrift,
    driftDrift: a.driftDrift + b.driftDrift,
  }
}

/** A move with what it did, as the sums need it. */
export interface JudgedMove extends MoveOutcome {
  readonly event: string
  readonly bins: ReadonlyArray<string>
}

/** The sums of these moves by bin, in any order. */
export function sumsByBin(judged: Iterable<JudgedMove>): SumsByBin {
  const events = new Map<string, Map<string, { moves: number; kept: number; drift: number }>>()
  for (const { event, bins, drift, margin } of judged) {
    for (const bin of bins) {
      const ofBin = events.get(bin) ?? new Map()
      const ofEvent = ofBin.get(event) ?? { moves: 0, kept: 0, drift: 0 }
      ofEvent.moves += 1
      ofEvent.kept += margin >= 0 ? 1 : 0
      ofEvent.drift += drift
      events.set(bin, ofBin.set(event, ofEvent))
    }
  }
  return new Map([...events].map(([bin, ofBin]) => [
    bin,
    [...ofBin.values()].map(({ moves, kept, drift }): OutcomeSums => ({
      ...{ moves, kept, drift, events: 1 },
      movesMoves: moves * moves,
      movesDrift: moves * drift,
      driftDrift: drift * drift,
    })).reduce(addSums),
  ]))
}

/** With fewer independent events, a normal interval for a mean of rare large jumps is too narrow. */
export const eventsMin = 50

/**
 * Two more events, in the variance alone, that moved by half of the price range, one in each direction:
 * the interval of a bin without a jump so far does not exclude jumps (the idea of Agresti and Coull
 * 1998 for rates).
 */
const pseudoEvents = 2
const pseudoDrift = halfSteps(0.5)

/** The mean drift of a bin, in price, with an interval. */
type Drift = Pick<ExpectedDrift, "drift" | "driftLow" | "driftHigh" | "shareKept">

/**
 * The mean drift of these moves with a 95 % interval, or null with fewer than `eventsMin` events.
 *
 * With `nextEvents`, a prediction interval: in 95 % of cases it contains the mean drift of the moves of
 * that many further independent events. Without, a confidence interval for the mean of all such moves.
 *
 * The mean is sum(s) / sum(n), a ratio over events; its variance is clustered by event (Liang and Zeger
 * 1986): G / (G - 1) x sum((s - mean x n)^2) / sum(n)^2. The mean of K further events has G / K times
 * that variance, and is independent of it. The quantile is Student's with G - 1 degrees of freedom.
 */
export function driftOf(sums: OutcomeSums, nextEvents?: number): Drift | null {
  const { moves, events, kept, drift, movesMoves, movesDrift, driftDrift } = sums
  if (events < eventsMin) return null
  const mean = drift / moves
  const observed = driftDrift - 2 * mean * movesDrift + mean * mean * movesMoves
  const squares = observed + pseudoEvents * (pseudoDrift * moves / events) ** 2
  const variance = events / (events - 1) * squares / (moves * moves)
  const spread = 1 + (nextEvents === undefined ? 0 : events / nextEvents)
  const half = studentQuantile(events - 1) * Math.sqrt(variance * spread)
  return {
    drift: roundPrice(mean),
    driftLow: roundPrice(mean - half),
    driftHigh: roundPrice(mean + half),
    shareKept: Math.round(kept / moves * 1e3) / 1e3,
  }
}

/** Half price steps as a price, rounded to hundredths of a cent. */
function roundPrice(steps: number): number {
  return Math.round(fromHalfSteps(steps) * 1e4) / 1e4 + 0
}

/** What an expectation may rest on, in order of preference within a bin. */
export interface OutcomeSource {
  readonly basis: ExpectedDrift["basis"]
  readonly sums: SumsByHorizon
}

/**
 * What such moves did next; null while not known. The sources must contain no move judged after publication.
 *
 * Each horizon has the finest bin of the move in which a source has enough events. Its interval
 * contains, in 95 % of cases, the mean drift of the next moves of the bin, over as many independent events
 * as it was computed from.
 */
export function expectationOf(
  move: MoveFeatures,
  sources: ReadonlyArray<OutcomeSource>,
): MoveExpectation | null {
  const bins = binsOf(move)
  const after = (horizon: Horizon): ExpectedDrift | null => {
    for (const bin of bins) {
      for (const { basis, sums } of sources) {
        const found = sums[horizon].get(bin)
        const drift = found === undefined ? null : driftOf(found, found.events)
        if (found === undefined || drift === null) continue
        return { ...drift, moves: found.moves, events: found.events, bin, basis }
      }
    }
    return null
  }
  const [after1h, after24h] = [after("1h"), after("24h")]
  return after1h === null && after24h === null ? null : { after1h, after24h }
}

/** An interval for the next moves of a bin, with the sums that it was computed from. */
export interface Statement {
  readonly moves: number
  readonly events: number
  /** Sum of drifts, in half price steps. */
  readonly drift: number
  readonly low: number
  readonly high: number
}

/**
 * The test of a bin's intervals: an interval is stated once there are enough events, and tested when as
 * many further events have followed, on the mean drift of the further moves alone; then the next one is
 * stated. `contained` is null while there is nothing to test. An event with moves before and after the
 * statement counts as further moves, not as a further event.
 */
export function restate(
  stated: Statement | null,
  sums: OutcomeSums,
): { readonly stated: Statement | null; readonly contained: boolean | null } {
  const { moves, events, drift } = sums
  const moreMoves = moves - (stated?.moves ?? 0)
  if (stated !== null && (events < 2 * stated.events || moreMoves <= 0)) {
    return { stated, contained: null }
  }
  const next = driftOf(sums, events)
  if (next === null) return { stated, contained: null }
  const followed = stated === null ? 0 : fromHalfSteps((drift - stated.drift) / moreMoves)
  return {
    stated: { moves, events, drift, low: next.driftLow, high: next.driftHigh },
    contained: stated === null ? null : stated.low <= followed && followed <= stated.high,
  }
}

/**
 * How many moves would have kept half if their mean drift had been zero, as it is for a fair price (a
 * martingale): the same moves with the same later changes, each less the mean drift. It keeps the size,
 * the skew and the bounds of the changes. A margin is 2 x drift + |move| in half price steps: a move kept
 * half when its margin is at least 0, and would have when it is at least twice the mean drift.
 */
export function martingaleKept(
  margins: Iterable<readonly [margin: number, moves: number]>,
  meanDrift: number,
): number {
  let kept = 0
  for (const [margin, moves] of margins) if (margin >= 2 * meanDrift) kept += moves
  return kept
}
