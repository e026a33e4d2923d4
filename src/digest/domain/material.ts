/**
 * The input of a digest: what became visible in its window, the markets that this concerns as they are
 * at its end, and what could be read. The order of the lists does not matter.
 *
 * @module
 */
import type { FeedItem } from "../../feed/domain/item.ts"
import { halfSteps } from "../../markets/domain/book.ts"
import { type Market, type MarketFacts, slugKey } from "../../markets/domain/market.ts"
import type { PriceStep } from "../../markets/domain/priceStep.ts"
import type { Proposal } from "../../markets/domain/proposal.ts"
import type { Quote } from "../../markets/domain/quote.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import type { FactRow } from "../../core/domain/fields.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"
import { type About, titleOf } from "../../writing/facts/fact.ts"
import type { PrintedStory } from "../../writing/facts/headlines.ts"
import type { PublishedMove } from "../../writing/facts/moves.ts"
import type { MarketView, OwnRecord } from "../../writing/facts/view.ts"

export type MoverItem = Extract<FeedItem, { type: "mover" }>
export type WhaleEntryItem = Extract<FeedItem, { type: "whale_entry" }>
export type PredeterminedItem = Extract<FeedItem, { type: "predetermined" }>

/** Whether the wallet's record is hardly luck. */
export function isLabelled({ data: { calibration } }: WhaleEntryItem): boolean {
  return calibration !== null && calibration.label !== "neutral"
}

/** A story that shares names with a market; a reading says more, where a model read it. */
export type DigestStory = Omit<RelatedStory, "score"> & Pick<PrintedStory, "afterMs">

/** A mover item, and the hour or less in which it changed most; null when the series does not say. */
export interface Move {
  readonly item: MoverItem
  readonly step: PriceStep | null
}

/** A market with entries of tracked wallets, or that was called, whose end became known in the window. */
export interface EndedMarket {
  readonly market: Pick<MarketFacts, "slug" | "question" | "outcomes">
  readonly resolution: Resolution
}

/** A market with its price and its open proposal; null where they are not known. */
export interface QuotedMarket {
  readonly market: MarketFacts & Pick<Market, "liquidityUsd"> & Pick<About, "mark">
  /** Of the first outcome, at the end of the window. */
  readonly quote: Quote | null
  readonly proposal: Proposal | null
  /** Null or absent when there are none, or they were not read. */
  readonly rules?: string | null
}

/** A market of the digest at the end of the window. */
export interface DigestMarket
  extends QuotedMarket, Pick<MarketView, "book" | "offers" | "entries"> {
  readonly market: Market & Pick<About, "mark">
  readonly rules: string | null
  readonly stories: ReadonlyArray<DigestStory>
}

/** Inputs that may be missing; the digest then says that they could not be read. */
const digestParts = ["whales", "news", "markets", "proposals", "record"] as const
export type DigestPart = typeof digestParts[number]

/** What was read: a digest states it, and denies only what it covers. */
interface DigestCoverage {
  /** Markets with stored prices at the end of the window. */
  readonly marketsWatched: number
  /** When the venue was last read in full; null when it never was. */
  readonly venueReadAt: EpochMs | null
  /** News sources, and how many of them answered; null when news is off. */
  readonly news: { readonly sources: number; readonly answered: number } | null
  /**
   * Tracked wallets, when their entries were last read in full, null when they never were, and from when
   * on: later than the window's start in the first digest, whose moves are of a price history.
   */
  readonly wallets: {
    readonly tracked: number
    readonly readAt: EpochMs | null
    readonly from: EpochMs
  }
  /** Feed items of the window beyond a limit of reading. */
  readonly itemsUnread: number
  /** Markets listed as proposed whose proposals are beyond the limit of reading. */
  readonly proposalsUnread: number
  readonly missing: ReadonlyArray<DigestPart>
}

export interface DigestMaterial {
  /**
   * The end of the previous digest, and of this one. Feed items are those that became visible in
   * between; a late item may have been created a little earlier.
   */
  readonly from: EpochMs
  readonly until: EpochMs
  /** Those whose price changed in the window: a move of a day may be older. */
  readonly moves: ReadonlyArray<Move>
  readonly whaleEntries: ReadonlyArray<WhaleEntryItem>
  readonly predetermined: ReadonlyArray<PredeterminedItem>
  readonly resolutions: ReadonlyArray<EndedMarket>
  /**
   * The markets of these items, and those with a proposal at a contested price however old it is; no
   * market in `resolutions`.
   */
  readonly markets: ReadonlyArray<DigestMarket>
  /** These and all other priced markets. */
  readonly quoted: ReadonlyArray<QuotedMarket>
  /** What the service has measured of itself; null when it could not be read. */
  readonly record: OwnRecord | null
  /** The movers of the last day, the newest first. */
  readonly recentMoves: ReadonlyArray<PublishedMove>
  /** The facts of the digest before; null without one. */
  readonly previous: ReadonlyArray<Pick<typeof FactRow.Type, "about" | "statement">> | null
  readonly coverage: DigestCoverage
}

/**
 * The same material, where each market that others are named like, date included, has a mark: its
 * listed end, else the end of its slug.
 */
export function withMarks(material: DigestMaterial): DigestMaterial {
  const all = [...material.markets, ...material.quoted].map(({ market }) => market)
  const bySlug = new Map(all.map((market) => [slugKey(market.slug), market]))
  const namesakes = Map.groupBy(bySlug.values(), (market) => titleOf(market).text)
  const marked = <One extends { readonly market: MarketFacts }>(one: One): One => {
    const { market } = one
    const same = namesakes.get(titleOf(market).text) ?? []
    return same.length === 1
      ? one
      : { ...one, market: { ...market, mark: markAmong(same, market) } }
  }
  return {
    ...material,
    markets: material.markets.map(marked),
    quoted: material.quoted.map(marked),
  }
}

/** What distinguishes a market from its namesakes in the fewest words. */
function markAmong(namesakes: ReadonlyArray<MarketFacts>, { endsAt, slug }: MarketFacts) {
  const isAlone = namesakes.filter((it) => it.endsAt === endsAt).length === 1
  if (endsAt !== null && isAlone) return endsAt
  const parts = slug.split("-")
  const tails = parts.map((_, n) => parts.slice(parts.length - 1 - n).join("-"))
  return tails.find((tail) => namesakes.filter((it) => it.slug.endsWith(tail)).length === 1) ?? slug
}

/** What was traded past half of a move, USD, and the widest spread, USD a share, of one that counts. */
const tradedUsdMin = 100
const spreadMax = halfSteps(0.1)

/** What moves a price without a headline and less than this, USD, is noise. */
export const unexplainedUsdMin = 1_000

/** Whether little money, or a wide book, made the move; `quote` is the market's now. */
export function isThin({ item: { data } }: Move, quote: Quote | null): boolean {
  const { bid = null, ask = null } = quote ?? {}
  const spread = bid === null || ask === null ? data.microstructure.spread : ask - bid
  return (data.tradedUsd ?? tradedUsdMin) < tradedUsdMin || halfSteps(spread) > spreadMax
}

/** Whether the end of a market became known. One with the same title is another market. */
export function isEnded(
  { resolutions }: Pick<DigestMaterial, "resolutions">,
  { slug }: { readonly slug: string },
): boolean {
  return resolutions.some(({ market }) => slugKey(market.slug) === slugKey(slug))
}

/** A digest of fewer moves that a reader can trade, labelled entries and findings is not worth its price. */
const reportedMin = 3
/** Of the parts that may be missing. */
const missingMax = 1
/** How long before the end of the window an input was last read; ticks are ten minutes apart. */
const readAgeMax = hour

/** Whether too little happened, or too little could be read, for the digest to be worth its price. */
export function isBelowThreshold(material: DigestMaterial): boolean {
  const { markets, moves, whaleEntries, predetermined, coverage, until } = material
  const quoteOf = ({ item }: Move) =>
    markets.find(({ market }) => market.slug === item.data.market.slug)?.quote ?? null
  const tradable = moves.filter((move) => !isThin(move, quoteOf(move))).length
  const labelled = whaleEntries.filter(isLabelled).length
  const reported = tradable + labelled + predetermined.length
  return reported < reportedMin || coverage.missing.length > missingMax ||
    coverage.marketsWatched === 0 || !isRecent(coverage.venueReadAt, until)
}

/** Whether an input was read recently enough for a digest that ends at `until`. */
export function isRecent(readAt: EpochMs | null, until: EpochMs): boolean {
  return readAt !== null && until - readAt <= readAgeMax
}
