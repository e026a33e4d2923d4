/**
 * Which markets a digest reads, before it knows their books, proposals and news.
 *
 * @module
 */
import { type DigestMaterial, isLabelled, type MoverItem } from "./material.ts"
import { isDecidedPrice } from "../../markets/domain/book.ts"
import { contradictionsOf, laddersOf } from "../../markets/domain/ladders.ts"
import { type Market, slugKey } from "../../markets/domain/market.ts"
import { siblingSums } from "../../markets/domain/siblings.ts"
import type { Quote } from "../../markets/domain/quote.ts"
import { newestMove } from "../../writing/facts/moves.ts"

/** Markets of each kind: more than a page has room for. */
const movedMax = 12
const foundMax = 12
const boughtMax = 10
const proposedMax = 20
/** Contradictions whose books are read. */
const contradictionsMax = 8
/** Outcomes of an event whose books are read. */
const outcomesMax = 8

/** A market with its listed price. */
interface PricedMarket {
  readonly market: Market
  readonly quote: Quote | null
}

/** The move of each market that texts state, the strongest first. */
export function distinctMoves(movers: ReadonlyArray<MoverItem>): ReadonlyArray<MoverItem> {
  const markets = Map.groupBy(movers, ({ data }) => slugKey(data.market.slug))
  return [...markets].flatMap(([slug, moves]) => newestMove(moves, slug) ?? []).toSorted(byWeight)
}

/** Orders by size times liquidity. */
function byWeight(a: MoverItem, b: MoverItem): number {
  const weight = ({ data }: MoverItem) => Math.abs(data.delta) * data.market.liquidityUsd
  return weight(b) - weight(a) || b.feedIndex - a.feedIndex
}

type Events = Pick<DigestMaterial, "moves" | "whaleEntries" | "predetermined" | "resolutions">

/** The slugs of the markets that the digest may describe; none of a market that has ended. */
export function chosenSlugs(
  { moves, whaleEntries, predetermined, resolutions }: Events,
  priced: ReadonlyArray<PricedMarket>,
): ReadonlyArray<string> {
  const ended = new Set<string>(resolutions.map(({ market }) => slugKey(market.slug)))
  const proposed = priced.filter(({ market: { status }, quote }) =>
    status === "proposed" && quote !== null && !isDecidedPrice(quote.mid)
  )
  const slugs = [
    ...moves.slice(0, movedMax).map(({ item }) => item.data.market.slug),
    ...predetermined.toSorted((a, b) => b.feedIndex - a.feedIndex).slice(0, foundMax)
      .map(({ data }) => data.market.slug),
    ...proposed.slice(0, proposedMax).map(({ market }) => market.slug),
    ...whaleEntries.filter(isLabelled)
      .toSorted((a, b) => b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex)
      .slice(0, boughtMax).map(({ data }) => data.market.slug),
  ]
  return [...new Map(slugs.map((slug) => [slugKey(slug), slug])).values()]
    .filter((slug) => !ended.has(slugKey(slug)))
}

/** The markets of the ladders, and of the events with one winner, whose listed quotes contradict each other. */
export function contradictoryMarkets(priced: ReadonlyArray<PricedMarket>): ReadonlyArray<Market> {
  const byId = new Map(priced.map(({ market }) => [market.id, market]))
  const found = contradictionsOf(laddersOf(priced.map((one) => ({ ...one, proposed: null }))))
  const sums = siblingSums(priced, () => false)
    .filter(({ bidSum, markets }) => (bidSum ?? 0) > 1 && markets.length <= outcomesMax)
  return [
    ...found.slice(0, contradictionsMax).flatMap(({ easier, harder }) => [easier, harder]),
    ...sums.slice(0, contradictionsMax).flatMap(({ markets }) => markets),
  ].flatMap(({ market }) => byId.get(market.id) ?? [])
}
