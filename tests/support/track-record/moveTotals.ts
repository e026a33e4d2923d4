/**
 * What movers did next, recounted from every one of them: the model of `ScoreStore.moveTotals`.
 *
 * @module
 */
import type { ClusterSums } from "../../../src/core/domain/clusteredMean.ts"
import { day, type EpochMs } from "../../../src/core/domain/time.ts"
import type {
  Horizon,
  MoveOutcome,
  MoveTotals,
} from "../../../src/track-record/domain/moverDrift.ts"

/** A judged mover, for one horizon. */
export interface JudgedMove extends MoveOutcome, Pick<MoveTotals, "phase"> {
  readonly eventKey: string
  readonly horizon: Horizon
  readonly publishedAt: EpochMs
}

export function totalsOfMoves(judged: ReadonlyArray<JudgedMove>): ReadonlyArray<MoveTotals> {
  const groups = Map.groupBy(judged, ({ horizon, phase }) => `${horizon} ${phase}`)
  return [...groups.values()].flatMap((moves): ReadonlyArray<MoveTotals> => {
    const [first] = moves
    if (first === undefined) return []
    const mean = moves.reduce((sum, { drift }) => sum + drift, 0) / moves.length
    const dayOf = ({ publishedAt }: JudgedMove) => `${Math.floor(publishedAt / day)}`
    return [{
      horizon: first.horizon,
      phase: first.phase,
      kept: moves.filter(({ margin }) => margin >= 0).length,
      martingaleKept: moves.filter(({ margin }) => margin >= 2 * mean).length,
      byEvent: sumsBy(moves, ({ eventKey }) => eventKey),
      byDay: sumsBy(moves, dayOf),
      byEventAndDay: sumsBy(moves, (move) => `${dayOf(move)} ${move.eventKey}`),
    }]
  })
}

function sumsBy(
  moves: ReadonlyArray<JudgedMove>,
  clusterOf: (move: JudgedMove) => string,
): ClusterSums {
  const sums = { clusters: 0, n: 0, s: 0, nn: 0, ns: 0, ss: 0, ff: 0 }
  for (const cluster of Map.groupBy(moves, clusterOf).values()) {
    const [n, s] = [cluster.length, cluster.reduce((sum, { drift }) => sum + drift, 0)]
    sums.clusters += 1
    sums.n += n
    sums.s += s
    sums.nn += n * n
    sums.ns += n * s
    sums.ss += s * s
  }
  return sums
}
