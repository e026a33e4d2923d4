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

/**
 * The form of a slug: the characters and the greatest length that real slugs have
 * (`docs/markets.md`). All are safe in an address without encoding.
 */
const slug = "[A-Za-z0-9][A-Za-z0-9._-]{0,254}"
const slugPattern = `^${slug}$`

/**
 * A slug, or the address of a market's page at the venue, in any language, or at a service like this one:
 * the path ends with the slug. In any case of letters.
 */
export const slugOrPagePattern =
  `^(?:(${slug})|(?:https?://[^/?#@\\s]+/markets|(?:https?://)?(?:www\\.)?` +
  "(?:polymarket\\.com|simulated\\.example)/(?:[a-z]{2}/)?(?:event|market)" +
  `(?:/${slug})?)/(${slug})/?(?:[?#].*)?)$`

const slugOrPage = new RegExp(slugOrPagePattern, "i")

/** The slug that such a text names; null for any other text. */
export function slugIn(text: string): string | null {
  const [, slug, ofPage] = slugOrPage.exec(text) ?? []
  return slug ?? ofPage ?? null
}

/**
 * Identifies a market in the venue's page addresses. Stored and published as the venue spells it, and
 * compared by `slugKey`.
 */
export const Slug = Schema.String.check(Schema.isPattern(new RegExp(slugPattern))).pipe(
  Schema.brand("Slug"),
)
export type Slug = typeof Slug.Type

/** The form in which slugs of markets and events are compared: without regard to case. */
export function slugKey(slug: string): string {
  return slug.toLowerCase()
}

/**
 * The venue's state of a market. `proposed`: an outcome was proposed and can be disputed. `resolved`:
 * the venue has paid out. Only `open` and `proposed` markets have a live book.
 */
export type MarketStatus = "open" | "proposed" | "resolved" | "closed"

/** Whether the market still has a live book. */
export function isTrading({ status }: Pick<Market, "status">): boolean {
  return status === "open" || status === "proposed"
}

/** What an answer says of the liquidity. */
export const liquidityText = "The venue's own figure of the market's liquidity, USD"

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
  /** When the venue created it; null when not known. */
  readonly createdAt: EpochMs | null
  /** The days that its rules name with their year, as their starts in UTC; empty when not known. */
  readonly rulesDates: ReadonlyArray<EpochMs>
  /** When the game it is about starts, as last scheduled; null unless it is about a game. */
  readonly gameStartsAt: EpochMs | null
  /**
   * Markets that may depend on each other have the same key: those of one game, of one event, or of
   * the prices of one kind of asset in one window (`eventKey.ts`). In lower case.
   */
  readonly eventKey: string
  /**
   * Of the exclusive markets with one `eventSlug`, at most one pays its first outcome. It can be none:
   * the outcome that happens need not be listed.
   */
  readonly exclusive: boolean
  readonly volumeUsd: number
  /** Volume of the last 24 hours in USD; null when the venue does not give it. */
  readonly volume24hUsd: number | null
  readonly liquidityUsd: number
  readonly status: MarketStatus
  /** Best prices of the listing: good enough to choose candidates, not to analyse a market. */
  readonly listed: { readonly bestBid: number; readonly bestAsk: number } | null
  /** The venue's taker fee rate: fee = shares x rate x p x (1 - p); null when not known. */
  readonly takerFeeRate: number | null
  /** Null for an ordinary market. */
  readonly mechanical: MechanicalSign | null
}

/** The fields of a market that do not change when it closes. */
export type MarketFacts = Omit<
  Market,
  "volumeUsd" | "volume24hUsd" | "liquidityUsd" | "status" | "listed" | "mechanical"
>

/** The signs of a mechanical short-interval market. */
export type MechanicalSign = "recurrence" | "slug" | "question" | "tags" | "price_stream"

/** The fields from which a market is recognised as mechanical; tags as slugs. */
export interface MechanicalEvidence {
  readonly slug: string
  readonly question: string
  readonly seriesSlugs: ReadonlyArray<string>
  readonly recurrences: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly resolutionSources: ReadonlyArray<string>
}

/** Recurrences of series that open a new market every few minutes or hours. */
const shortRecurrences: ReadonlySet<string> = new Set(["5m", "15m", "hourly", "4h"])
/** The venue calls the recurrence of some short series on a price level "daily". */
const shortSeries = /-(?:up-or-down|neg-risk|multi-?strike\w?)-(?:5m|15m|hourly|1h|4h)$/

/** A month in English, in full or abbreviated: a part of a regular expression. */
export const months =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?" +
  "|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"

/**
 * Such as `btc-updown-5m-1773307200`, `btc-multistrike-4h-1758873600-110k` and
 * `bitcoin-up-or-down-march-12-5am-et`. A market on a price after earnings, or on approval this week,
 * is up or down without such an interval.
 */
const intervalSlugs = [
  /-updown-\d{1,4}[mh]-\d{1,12}$/,
  /-multistrike-\d{1,4}[mh]-\d{1,12}(?:-|$)/,
  new RegExp(`-up-or-down-(?:on-)?(?:(?:${months})-)?\\d`),
]

/**
 * A price level at an hour, such as `bitcoin-above-67400-on-april-4-2026-12pm-et`. The hourly series
 * write the hour so; "at 5PM ET" is the hour of daily ones.
 */
const levelSlug = /-(?:above|below|between|less-than|greater-than)-/
const hourOfSlug = /(?<!-at)-\d{1,2}-?[ap]m-et(?:-\d{1,6}){0,3}$/

/** The same in a question: "Ethereum above 2,240 on April 27, 10AM ET?". */
const levelQuestion = /\b(?:above|below|between|less than|greater than) \$?\d/i
const hourOfQuestion = new RegExp(
  `\\bon (?:${months}) \\d{1,2},(?: \\d{4},)? \\d{1,2}(?::\\d{2})? ?[ap]m et\\b`,
  "i",
)
/** "Bitcoin Up or Down - March 12, 5:20AM-5:25AM ET". */
const intervalQuestion = new RegExp(
  `\\bup or down - (?:${months}) \\d{1,2},(?: \\d{4},)? \\d{1,2}(?::\\d{2})? ?[ap]m\\b`,
  "i",
)

/** Ordinary markets can have two of these tags, as daily temperatures do, but not all three. */
const mechanicalTags = ["up-or-down", "recurring", "hide-from-new"]

/** The source of markets that settle on a streaming price. */
const priceStream = /^(?:https?:\/\/)?(?:www\.)?data\.chain\.link(?![\w.-])/i

/**
 * The first sign that a market is mechanical: one of an endless series of short bets on a price, whose
 * moves carry no information. Null for an ordinary market. A short trading window is not a sign:
 * sports markets are short and ordinary.
 */
export function mechanicalSign(evidence: MechanicalEvidence): MechanicalSign | null {
  const { slug, question, seriesSlugs, recurrences, tags, resolutionSources } = evidence
  if (recurrences.some((recurrence) => shortRecurrences.has(recurrence))) return "recurrence"
  if (seriesSlugs.some((series) => shortSeries.test(series))) return "recurrence"
  const key = slugKey(slug)
  if (intervalSlugs.some((interval) => interval.test(key))) return "slug"
  if (levelSlug.test(key) && hourOfSlug.test(key)) return "slug"
  if (levelQuestion.test(question) && hourOfQuestion.test(question)) return "question"
  if (intervalQuestion.test(question)) return "question"
  if (mechanicalTags.every((tag) => tags.includes(tag))) return "tags"
  if (resolutionSources.some((source) => priceStream.test(source))) return "price_stream"
  return null
}

const coin = new RegExp(
  "(?:^|-)(?:bitcoin|btc|ethereum|eth|solana|sol|xrp|dogecoin|doge|bnb|hyperliquid|hype|cardano|ada" +
    "|chainlink|litecoin|ltc|sui|avalanche|avax)(?:-|$)",
)
const priceWord = new RegExp(
  "(?:^|-)(?:above|below|price|hit|reach|dip|between|gain|multistrike|updown|up-or-down)(?:-|$)",
)

/**
 * Whether a market is on the price of a coin: by its tags, or by the slug of the market or its event.
 * Prices of coins move together.
 */
export function isCryptoPrice(
  { slug, eventSlug, tags }: {
    readonly slug: string
    readonly eventSlug: string
    readonly tags: ReadonlyArray<string>
  },
): boolean {
  return tags.includes("crypto-prices") || [slug, eventSlug].map(slugKey)
    .some((name) => coin.test(name) && priceWord.test(name))
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
