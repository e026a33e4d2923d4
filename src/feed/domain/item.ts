/**
 * The feed item: a union of all item types, in the shape they have on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import { Microstructure } from "../../markets/domain/book.ts"
import type { Market } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, IsoTime, isoTime } from "../../core/domain/time.ts"

export const feedTypes = ["mover", "whale_entry", "predetermined"] as const
export const FeedType = Schema.Literals(feedTypes)
export type FeedType = typeof FeedType.Type

/** `starting`: the service has just started and no tick has succeeded yet. */
export const FeedStatus = Schema.Literals(["live", "stale", "starting"])
export type FeedStatus = typeof FeedStatus.Type

const Price = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

/** The market of an item, as it was when the item was created. */
export const MarketRef = Schema.Struct({
  slug: Schema.String,
  question: Schema.String,
  /** Missing in items that an earlier version stored. */
  outcomes: Schema.optionalKey(Schema.Tuple([Schema.String, Schema.String])).annotate({
    description:
      "Outcome names; prices and microstructure refer to the first unless a field says otherwise",
  }),
  url: Schema.String,
  category: Schema.NullOr(Schema.String),
  eventEndDate: Schema.NullOr(IsoTime),
  volumeUsd: Schema.Finite,
  liquidityUsd: Schema.Finite,
})
export type MarketRef = typeof MarketRef.Type

export function marketRef(market: Market): MarketRef {
  const { slug, question, outcomes, url, category, endsAt, volumeUsd, liquidityUsd } = market
  const eventEndDate = endsAt === null ? null : isoTime(endsAt)
  return { slug, question, outcomes, url, category, eventEndDate, volumeUsd, liquidityUsd }
}

export const MoveWindow = Schema.Literals(["1h", "24h"])
export type MoveWindow = typeof MoveWindow.Type

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

/** The wallet's calibration as it was before the entry. */
export const FrozenCalibration = Schema.Struct({
  label: WhaleLabel.annotate({
    description:
      "follow or fade: luck hardly explains the record at these prices, and following or fading " +
      "it would have paid after fees; otherwise neutral",
  }),
  resolved: Count.annotate({
    description: "Entries in markets that paid out; cancelled markets are not counted",
  }),
  winRate: Rate.annotate({
    description:
      "Wins among the entries that were paid in full or not at all; close to meanEntryPrice " +
      "where prices are fair",
  }),
  meanEntryPrice: Rate.annotate({
    description: "Mean over entries of the price paid, USD per share",
  }),
  edge: Schema.Finite.annotate({
    description:
      "Mean over entries of payout minus price, USD per share; a push or a partial payout counts " +
      "as the amount paid",
  }),
  edgeLow: Schema.Finite.annotate({
    description:
      "Lower end of the 95 % interval of edge; all entries in one event count as one trial",
  }),
  edgeHigh: Schema.Finite.annotate({
    description:
      "Upper end of the 95 % interval of edge; all entries in one event count as one trial",
  }),
  followRoi: Schema.Finite.annotate({
    description:
      "Return per USD on copying every entry in proportion to the wallet's stake, at its price, " +
      "held to resolution; after the venue's fee where it is known",
  }),
  fadeRoi: Schema.Finite.annotate({
    description: "The same for an equal stake on the other outcome, bought at 1 minus the price",
  }),
  computedAt: IsoTime.annotate({ description: "Before the entry's first fill" }),
  ruleVersion: Schema.String.annotate({ description: "Identifies the rule that set the label" }),
})
export type FrozenCalibration = typeof FrozenCalibration.Type

const WhaleEntryData = Schema.Struct({
  market: MarketRef,
  wallet: Schema.String,
  pseudonym: Schema.String,
  outcome: Schema.String.annotate({ description: "The outcome that the wallet bought" }),
  entryPrice: Price.annotate({ description: "Mean price of its buys, USD per share of `outcome`" }),
  stakeUsd: Schema.Finite.annotate({ description: "Cost of its buys so far, fees not included" }),
  shares: Schema.Finite.annotate({ description: "Shares bought so far" }),
  fills: Schema.Int,
  firstFillAt: IsoTime,
  lastFillAt: IsoTime,
  calibration: Schema.NullOr(FrozenCalibration).annotate({
    description:
      "The results of the wallet's earlier entries, as known before this entry; null when there " +
      "were none",
  }),
  microstructure: Schema.NullOr(Microstructure).annotate({
    description: "Null when no valid order book was available",
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

/** An item in the feed. `feedIndex` grows by one per item, without gaps, in the order of visibility. */
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

/** An item without an index. */
export type NewFeedItem =
  & {
    /** The feed never contains two items with the same key. */
    readonly dedupeKey: string
  }
  & (
    | Omit<Extract<FeedItem, { type: "mover" }>, "feedIndex">
    | Omit<Extract<FeedItem, { type: "whale_entry" }>, "feedIndex">
    | Omit<Extract<FeedItem, { type: "predetermined" }>, "feedIndex">
  )

/** The newest index and today's counts, without the freshness that `Feed` adds. */
export interface FeedHead {
  /** The newest item's feedIndex; 0 when the feed is empty. */
  readonly index: number
  /** The newest item's createdAt; null when the feed is empty. */
  readonly lastItemAt: EpochMs | null
  /** Items created since `dayStart` (the UTC day), by type. */
  readonly todayByType: Readonly<Record<FeedType, number>>
}

/** The feed has no such item; `index` is null when the newest was requested and the feed is empty. */
export class SignalNotFound extends Schema.TaggedError<SignalNotFound>()("SignalNotFound", {
  index: Schema.NullOr(Schema.Int),
}) {}

/** The last good tick is too old for a paid read. */
export class DataStale extends Schema.TaggedError<DataStale>()("DataStale", {
  retryAfterSeconds: Schema.Int,
}) {}
