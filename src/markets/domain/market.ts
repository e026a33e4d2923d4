/**
 * A market of any venue, and which markets are mechanical.
 *
 * Prices are probabilities of the market's first outcome. Only markets with two outcomes are decoded.
 *
 * @module
 */
import { Schema } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"

/** The venue's id of a market (Polymarket: the condition id). */
export const MarketId = Schema.NonEmptyString.pipe(Schema.brand("MarketId"))
export type MarketId = typeof MarketId.Type

/** The id of one outcome's token: each order book, price and fill belongs to one token. */
export const TokenId = Schema.NonEmptyString.pipe(Schema.brand("TokenId"))
export type TokenId = typeof TokenId.Type

/** Identifies a market in the venue's page addresses. */
export const Slug = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,199}$/)).pipe(
  Schema.brand("Slug"),
)
export type Slug = typeof Slug.Type

/**
 * The venue's state of a market. `proposed`: an outcome was proposed and can be disputed. `resolved`:
 * the venue has paid out. Only `open` and `proposed` markets have a live book.
 */
export type MarketStatus = "open" | "proposed" | "resolved" | "closed"

export interface Market {
  readonly id: MarketId
  readonly slug: Slug
  readonly question: string
  /** Groups sibling markets; equals `slug` when the venue names no event. */
  readonly eventSlug: string
  /** The market's page at the venue. */
  readonly url: string
  readonly category: string | null
  readonly outcomes: readonly [string, string]
  readonly tokenIds: readonly [TokenId, TokenId]
  /** The scheduled end, not the time of resolution. */
  readonly endsAt: EpochMs | null
  readonly volumeUsd: number
  readonly liquidityUsd: number
  readonly status: MarketStatus
  /** Best prices of the listing: good enough to choose candidates, not to analyse a market. */
  readonly listed: { readonly bestBid: number; readonly bestAsk: number } | null
  /** The venue's taker fee rate: fee = shares x rate x p x (1 - p); 0 when unknown. */
  readonly takerFeeRate: number
  /** Null for an ordinary market. */
  readonly mechanical: MechanicalSign | null
}

/** The fields of a market that do not change when it closes. */
export type MarketFacts = Pick<
  Market,
  | "id"
  | "slug"
  | "question"
  | "eventSlug"
  | "url"
  | "category"
  | "outcomes"
  | "tokenIds"
  | "endsAt"
  | "takerFeeRate"
>

/** The signs of a mechanical short-interval market. */
export type MechanicalSign = "recurrence" | "slug" | "tags" | "price_stream"

/** The fields from which a market is recognised as mechanical; tags as slugs. */
export interface MechanicalEvidence {
  readonly slug: string
  readonly seriesSlugs: ReadonlyArray<string>
  readonly recurrences: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly resolutionSources: ReadonlyArray<string>
}

/** Recurrences of series that open a new market every few minutes or hours. */
const shortRecurrences: ReadonlySet<string> = new Set(["5m", "15m", "hourly", "4h"])
const shortSeries = /-up-or-down-(?:5m|15m|hourly|4h)$/

/** Such as `btc-updown-5m-1773307200` and `bitcoin-up-or-down-march-12-5am-et`. */
const intervalSlug = /-updown-\d{1,4}[mh]-\d{1,12}$|-up-or-down-/

/** Ordinary markets can have one of these tags, but not both. */
const mechanicalTags = ["recurring", "hide-from-new"]

/** The source of markets that settle on a streaming price. */
const priceStream = /^(?:https?:\/\/)?(?:www\.)?data\.chain\.link(?![\w.-])/i

/**
 * The first sign that a market is mechanical: one of an endless series of short bets on a price, whose
 * moves carry no information. Null for an ordinary market. A short trading window is not a sign:
 * sports markets are short and ordinary.
 */
export function mechanicalSign(evidence: MechanicalEvidence): MechanicalSign | null {
  const { slug, seriesSlugs, recurrences, tags, resolutionSources } = evidence
  if (recurrences.some((recurrence) => shortRecurrences.has(recurrence))) return "recurrence"
  if (seriesSlugs.some((series) => shortSeries.test(series))) return "recurrence"
  if (intervalSlug.test(slug)) return "slug"
  if (mechanicalTags.every((tag) => tags.includes(tag))) return "tags"
  if (resolutionSources.some((source) => priceStream.test(source))) return "price_stream"
  return null
}

/** A price of a token at a time. Points may be unevenly spaced, unordered or repeated. */
export interface PricePoint {
  readonly at: EpochMs
  readonly price: number
}

/** A fill of either outcome's token, from the venue's trade list. */
export interface Trade {
  readonly marketId: MarketId
  readonly tokenId: TokenId
  readonly side: "buy" | "sell"
  /** Price of `tokenId`, 0..1. */
  readonly price: number
  /** Shares. */
  readonly size: number
  readonly at: EpochMs
  readonly wallet: string
  readonly transaction: string
}

/** The mid of one market at one tick. */
export interface SeriesPoint {
  readonly at: EpochMs
  readonly mid: number
}
