/**
 * What we know of a market, whichever venue lists it, and which markets are mechanical noise.
 *
 * Prices are probabilities of the market's first outcome. Only two-outcome markets are analysed; a
 * row that is not one never becomes a `Market`.
 *
 * @module
 */
import { Schema } from "effect"
import type { EpochMs } from "../../core/domain/time.ts"

/** The venue's own identity of a market (Polymarket: the condition id). */
export const MarketId = Schema.NonEmptyString.pipe(Schema.brand("MarketId"))
export type MarketId = typeof MarketId.Type

/** The identity of one outcome's token: what an order book, a price or a fill is about. */
export const TokenId = Schema.NonEmptyString.pipe(Schema.brand("TokenId"))
export type TokenId = typeof TokenId.Type

/** A market's address on the venue's pages. */
export const Slug = Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,199}$/)).pipe(
  Schema.brand("Slug"),
)
export type Slug = typeof Slug.Type

/**
 * Where a market stands at its venue. `proposed`: an outcome was put forward and may be challenged.
 * `resolved`: the venue has paid it out. Only `open` and `proposed` markets have a live book.
 */
export type MarketStatus = "open" | "proposed" | "resolved" | "closed"

export interface Market {
  readonly id: MarketId
  readonly slug: Slug
  readonly question: string
  /** Groups sibling markets; equals `slug` where the venue names no event. */
  readonly eventSlug: string
  /** The market's page at the venue. */
  readonly url: string
  readonly category: string | null
  readonly outcomes: readonly [string, string]
  readonly tokenIds: readonly [TokenId, TokenId]
  /** The scheduled end; not the time of resolution. */
  readonly endsAt: EpochMs | null
  readonly volumeUsd: number
  readonly liquidityUsd: number
  readonly status: MarketStatus
  /** Best prices as the listing gives them: a hint for choosing candidates, never an analysis. */
  readonly listed: { readonly bestBid: number; readonly bestAsk: number } | null
  /** The venue's taker fee rate: fee = shares x rate x p x (1 - p); 0 when unknown. */
  readonly takerFeeRate: number
  /** Why the market is mechanical noise, or null for an ordinary one. */
  readonly mechanical: MechanicalSign | null
}

/** What stays the same of a market, whether it is open or long closed. */
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

/** All that a venue says of a market which bears on being mechanical; tags as slugs. */
export interface MechanicalEvidence {
  readonly slug: string
  readonly seriesSlugs: ReadonlyArray<string>
  readonly recurrences: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly resolutionSources: ReadonlyArray<string>
}

/** Series that open a new market every few minutes or hours. */
const shortRecurrences: ReadonlySet<string> = new Set(["5m", "15m", "hourly", "4h"])
const shortSeries = /-up-or-down-(?:5m|15m|hourly|4h)$/

/** `btc-updown-5m-1773307200`, and `bitcoin-up-or-down-march-12-5am-et`. */
const intervalSlug = /-updown-\d{1,4}[mh]-\d{1,12}$|-up-or-down-/

/** Either tag alone stands on ordinary markets too. */
const mechanicalTags = ["recurring", "hide-from-new"]

/** Where markets that settle on a streaming price take it from. */
const priceStream = /^(?:https?:\/\/)?(?:www\.)?data\.chain\.link(?![\w.-])/i

/**
 * The first sign that a market is mechanical: one of an endless row of short bets on a price, which
 * moves by design and informs nobody. Null for an ordinary market. The length of the trading window
 * is no sign: short sports markets are ordinary.
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

/** A price of a token at a time; neither spacing nor order nor uniqueness of times is promised. */
export interface PricePoint {
  readonly at: EpochMs
  readonly price: number
}

/** A fill as the venue's tape shows it, of either outcome's token. */
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
