/**
 * What prices did after movers were published: the mean drift with its interval, and the share that kept
 * half next to that of a martingale.
 *
 * Drift is direction x (later price - published price): positive when the move continued, negative
 * when it reversed. It is counted in half price steps (`book.ts`), so that sums are exact. Moves of one
 * event, and moves of one UTC day, are not independent.
 *
 * @module
 */
import { Schema } from "effect"
import { clusteredMean, type ClusterSums, noClusters } from "../../core/domain/clusteredMean.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import { fromHalfSteps, halfSteps } from "../../markets/domain/book.ts"
import type { MovePhase } from "../../feed/domain/item.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"

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

/** How long after publication the price is compared. */
export const horizons = ["1h", "6h", "24h"] as const
export type Horizon = (typeof horizons)[number]

/** The judged movers of one horizon and phase. Drifts are in half steps. */
export interface MoveTotals {
  readonly horizon: Horizon
  readonly phase: MovePhase
  readonly kept: number
  /**
   * Moves that would have kept half if their mean drift had been zero, as it is for a fair price (a
   * martingale): those whose margin is at least twice the mean drift. It keeps the size, the skew and
   * the bounds of the changes.
   */
  readonly martingaleKept: number
  readonly byEvent: ClusterSums
  readonly byDay: ClusterSums
  readonly byEventAndDay: ClusterSums
}

/** With fewer independent events, an interval for a mean of rare large jumps is too narrow. */
export const eventsMin = 50

/**
 * Two more events, in the variance alone, that moved by half of the price range, one in each direction:
 * the interval of moves without a jump so far does not exclude jumps (the idea of Agresti and Coull 1998
 * for rates).
 */
const pseudoEvents = 2
const pseudoDrift = halfSteps(0.5)

const RateOrNull = Schema.NullOr(Rate)

const DriftScore = Schema.Struct({
  moves: Count.annotate({ description: "Judged movers with a known later price" }),
  events: Count.annotate({
    description: "Independent events of these movers; markets of one game are one event",
  }),
  meanDrift: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Mean of direction x (later price - priceNow), USD per share; negative is reversion. Null " +
      `with fewer than ${eventsMin} events`,
  }),
  driftLow: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Lower end of the 95 % interval of meanDrift, USD per share; movers of one event, and of one " +
      "UTC day, are taken as dependent. Null where meanDrift is",
  }),
  driftHigh: Schema.NullOr(Schema.Finite).annotate({
    description: "Upper end of that interval, USD per share; null where meanDrift is",
  }),
  shareKept: RateOrNull.annotate({
    description:
      "Share, 0 to 1, of these movers whose later price was at or beyond half of the move; null " +
      "without any",
  }),
  martingaleShareKept: RateOrNull.annotate({
    description:
      "The share, 0 to 1, that would have kept half without meanDrift, at a fair price; only the difference to shareKept is evidence. Null without any",
  }),
}).annotate({ identifier: "DriftScore" })

const DriftScores = Schema.Struct({
  running: DriftScore.annotateKey({ description: "Movers published while the price still moved" }),
  settled: DriftScore.annotateKey({ description: "Movers published after the price settled" }),
}).annotate({ identifier: "DriftScores" })

/** The drift of movers, on the wire. */
export const MoverDrift = Schema.Struct({
  after1h: DriftScores.annotateKey({ description: "An hour after publication" }),
  after6h: DriftScores.annotateKey({ description: "Six hours after publication" }),
  after24h: DriftScores.annotateKey({ description: "A day after publication" }),
}).annotate({
  description: "What prices did after publication, for movers with a known event",
})

export function moverDrift(totals: ReadonlyArray<MoveTotals>): typeof MoverDrift.Type {
  const after = (horizon: Horizon) => {
    const of = totals.filter((row) => row.horizon === horizon)
    return {
      running: driftScore(of.find(({ phase }) => phase === "running")),
      settled: driftScore(of.find(({ phase }) => phase === "settled")),
    }
  }
  return { after1h: after("1h"), after6h: after("6h"), after24h: after("24h") }
}

function driftScore(totals: MoveTotals | undefined): typeof DriftScore.Type {
  const { n, clusters } = totals?.byEvent ?? noClusters
  const drift = totals === undefined || clusters < eventsMin ? null : driftOf(totals)
  const share = (of = 0) => n === 0 ? null : roundRate(of / n)
  return {
    moves: n,
    events: clusters,
    meanDrift: drift === null ? null : roundPrice(drift.mean),
    driftLow: drift === null ? null : roundPrice(drift.low),
    driftHigh: drift === null ? null : roundPrice(drift.high),
    shareKept: share(totals?.kept),
    martingaleShareKept: share(totals?.martingaleKept),
  }
}

function driftOf({ byEvent, byDay, byEventAndDay }: MoveTotals) {
  const more = pseudoEvents * (pseudoDrift * byEvent.n / byEvent.clusters) ** 2
  const withJumps = (sums: ClusterSums): ClusterSums => ({ ...sums, ss: sums.ss + more })
  return clusteredMean(withJumps(byEvent), {
    second: withJumps(byDay),
    both: withJumps(byEventAndDay),
  })
}

/** Half price steps as a price, rounded to hundredths of a cent. */
function roundPrice(steps: number): number {
  return Math.round(fromHalfSteps(steps) * 1e4) / 1e4 + 0
}
