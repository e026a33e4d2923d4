/**
 * What a digest may state of price moves.
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
import { figure, listed, phrase, type Statement } from "../../writing/domain/statement.ts"
import type { EpochMs } from "../../core/domain/time.ts"

/** Markets whose strongest move is stated: as many as a page holds. */
const movesMax = 10
/** Categories that are named in the sums. */
const categoriesMax = 3

/** The sums of all moves, then the strongest move of each of at most `movesMax` markets. */
export function moveFacts(
  moves: ReadonlyArray<MoverItem>,
  until: EpochMs,
): ReadonlyArray<NewDigestFact> {
  const strongest = strongestPerMarket(moves)
  const shown = strongest.slice(0, movesMax)
  return [
    countFact(moves, strongest.length),
    ...categoriesFact(moves),
    ...limitFact(sums, moves.length - shown.length, "move"),
    ...shown.map((move) => moveFact(move, until)),
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
 * The most money that changed its mind first: size times liquidity. A higher z-score says more of how
 * still a market was before than of how much its move matters; it decides only between equals.
 */
function byWeight(a: MoverItem, b: MoverItem): number {
  return weight(b) - weight(a) || b.data.zScore - a.data.zScore || b.feedIndex - a.feedIndex
}

function weight({ data }: MoverItem): number {
  return Math.abs(data.delta) * data.market.liquidityUsd
}

const sums: FactAttributes = { kind: "mover", topic: "count", section: "repriced" }

function countFact(moves: ReadonlyArray<MoverItem>, markets: number): NewDigestFact {
  const ups = moves.filter(({ data }) => data.delta >= 0).length
  const [up, down] = [moveCount(ups), moveCount(moves.length - ups)]
  const all = phrase`${moveCount(moves.length)} in ${figure(countFigure(markets, "market"))}`
  if (moves.length === 0) return absenceFact(sums, phrase`No market moved far enough to be told.`)
  if (moves.length === 1) return factOf(sums, phrase`Just ${moveCount(1)} was told.`)
  if (ups === moves.length) return factOf(sums, phrase`${all} were told, all of them up.`)
  if (ups === 0) return factOf(sums, phrase`${all} were told, all of them down.`)
  return factOf(sums, phrase`${all} were told: ${up} up and ${down} down.`)
}

/** Where the moves were, as far as the venue says. */
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
  const most = counts.size > categoriesMax ? "The most by category:" : "By category:"
  return [factOf(sums, phrase`${most} ${listed(largest)}.`)]
}

function moveFact({ createdAt, data }: MoverItem, until: EpochMs): NewDigestFact {
  const { delta, market, microstructure, zScore } = data
  const rose = delta >= 0
  const [outcome] = market.outcomes ?? []
  const price = outcome === undefined
    ? phrase`The price in ${marketName(market)}`
    : phrase`${labelName(outcome)} in ${marketName(market)}`
  const went = phrase`${price} ${rose ? "rose" : "fell"} by ${figure(moveFigure(delta))}`
  const [start, now] = [data.priceStart, data.priceNow].map((it) => figure(priceFigure(it)))
  const statement = phrase`${went} within ${figure(durationFigure(windowMs[data.window]))}, from ${
    start ?? ""
  } to ${now ?? ""}, as seen at ${figure(whenFigure(Date.parse(createdAt), until))}. The move was ${
    figure(deviationsFigure(zScore))
  } of what is usual there, ${
    data.confirmedBy === "trades" ? "with trades behind it" : "and the price stayed"
  }; ${
    figure(usdFigure(microstructure.depthUsdWithin5c.total))
  } stood near the price, at a spread of ${figure(priceFigure(microstructure.spread))}.`
  const about: FactAttributes = {
    kind: "mover",
    topic: rose ? "rise" : "fall",
    section: "repriced",
  }
  return factOf(about, statement, phrase`${went} to ${now ?? ""}.`)
}

function moveCount(count: number): Statement {
  return figure(countFigure(count, "move"))
}
