/**
 * The score of movers by what the price did next: mean drift with its interval, the share that kept half
 * next to that of a martingale, and how often the published intervals contained what followed.
 *
 * @module
 */
import { Schema } from "effect"
import { Count, Rate } from "../../core/domain/number.ts"
import {
  driftOf,
  eventsMin,
  type Horizon,
  type OutcomeSums,
  type SumsByHorizon,
} from "../../movers/domain/moveOutcomes.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"

/** The judged movers of one bin, for one horizon. */
export interface ScoredBin {
  readonly horizon: Horizon
  readonly bin: string
  readonly sums: OutcomeSums
  /** Moves that would have kept half without the mean drift; null unless it is a coarsest bin. */
  readonly martingaleKept: number | null
  /** Intervals after which as many events have followed, and those that contained their mean. */
  readonly tested: number
  readonly contained: number
}

/** The sums alone, as an expectation needs them. */
export function sumsOf(bins: ReadonlyArray<ScoredBin>): SumsByHorizon {
  const of = (horizon: Horizon) =>
    new Map(bins.flatMap((row) => row.horizon === horizon ? [[row.bin, row.sums]] : []))
  return { "1h": of("1h"), "24h": of("24h") }
}

const RateOrNull = Schema.NullOr(Rate)

const DriftScore = Schema.Struct({
  moves: Count.annotate({ description: "Judged movers with a known later price" }),
  events: Count.annotate({
    description: "Independent events of these movers; markets of one game are one event",
  }),
  meanDrift: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Mean of direction x (later price - priceNow), in price; negative is reversion. Null with " +
      `fewer than ${eventsMin} events, like its interval`,
  }),
  driftLow: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Lower end of the 95 % interval of meanDrift; all movers of an event are one trial",
  }),
  driftHigh: Schema.NullOr(Schema.Finite).annotate({ description: "Upper end of that interval" }),
  shareKept: RateOrNull.annotate({
    description: "Share of these movers whose later price was at or beyond half of the move",
  }),
  martingaleShareKept: RateOrNull.annotate({
    description:
      "The share that would have kept half at a fair price, which has no drift: the same moves " +
      "with the same later changes, each less meanDrift before rounding. Only the difference " +
      "to shareKept speaks for or against the movers",
  }),
})

const Expectations = Schema.Struct({
  tested: Count.annotate({
    description:
      "Intervals for the mean drift of a bin after which as many independent events have " +
      "followed as the interval was computed from",
  }),
  contained: Count.annotate({
    description: "Of these, intervals that contained the mean drift of what followed; aim: 95 %",
  }),
})

const Horizons = Schema.Struct({
  contested: DriftScore,
  converged: DriftScore,
  expectations: Expectations,
})

/** The drift of movers, on the wire. */
export const MoverDrift = Schema.Struct({ after1h: Horizons, after24h: Horizons }).annotate({
  description:
    "What prices did after the movers that were published since the rule marks converged prices. " +
    "A mover is published only after its price has been confirmed; drift starts at publication",
})

/** The score from the bins, of which the coarsest are named by the state of the price alone. */
export function moverDrift(bins: ReadonlyArray<ScoredBin>): typeof MoverDrift.Type {
  const after = (horizon: Horizon) => {
    const of = bins.filter((row) => row.horizon === horizon)
    const score = (bin: string) => driftScore(of.find((row) => row.bin === bin))
    const sum = (key: "tested" | "contained") => of.reduce((total, row) => total + row[key], 0)
    return {
      contested: score("contested"),
      converged: score("converged"),
      expectations: { tested: sum("tested"), contained: sum("contained") },
    }
  }
  return { after1h: after("1h"), after24h: after("24h") }
}

function driftScore(scored: ScoredBin | undefined): typeof DriftScore.Type {
  const { moves, events, kept } = scored?.sums ?? { moves: 0, events: 0, kept: 0 }
  const drift = scored === undefined ? null : driftOf(scored.sums)
  const share = (count: number | null | undefined) =>
    moves === 0 || count === null || count === undefined ? null : roundRate(count / moves)
  return {
    moves,
    events,
    meanDrift: drift?.drift ?? null,
    driftLow: drift?.driftLow ?? null,
    driftHigh: drift?.driftHigh ?? null,
    shareKept: share(kept),
    martingaleShareKept: share(scored?.martingaleKept),
  }
}
