/**
 * The feed item: one union of everything the feed can carry, in the shape it has on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import { Microstructure } from "../../markets/domain/book.ts"
import type { Market } from "../../markets/domain/market.ts"
import { day, hour, IsoTime, isoTime } from "../../core/domain/time.ts"

export const feedTypes = ["mover", "whale_entry", "predetermined"] as const
export const FeedType = Schema.Literals(feedTypes)
export type FeedType = typeof FeedType.Type

/** `starting`: the service has just started and no tick has succeeded yet. */
export const FeedStatus = Schema.Literals(["live", "stale", "starting"])
export type FeedStatus = typeof FeedStatus.Type

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** The market an item is about, as it stood when the item was made. */
export const MarketRef = Schema.Struct({
  slug: Schema.String,
  question: Schema.String,
  /** Items of a store filled by an earlier version have none. */
  outcomes: Schema.optionalKey(Schema.Tuple([Schema.String, Schema.String])).annotate({
    description:
      "Their names; prices and microstructure are of the first, where nothing else is said",
  }),
  url: Schema.String,
  category: Schema.NullOr(Schema.String),
  eventEndDate: Schema.NullOr(IsoTime),
  volumeUsd: Schema.Finite,
  liquidityUsd: Schema.Finite,
})
export type MarketRef = typeof MarketRef.Type

/** A market as an item shows it. */
export function marketRef(market: Market): MarketRef {
  const { slug, question, outcomes, url, category, endsAt, volumeUsd, liquidityUsd } = market
  const eventEndDate = endsAt === null ? null : isoTime(endsAt)
  return { slug, question, outcomes, url, category, eventEndDate, volumeUsd, liquidityUsd }
}

export const MoveWindow = Schema.Literals(["1h", "24h"])
export type MoveWindow = typeof MoveWindow.Type

/** How long each window is. */
export const windowMs: Readonly<Record<MoveWindow, number>> = { "1h": hour, "24h": day }

export const MoverData = Schema.Struct({
  market: MarketRef,
  window: MoveWindow,
  priceStart: Price,
  priceNow: Price,
  /** priceNow - priceStart. */
  delta: Schema.Finite,
  startedAt: IsoTime,
  zScore: Schema.Finite,
  confirmedBy: Schema.Literals(["trades", "persistence"]),
  microstructure: Microstructure,
}).annotate({ identifier: "MoverData" })
export type MoverData = typeof MoverData.Type

export const WhaleLabel = Schema.Literals(["follow", "fade", "neutral"])

const Rate = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What an entry carries of its wallet: the calibration as it stood before the entry. */
export const FrozenCalibration = Schema.Struct({
  label: WhaleLabel.annotate({
    description:
      "follow or fade: luck would hardly do it at these prices, and it would have paid after " +
      "fees; else neutral",
  }),
  resolved: Count.annotate({
    description: "Entries in markets that paid out; cancelled ones count nowhere",
  }),
  winRate: Rate.annotate({
    description:
      "Wins among the entries that were paid in full or not at all; about meanEntryPrice where " +
      "prices are fair",
  }),
  meanEntryPrice: Rate.annotate({
    description: "Mean over entries of the price paid, USD a share",
  }),
  edge: Schema.Finite.annotate({
    description:
      "Mean over entries of payout less price, USD a share; a push or a part counts as what it paid",
  }),
  edgeLow: Schema.Finite.annotate({
    description: "Lower end of its 95 % interval, an event taken for one trial",
  }),
  edgeHigh: Schema.Finite.annotate({
    description: "Upper end of its 95 % interval, an event taken for one trial",
  }),
  followRoi: Schema.Finite.annotate({
    description:
      "What a USD staked in proportion to its stakes, at its prices, came to, less that USD: held " +
      "to resolution, after the venue's fee where it is known",
  }),
  fadeRoi: Schema.Finite.annotate({
    description: "The same for as large a stake on the other outcome, bought at 1 less its price",
  }),
  computedAt: IsoTime.annotate({ description: "Before the entry's first fill" }),
  ruleVersion: Schema.String.annotate({ description: "Names the rule behind the label" }),
})
export type FrozenCalibration = typeof FrozenCalibration.Type

const WhaleEntryData = Schema.Struct({
  market: MarketRef,
  wallet: Schema.String,
  pseudonym: Schema.String,
  outcome: Schema.String.annotate({ description: "What the wallet chose to buy" }),
  entryPrice: Price.annotate({ description: "Mean price of its buys, USD a share of `outcome`" }),
  stakeUsd: Schema.Finite.annotate({ description: "Cost of its buys so far, fees not included" }),
  shares: Schema.Finite.annotate({ description: "Shares bought so far" }),
  fills: Schema.Int,
  firstFillAt: IsoTime,
  lastFillAt: IsoTime,
  calibration: Schema.NullOr(FrozenCalibration).annotate({
    description:
      "What the wallet's earlier entries came to, as it was known before this one; null " +
      "when nothing was",
  }),
  microstructure: Schema.NullOr(Microstructure).annotate({
    description: "Null when no sound book was to be had",
  }),
}).annotate({ identifier: "WhaleEntryData" })

const PredeterminedData = Schema.Struct({
  market: MarketRef,
  outcome: Schema.String,
  statement: Schema.String,
  confidence: Schema.Literals(["high", "medium"]),
  evidence: Schema.NonEmptyArray(Schema.Struct({
    title: Schema.String,
    url: Schema.String,
    source: Schema.String,
    publishedAt: IsoTime,
  })),
  marketPrice: Price,
  impliedEdge: Schema.Finite,
  detectedAt: IsoTime,
  detector: Schema.String,
  microstructure: Schema.NullOr(Microstructure),
}).annotate({ identifier: "PredeterminedData" })

const shared = { title: Schema.String, createdAt: IsoTime }
const index = { feedIndex: Schema.Int.check(Schema.isGreaterThan(0)) }

/** An item in the feed. `feedIndex` grows by one an item, without gaps, in the order of visibility. */
export const FeedItem = Schema.Union([
  Schema.Struct({ ...index, type: Schema.Literal("mover"), ...shared, data: MoverData }),
  Schema.Struct({ ...index, type: Schema.Literal("whale_entry"), ...shared, data: WhaleEntryData }),
  Schema.Struct({
    ...index,
    type: Schema.Literal("predetermined"),
    ...shared,
    data: PredeterminedData,
  }),
]).annotate({ identifier: "FeedItem" })
export type FeedItem = typeof FeedItem.Type

/** An item that has not been given its place yet. */
export type NewFeedItem =
  & {
    /** At most one item with this key is ever in the feed. */
    readonly dedupeKey: string
  }
  & (
    | Omit<Extract<FeedItem, { type: "mover" }>, "feedIndex">
    | Omit<Extract<FeedItem, { type: "whale_entry" }>, "feedIndex">
    | Omit<Extract<FeedItem, { type: "predetermined" }>, "feedIndex">
  )

/** Where the feed stands: what the free index says, apart from its freshness. */
export interface FeedHead {
  /** The newest item's feedIndex; 0 when the feed is empty. */
  readonly index: number
  /** The newest item's createdAt, in epoch milliseconds; null when the feed is empty. */
  readonly lastItemAt: number | null
  /** Items created since `dayStart` (the UTC day), by type. */
  readonly todayByType: Readonly<Record<FeedType, number>>
}

/** The feed has no such item; `index` is null when the newest was asked for and there is none. */
export class SignalNotFound extends Schema.TaggedError<SignalNotFound>()("SignalNotFound", {
  index: Schema.NullOr(Schema.Int),
}) {}

/** The feed has not been fed for too long to be sold. */
export class DataStale extends Schema.TaggedError<DataStale>()("DataStale", {
  retryAfterSeconds: Schema.Int,
}) {}
