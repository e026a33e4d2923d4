/**
 * The facts of a digest about price moves.
 *
 * @module
 */
import {
  absenceFact,
  type FactAttributes,
  factOf,
  labelName,
  limitFact,
  marketName,
  type NewDigestFact,
} from "./factBuilders.ts"
import type { MoverItem } from "./material.ts"
import { windowMs } from "../../feed/domain/item.ts"
import {
  countFigure,
  deviationsFigure,
  durationFigure,
  moveFigure,
  priceFigure,
  usdFigure,
  whenFigure,
} from "../../writing/domain/figures.ts"
import { figure, joined, listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Markets with a fact about their strongest move: as many as fit on a page. */
const movesMax = 10
/** Categories named in the totals. */
const categoriesMax = 3

/**
 * The totals of all moves, then the strongest move in each of at most `movesMax` markets. A move to a
 * converged price is only counted: the question is decided, or nearly.
 */
export function moveFacts(
  moves: ReadonlyArray<MoverItem>,
  until: EpochMs,
): ReadonlyArray<NewDigestFact> {
  const contested = moves.filter(({ data }) => data.converged !== true)
  const described = strongestPerMarket(contested).slice(0, movesMax)
  return [
    countFact(moves, strongestPerMarket(moves).length),
    ...categoriesFact(moves),
    ...limitFact(totals, moves.length - described.length, "move"),
    ...described.map((move) => moveFact(move, until)),
  ]
}

function strongestPerMarket(moves: ReadonlyArray<MoverItem>): ReadonlyArray<MoverItem> {
  const markets = new Map<string, MoverItem>()
  for (const move of moves.toSorted(byWeight)) {
    const { slug } = move.data.market
    if (!markets.has(slug)) markets.set(slug, move)
  }
  return [...markets.values()]
}

/**
 * Orders by size times liquidity. A high z-score depends more on how quiet the market was before than on
 * how much the move matters, so it only breaks ties.
 */
function byWeight(a: MoverItem, b: MoverItem): number {
  return weight(b) - weight(a) || b.data.zScore - a.data.zScore || b.feedIndex - a.feedIndex
}

function weight({ data }: MoverItem): number {
  return Math.abs(data.delta) * data.market.liquidityUsd
}

const totals: FactAttributes = { kind: "mover", topic: "count", section: "repriced" }

function countFact(moves: ReadonlyArray<MoverItem>, markets: number): NewDigestFact {
  const ups = moves.filter(({ data }) => data.delta >= 0).length
  const [up, down] = [moveCount(ups), moveCount(moves.length - ups)]
  const all = phrase`${moveCount(moves.length)} in ${figure(countFigure(markets, "market"))}`
  if (moves.length === 0) {
    return absenceFact(totals, phrase`No market moved far enough to be reported.`)
  }
  if (moves.length === 1) return factOf(totals, phrase`Just ${moveCount(1)} was reported.`)
  if (ups === moves.length) return factOf(totals, phrase`${all} were reported, all of them up.`)
  if (ups === 0) return factOf(totals, phrase`${all} were reported, all of them down.`)
  return factOf(totals, phrase`${all} were reported: ${up} up and ${down} down.`)
}

/** The number of moves by category; markets without a category are left out. */
function categoriesFact(moves: ReadonlyArray<MoverItem>): ReadonlyArray<NewDigestFact> {
  const counts = new Map<string, number>()
  for (const { data } of moves) {
    const { category } = data.market
    if (category !== null) counts.set(category, (counts.get(category) ?? 0) + 1)
  }
  if (counts.size === 0) return []
  const largest = [...counts]
    .sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
    .slice(0, categoriesMax)
    .map(([category, count]) => phrase`${moveCount(count)} in ${labelName(category)}`)
  const start = counts.size > categoriesMax ? "Largest categories:" : "By category:"
  return [factOf(totals, phrase`${start} ${listed(largest)}.`)]
}

function moveFact({ createdAt, data }: MoverItem, until: EpochMs): NewDigestFact {
  const { delta, market, microstructure, zScore } = data
  const rose = delta >= 0
  const [outcome] = market.outcomes ?? []
  const price = outcome === undefined
    ? phrase`The price in ${marketName(market)}`
    : phrase`${labelName(outcome)} in ${marketName(market)}`
  const change = phrase`${price} ${rose ? "rose" : "fell"} by ${figure(moveFigure(delta))}`
  const window = figure(durationFigure(windowMs[data.window]))
  const [start, now] = [figure(priceFigure(data.priceStart)), figure(priceFigure(data.priceNow))]
  const at = figure(whenFigure(Date.parse(createdAt), until))
  const reason = data.confirmedBy === "trades"
    ? "and trades supported it"
    : "and the new price was stable"
  const depth = figure(usdFigure(microstructure.depthUsdWithin5c.total))
  const spread = figure(priceFigure(microstructure.spread))
  const statement = joined([
    phrase`${change} within ${window}, from ${start} to ${now}, seen at ${at}.`,
    phrase`The move was ${
      figure(deviationsFigure(zScore))
    } of the usual change in this market, ${reason}; the book had ${depth} of depth near the price and a spread of ${spread}.`,
  ])
  const attributes: FactAttributes = {
    kind: "mover",
    topic: rose ? "rise" : "fall",
    section: "repriced",
  }
  return factOf(attributes, statement, phrase`${change} to ${now}.`)
}

function moveCount(count: number): Statement {
  return figure(countFigure(count, "move"))
}
