/**
 * The score of one rule in a replay: how many items, and what their prices did next.
 *
 * @module
 */
import { halfSteps } from "../../markets/domain/book.ts"
import type { PriceMove } from "../../movers/domain/priceMove.ts"
import { add, type ClusterSums, clusterSums, estimate } from "./clustered.ts"
import type { Horizon } from "./outcomes.ts"

/** What is measured at one horizon. */
interface HorizonScore {
  /** 1 when at least half of the move was kept, else 0. */
  readonly kept: ClusterSums
  /** Later price minus published price in the move's direction, in half price steps. */
  readonly drift: ClusterSums
  /** How many items have each margin (`martingaleKept`): at most 120,001 values. */
  readonly margins: Map<number, number>
  unknown: number
}

/** Mutated while the file is replayed. */
export interface RuleScore {
  items: number
  /** Items by delay, in whole ticks; see `delayTicks`. */
  readonly delays: Map<number, number>
  readonly after: Readonly<Record<Horizon, HorizonScore>>
}

export function ruleScore(): RuleScore {
  const empty = (): HorizonScore => ({
    ...{ kept: clusterSums(), drift: clusterSums(), margins: new Map(), unknown: 0 },
  })
  return { items: 0, delays: new Map(), after: { "1h": empty(), "24h": empty() } }
}

export function countItem(score: RuleScore, delay: number): void {
  score.items += 1
  score.delays.set(delay, (score.delays.get(delay) ?? 0) + 1)
}

/** Adds what one item's price did. */
export function countOutcome(
  score: RuleScore,
  horizon: Horizon,
  cluster: number,
  move: Pick<PriceMove, "priceNow" | "delta">,
  price: number | null,
): void {
  const after = score.after[horizon]
  if (price === null) {
    after.unknown += 1
    return
  }
  const later = (halfSteps(price) - halfSteps(move.priceNow)) * Math.sign(move.delta)
  const margin = 2 * later + Math.abs(halfSteps(move.delta))
  add(after.kept, cluster, margin >= 0 ? 1 : 0)
  add(after.drift, cluster, later)
  after.margins.set(margin, (after.margins.get(margin) ?? 0) + 1)
}

/** The share that would have kept half of a move at a fair price ; null without items. */
export function martingaleShare({ drift, margins }: HorizonScore): number | null {
  const found = estimate(drift)
  if (found === null) return null
  let kept = 0
  for (const [margin, count] of margins) if (margin >= 2 * found.mean) kept += count
  return kept / found.n
}

/** The median of a count by value; null without values. */
export function medianOf(counts: ReadonlyMap<number, number>): number | null {
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  let below = 0
  for (const [value, count] of [...counts].sort(([a], [b]) => a - b)) {
    below += count
    if (2 * below >= total) return value
  }
  return null
}
