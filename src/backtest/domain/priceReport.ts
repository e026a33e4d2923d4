/**
 * What a replay of a price file shows: the scores of the movers and of the naive rules, as a table and
 * as a plot.
 *
 * @module
 */
import { day, type EpochMs, minute } from "../../core/domain/time.ts"
import { fromHalfSteps } from "../../markets/domain/book.ts"
import { isConverged } from "../../movers/domain/gates.ts"
import { clusterNumbers, type Estimate, estimate } from "./clustered.ts"
import { intervalPlot, type PlotRow } from "./intervalPlot.ts"
import { naivePoints, usualPoints } from "./naiveRule.ts"
import type { Horizon } from "./outcomes.ts"
import type { ReplayItem, ReplayListener } from "./priceReplay.ts"
import {
  countItem,
  countOutcome,
  martingaleShare,
  medianOf,
  type RuleScore,
  ruleScore,
} from "./score.ts"
import { textTable } from "./textTable.ts"

/** The scores of all rules, mutated while the file is replayed; a converged price is scored apart. */
interface PriceScores extends ReplayListener {
  readonly movers: SplitScore
  readonly naive: ReadonlyMap<number, SplitScore>
}

interface SplitScore {
  readonly contested: RuleScore
  readonly converged: RuleScore
}

/** `from`: items before it are not scored. */
export function priceScores(from: EpochMs): PriceScores {
  const split = (): SplitScore => ({ contested: ruleScore(), converged: ruleScore() })
  const movers = split()
  const naive = new Map(naivePoints.map((points) => [points, split()]))
  const cluster = clusterNumbers()
  const scoresOf = (item: ReplayItem): ReadonlyArray<RuleScore> => {
    const { naive: points, priceNow, now } = item
    if (now < from) return []
    const side = isConverged(priceNow) ? "converged" : "contested"
    const scores = points === null ? [movers] : points.map((threshold) => naive.get(threshold))
    return scores.flatMap((score) => score === undefined ? [] : [score[side]])
  }
  return {
    movers,
    naive,
    onItem: (item) => scoresOf(item).forEach((score) => countItem(score, item.delayTicks)),
    onOutcome: (item, horizon, price) => {
      const number = cluster(item.event)
      scoresOf(item).forEach((score) => countOutcome(score, horizon, number, item, price))
    },
  }
}

interface NamedScore {
  readonly name: string
  readonly score: RuleScore
}

/** The rules that are shown; the last naive rule has the number of items closest to that of the movers. */
function shownRules({ movers, naive }: PriceScores): ReadonlyArray<NamedScore> {
  const matched = matchedPoints(movers.contested.items, naive)
  const of = (points: number) => naive.get(points) ?? movers
  return [
    { name: "movers", score: movers.contested },
    { name: `naive ${usualPoints} points`, score: of(usualPoints).contested },
    { name: `naive ${matched} points, closest count`, score: of(matched).contested },
    { name: "movers, converged", score: movers.converged },
    { name: `naive ${usualPoints} points, converged`, score: of(usualPoints).converged },
  ]
}

/** The threshold whose number of items is closest to that of the movers. */
function matchedPoints(items: number, naive: PriceScores["naive"]): number {
  const distance = (points: number) => Math.abs((naive.get(points)?.contested.items ?? 0) - items)
  return naivePoints.reduce((best, points) => distance(points) < distance(best) ? points : best)
}

const columns = [
  ...[
    "rule",
    "items",
    "a day",
    "events",
    "kept 1h +- SE",
    "martingale",
    "kept 24h +- SE",
    "martingale",
  ],
  ...["drift 1h, cents", "95 %", "drift 24h, cents", "95 %", "delay, min"],
]

/** The table; `spanMs` is the time between the first and the last row. */
export function priceTable(scores: PriceScores, spanMs: number, tickIntervalMs: number): string {
  const days = Math.max(spanMs / day, 1 / 24)
  return textTable(
    columns,
    shownRules(scores).map(({ name, score }) => {
      const { items, delays, after } = score
      const delay = medianOf(delays)
      const [hourly, daily] = [measures(score, "1h"), measures(score, "24h")]
      return [
        name,
        items.toString(),
        (items / days).toFixed(1),
        (hourly.kept?.clusters ?? estimate(after["24h"].kept)?.clusters ?? 0).toString(),
        ...shareCells(hourly),
        ...shareCells(daily),
        ...driftCells(hourly.drift),
        ...driftCells(daily.drift),
        delay === null ? "-" : (delay * tickIntervalMs / minute).toFixed(0),
      ]
    }),
  )
}

interface Measures {
  readonly kept: Estimate | null
  readonly martingale: number | null
  readonly drift: Estimate | null
}

function measures({ after }: RuleScore, horizon: Horizon): Measures {
  const found = after[horizon]
  const { kept, drift } = found
  return { kept: estimate(kept), martingale: martingaleShare(found), drift: estimate(drift) }
}

function withError({ mean, standardError }: Estimate, scale: number, decimals: number): string {
  const value = (scale * mean).toFixed(decimals)
  return Number.isFinite(standardError)
    ? `${value} +- ${(scale * standardError).toFixed(decimals)}`
    : value
}

function shareCells({ kept, martingale }: Measures): ReadonlyArray<string> {
  if (kept === null || martingale === null) return ["-", "-"]
  return [withError(kept, 1, 3), martingale.toFixed(3)]
}

const centsPerHalfStep = 100 * fromHalfSteps(1)

function driftCells(drift: Estimate | null): ReadonlyArray<string> {
  if (drift === null) return ["-", "-"]
  const { low, high } = drift
  const cents = (value: number) => (centsPerHalfStep * value).toFixed(2)
  return [
    withError(drift, centsPerHalfStep, 2),
    Number.isFinite(low) ? `${cents(low)} to ${cents(high)}` : "-",
  ]
}

/** The plot: share kept and drift, after an hour and a day. */
export function pricePlot(scores: PriceScores, source: string): string {
  const rules = shownRules(scores)
  const shares = (horizon: Horizon) => rules.map((rule) => shareRow(rule, horizon))
  const drifts = (horizon: Horizon) =>
    rules.map(({ name, score }) =>
      plotRow(name, measures(score, horizon).drift, centsPerHalfStep, 0)
    )
  return intervalPlot(
    `Movers over ${source}`,
    "Dots: estimates with 95 % intervals, clustered by event. Vertical marks: a martingale.",
    [
      { title: "Share that kept half, 1 h", rows: shares("1h") },
      { title: "Share that kept half, 24 h", rows: shares("24h") },
      { title: "Drift after 1 h, cents", rows: drifts("1h") },
      { title: "Drift after 24 h, cents", rows: drifts("24h") },
    ],
  )
}

function shareRow({ name, score }: NamedScore, horizon: Horizon): PlotRow {
  const { kept, martingale } = measures(score, horizon)
  return plotRow(name, kept, 1, martingale)
}

function plotRow(
  name: string,
  found: Estimate | null,
  scale: number,
  baseline: number | null,
): PlotRow {
  const { mean, low, high } = found ?? { mean: Number.NaN, low: Number.NaN, high: Number.NaN }
  return { name, value: scale * mean, low: scale * low, high: scale * high, baseline }
}
