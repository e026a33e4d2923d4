/**
 * The input of a digest: everything that happened in its window, and what could be read of it. The order
 * of the lists does not matter.
 *
 * @module
 */
import type { FeedItem } from "../../feed/domain/item.ts"
import type { Market } from "../../markets/domain/market.ts"
import type { KnownEnd } from "../../markets/domain/ladders.ts"
import type { PriceStep } from "../../markets/domain/priceStep.ts"
import type { Quote } from "../../markets/domain/quote.ts"
import type { Story } from "../../news/domain/stories.ts"
import type { RelatedStory } from "../../news/domain/reading.ts"
import type { Resolution } from "../../markets/domain/resolution.ts"
import { type EpochMs, hour } from "../../core/domain/time.ts"

export type MoverItem = Extract<FeedItem, { type: "mover" }>
export type WhaleEntryItem = Extract<FeedItem, { type: "whale_entry" }>
export type PredeterminedItem = Extract<FeedItem, { type: "predetermined" }>

/** A market with entries of tracked wallets whose end became known in the window. */
export interface EndedMarket {
  readonly market: Pick<Market, "slug" | "question" | "outcomes">
  readonly resolution: Resolution
  /** When its end was known. */
  readonly endedAt: EpochMs
}

/** How a story relates to a market. */
export type Strength = RelatedStory["strength"]

/** A story, and the markets of the digest that it is related to; may be none. */
export interface DigestStory extends Story {
  readonly markets: ReadonlyArray<{ readonly slug: string; readonly strength: Strength }>
}

/** A market of the digest, or a sibling of one, with what is known of its price and its end. */
export interface QuotedMarket {
  readonly market: RelatedMarket
  /** Of the first outcome, at the end of the window; null when it is not known. */
  readonly quote: Quote | null
  /** The venue's proposal or result, where the digest knows it. */
  readonly known: KnownEnd | null
}

type RelatedMarket = Pick<
  Market,
  | "id"
  | "slug"
  | "question"
  | "eventSlug"
  | "eventKey"
  | "exclusive"
  | "outcomes"
  | "endsAt"
  | "liquidityUsd"
  | "takerFeeRate"
>

/** The hour or less in which most of a market's move happened. */
export interface MoveStep extends Pick<PriceStep, "from" | "to"> {
  readonly slug: string
}

/** A market that is expected to resolve soon. */
export interface UpcomingMarket
  extends Pick<Market, "slug" | "question" | "outcomes" | "liquidityUsd"> {
  /** The median of when it resolves; not before the digest's end. */
  readonly resolvesAt: EpochMs
  /** The mid price of the first outcome. */
  readonly mid: number
}

/** Inputs that may be missing; the digest then says that they could not be read. */
const digestParts = ["whales", "news", "upcoming", "quotes"] as const
export type DigestPart = typeof digestParts[number]

/** What was read: a digest must state it. */
interface DigestCoverage {
  /** Markets with stored prices at the end of the window. */
  readonly marketsWatched: number
  /** When the venue was last read in full; null when it never was. */
  readonly venueReadAt: EpochMs | null
  /** News sources, and how many of them answered; null when news is off. */
  readonly news: { readonly sources: number; readonly answered: number } | null
  readonly walletsTracked: number
  /** What detects predetermined outcomes. Rules read only what the venue publishes. */
  readonly detector: "rules" | "model"
  /** Feed items of the window beyond the read limit. */
  readonly itemsUnread: number
  /**
   * What could not be read: `whales` (the tracked wallets and the ends of their markets), `news`,
   * `upcoming` (the markets that resolve soon), `quotes` (the prices of related markets).
   */
  readonly missing: ReadonlyArray<DigestPart>
}

export interface DigestMaterial {
  /**
   * The end of the previous digest, and of this one. Feed items are those that became visible in
   * between; a late item may have been created a little earlier.
   */
  readonly from: EpochMs
  readonly until: EpochMs
  readonly movers: ReadonlyArray<MoverItem>
  readonly whaleEntries: ReadonlyArray<WhaleEntryItem>
  readonly predetermined: ReadonlyArray<PredeterminedItem>
  readonly resolutions: ReadonlyArray<EndedMarket>
  readonly stories: ReadonlyArray<DigestStory>
  /** The markets of the digest, and their siblings. */
  readonly quoted: ReadonlyArray<QuotedMarket>
  /** The slugs of the events whose live markets are all in `quoted`. */
  readonly wholeEvents: ReadonlyArray<string>
  /** Of moves that mostly happened within an hour. */
  readonly steps: ReadonlyArray<MoveStep>
  /** Without the markets in `resolutions`. */
  readonly upcoming: ReadonlyArray<UpcomingMarket>
  readonly coverage: DigestCoverage
}

/** A digest of fewer contested moves, entries, findings and ended markets is not worth its price. */
const reportedMin = 3
/** Of the four parts that may be missing. */
const missingMax = 1
/** How long before the end of the window the venue was last read; ticks are ten minutes apart. */
const venueAgeMax = hour

/** Whether too little happened, or too little could be read, for the digest to be worth its price. */
export function isBelowThreshold(material: DigestMaterial): boolean {
  const { movers, whaleEntries, predetermined, resolutions, coverage, until } = material
  // A move to a converged price is counted in a digest, and not described.
  const moves = movers.filter(({ data }) => data.converged !== true).length
  const reported = moves + whaleEntries.length + predetermined.length + resolutions.length
  return reported < reportedMin || coverage.missing.length > missingMax ||
    coverage.marketsWatched === 0 || coverage.venueReadAt === null ||
    until - coverage.venueReadAt > venueAgeMax
}
