/**
 * Which markets a digest reads, before it knows their books, proposals and news.
 *
 * @module
 */
import { type DigestMaterial, isLabelled, type MoverItem, type WhaleEntryItem } from "./material.ts"
import { contradictionsOf, laddersOf } from "../../markets/domain/ladders.ts"
import { type Market, slugKey } from "../../markets/domain/market.ts"
import type { Quote } from "../../markets/domain/quote.ts"
import { convergenceOf, soonestMarkets } from "../../markets/domain/resolving.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

/** Markets of each kind: more than a page has room for. */
const movedMax = 12
const foundMax = 12
const boughtMax = 10
const proposedMax = 20
const comingMax = 8
/** Contradictions whose books are read. */
const contradictionsMax = 8
/** Markets that resolve soon: within these hours, with this liquidity in USD. */
const soon = { withinHours: 24, liquidityMin: 5_000 }

/** A market with its listed price. */
interface PricedMarket {
  readonly market: Market
  readonly quote: Quote | null
}

/** The strongest move of each market, the strongest first. */
export function distinctMoves(movers: ReadonlyArray<MoverItem>): ReadonlyArray<MoverItem> {
  const markets = new Map<string, MoverItem>()
  for (const move of movers.toSorted(byWeight)) {
    const key = slugKey(move.data.market.slug)
    if (!markets.has(key)) markets.set(key, move)
  }
  return [...markets.values()]
}

/** Orders by size times liquidity. */
function byWeight(a: MoverItem, b: MoverItem): number {
  const weight = ({ data }: MoverItem) => Math.abs(data.delta) * data.market.liquidityUsd
  return weight(b) - weight(a) || b.feedIndex - a.feedIndex
}

/** The entries of wallets with a proven record first, then by stake. */
export function byRecord(a: WhaleEntryItem, b: WhaleEntryItem): number {
  const rank = (entry: WhaleEntryItem) => isLabelled(entry) ? 0 : 1
  return rank(a) - rank(b) || b.data.stakeUsd - a.data.stakeUsd || b.feedIndex - a.feedIndex
}

type Events = Pick<DigestMaterial, "moves" | "whaleEntries" | "predetermined" | "resolutions">

/** The slugs of the markets that the digest may describe; none of a market that has ended. */
export function chosenSlugs(
  { moves, whaleEntries, predetermined, resolutions }: Events,
  priced: ReadonlyArray<PricedMarket>,
  until: EpochMs,
): ReadonlyArray<string> {
  const ended = new Set<string>(resolutions.map(({ market }) => slugKey(market.slug)))
  const contested = priced.filter(({ quote }) =>
    quote !== null && convergenceOf(quote.mid) === "contested"
  )
  const proposed = contested.map(({ market }) => market).filter(({ status }) =>
    status === "proposed"
  )
  const slugs = [
    ...moves.slice(0, movedMax).map(({ item }) => item.data.market.slug),
    ...predetermined.toSorted((a, b) => b.feedIndex - a.feedIndex).slice(0, foundMax)
      .map(({ data }) => data.market.slug),
    ...proposed.slice(0, proposedMax).map(({ slug }) => slug),
    ...whaleEntries.toSorted(byRecord).slice(0, boughtMax).map(({ data }) => data.market.slug),
    ...comingMarkets(contested, until).slice(0, comingMax).map(({ slug }) => slug),
  ]
  return [...new Map(slugs.map((slug) => [slugKey(slug), slug])).values()]
    .filter((slug) => !ended.has(slugKey(slug)))
}

/** Those that resolve soon, the most open ones first: by liquidity times the variance of the outcome. */
function comingMarkets(
  contested: ReadonlyArray<PricedMarket>,
  until: EpochMs,
): ReadonlyArray<Market> {
  const mids = new Map(contested.map(({ market, quote }) => [market.id, quote?.mid ?? 0]))
  const open = contested.map(({ market }) => market).filter(({ liquidityUsd, mechanical }) =>
    liquidityUsd >= soon.liquidityMin && mechanical === null
  )
  const openness = ({ id, liquidityUsd }: Market) => {
    const mid = mids.get(id) ?? 0
    return liquidityUsd * mid * (1 - mid)
  }
  const reading = ({ id }: Market) => ({ mid: mids.get(id) ?? null, proposal: null })
  return soonestMarkets(open, reading, soon, until)
    .filter(({ expected }) => expected.at <= until + soon.withinHours * hour)
    .map(({ market }) => market)
    .sort((a, b) => openness(b) - openness(a) || (a.slug < b.slug ? -1 : 1))
}

/** The markets of the ladders whose listed quotes contradict each other most. */
export function contradictoryMarkets(priced: ReadonlyArray<PricedMarket>): ReadonlyArray<Market> {
  const byId = new Map(priced.map(({ market }) => [market.id, market]))
  const found = contradictionsOf(laddersOf(priced.map((one) => ({ ...one, known: null }))))
  return found.slice(0, contradictionsMax).flatMap(({ easier, harder }) =>
    [easier.market.id, harder.market.id].flatMap((id) => byId.get(id) ?? [])
  )
}
