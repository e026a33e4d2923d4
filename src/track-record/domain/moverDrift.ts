/**
 * The score of movers by what the price did next: mean drift with its interval, the share that kept half
 * next to that of a martingale, and how often the published intervals contained what followed.
 *
 * @module
 */
import { Schema } from "effect"
import { described } from "../../core/domain/fields.ts"
import { Count, Rate } from "../../core/domain/number.ts"
import {
  driftOf,
  eventsMin,
  type Horizon,
  type OutcomeSums,
  type SumsByHorizon,
} from "../../movers/domain/moveOutcomes.ts"
import { settlement } from "../../movers/domain/gates.ts"
import { roundRate } from "../../whales/domain/oddsBands.ts"

/** What the score rests on, for texts. */
export const driftLimits = {
  eventsMin,
  convergedLow: settlement.low,
  convergedHigh: settlement.high,
}

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
      "Mean of direction x (later price - priceNow), USD per share; negative is reversion. Null " +
      `with fewer than ${eventsMin} events`,
  }),
  driftLow: Schema.NullOr(Schema.Finite).annotate({
    description:
      "Lower end of the 95 % interval of meanDrift, USD per share; all movers of an event are one " +
      "trial. Null where meanDrift is",
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

const Expectations = Schema.Struct({
  tested: Count.annotate({
    description:
      "Published intervals after which as many events have followed as they were computed from",
  }),
  contained: Count.annotate({
    description: "Of these, those that contained the mean drift that followed; aim: 95 %",
  }),
})

const Horizons = Schema.Struct({
  contested: DriftScore.annotateKey({ description: "Movers to a price between 0.03 and 0.97" }),
  converged: DriftScore.annotateKey({ description: "Movers to a price at or beyond 0.03 or 0.97" }),
  expectations: described(Expectations, "How often the published intervals were right"),
}).annotate({ identifier: "DriftScores" })

/** The drift of movers, on the wire. */
export const MoverDrift = Schema.Struct({
  after1h: Horizons.annotateKey({ description: "An hour after publication" }),
  after24h: Horizons.annotateKey({ description: "A day after publication" }),
}).annotate({
  description: "What prices did after publication, for movers with a known `converged`",
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
