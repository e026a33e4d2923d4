/**
 * The feed item: a union of all item types, in the shape they have on the wire.
 *
 * @module
 */
import { Schema } from "effect"
import { Count, Price, Rate } from "../../core/domain/number.ts"
import { Microstructure } from "../../markets/domain/book.ts"
import type { Market } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, IsoTime, isoTime } from "../../core/domain/time.ts"

export const feedTypes = ["mover", "whale_entry", "predetermined"] as const
export const FeedType = Schema.Literals(feedTypes)
export type FeedType = typeof FeedType.Type

/** `starting`: the service has just started and no tick has succeeded yet. */
export const FeedStatus = Schema.Literals(["live", "stale", "starting"])
export type FeedStatus = typeof FeedStatus.Type

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

const Counted = Schema.Int.check(Schema.isGreaterThan(0))

/** What moves like this one did by one later instant, as known when this one was published. */
export const ExpectedDrift = Schema.Struct({
  drift: Schema.Finite.annotate({
    description:
      "Mean over such moves of direction x (later price - priceNow), in price: 0.01 is one cent " +
      "further, -0.01 one cent back",
  }),
  driftLow: Schema.Finite.annotate({
    description:
      "Lower end of the interval that in 95 % of cases contains the mean drift of the next moves " +
      "of the bin, over as many independent events as `events`; one move varies far more",
  }),
  driftHigh: Schema.Finite.annotate({ description: "Upper end of that interval" }),
  shareKept: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })).annotate({
    description: "Share of such moves whose later price was at or beyond half of the move",
  }),
  moves: Counted.annotate({ description: "Such moves" }),
  events: Counted.annotate({ description: "Their independent events; at least 50" }),
  bin: Schema.String.annotate({
    description:
      "The group of moves that were counted: the finest of four groups that has enough events. A feature " +
      "that is not named may have any value",
  }),
  basis: Schema.Literals(["own_movers", "public_prices"]).annotate({
    description:
      "own_movers: this service's own earlier movers, all of them. public_prices: the same rule " +
      "run over public price sets, until there are enough own movers",
  }),
})

export type ExpectedDrift = typeof ExpectedDrift.Type

export const MoveExpectation = Schema.Struct({
  after1h: Schema.NullOr(ExpectedDrift),
  after24h: Schema.NullOr(ExpectedDrift),
}).annotate({ identifier: "MoveExpectation" })
export type MoveExpectation = typeof MoveExpectation.Type

const MoverData = Schema.Struct({
  market: MarketRef,
  window: MoveWindow,
  priceStart: Price,
  priceNow: Price,
  /** priceNow - priceStart. */
  delta: Schema.Finite,
  startedAt: IsoTime,
  zScore: Schema.Finite,
  confirmedBy: Schema.Literals(["trades", "persistence"]).annotate({
    description:
      "persistence: for 40 minutes all mids were within a third of the move of one another. trades: in " +
      "items of an earlier rule, which accepted trades instead",
  }),
  /** Missing in items that an earlier rule made. */
  tradedUsd: Schema.optionalKey(Schema.NullOr(Schema.Finite)).annotate({
    description:
      "USD traded during the move beyond half of it, among the market's newest 1,000 fills; null " +
      "when the venue did not return them",
  }),
  microstructure: Microstructure,
  /** Missing in items that an earlier rule made. */
  converged: Schema.optionalKey(Schema.Boolean).annotate({
    description:
      "The new price is at least 0.97 or at most 0.03: the question is decided, or nearly decided. Such a " +
      "mover is neither in the pulse nor among the moves that a digest describes",
  }),
  /** Missing in items that an earlier version stored. */
  expectation: Schema.optionalKey(Schema.NullOr(MoveExpectation)).annotate({
    description:
      "What earlier moves of similar size, z-score and time to the end did next, from moves judged " +
      "before the item was published; null while that is not known. Negative drift is reversion",
  }),
}).annotate({ identifier: "MoverData" })

export const WhaleLabel = Schema.Literals(["follow", "fade", "neutral"])

/** The wallet's calibration as it was before the entry. */
export const FrozenCalibration = Schema.Struct({
  label: WhaleLabel.annotate({
    description:
      "follow or fade if the record is proven (very unlikely by luck at these prices, however often it " +
      "is checked) and following or fading it would have been profitable after fees; otherwise " +
      "neutral",
  }),
  suggestive: Schema.optionalKey(WhaleLabel.annotate({
    description:
      "The label by a p-value: weaker evidence than `label`. It finds more wallets, but is valid for one " +
      "check only: a wallet without skill that is checked every day may have it at some time. " +
      "Absent in rows of an earlier version",
  })),
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
  fadeRoi: Schema.NullOr(Schema.Finite).annotate({
    description:
      "The same for an equal stake on the other outcome, bought at 1 minus the price. Entries where " +
      "that is below 0.05 are not counted, because it cannot be traded; null without a counted entry",
  }),
  effectiveEntries: Schema.optionalKey(Schema.Finite.annotate({
    description:
      "The number of independent entries of equal stake that would give returns as certain as these. " +
      "It is at most the number of events, and low when a few large stakes decide",
  })),
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

/** How often earlier contested proposals of the service were upheld. */
export const ProposalRecord = Schema.Struct({
  proposals: Count.annotate({
    description: "Published contested proposals whose market was paid or cancelled",
  }),
  upheld: Count.annotate({ description: "Of these, those whose outcome was paid in full" }),
  upheldRate: Rate,
  upheldRateLow: Rate.annotate({ description: "Lower end of its 95 % interval (Wilson)" }),
  upheldRateHigh: Rate.annotate({ description: "Upper end of its 95 % interval (Wilson)" }),
}).annotate({ identifier: "ProposalRecord" })
export type ProposalRecord = typeof ProposalRecord.Type

const PredeterminedData = Schema.Struct({
  market: MarketRef,
  /** Missing in items that an earlier version stored. */
  kind: Schema.optionalKey(Schema.Literals(["evidence", "contested_proposal"])).annotate({
    description: "evidence: headlines report this outcome. contested_proposal: the outcome is " +
      "proposed at the venue and not disputed, and its price shows that traders doubt it",
  }),
  outcome: Schema.String.annotate({
    description:
      "The outcome that is reported or proposed. The outcome of a contested proposal may not be paid",
  }),
  statement: Schema.String,
  confidence: Schema.Literals(["high", "medium", "low"]).annotate({
    description: "Of a contested proposal: medium at a price of 0.5 or more, else low; never high",
  }),
  proposal: Schema.optionalKey(Schema.Struct({
    proposedAt: IsoTime,
    disputed: Schema.Boolean,
    record: Schema.NullOr(ProposalRecord).annotate({
      description: "As known when the item was created; null before the first result",
    }),
  })).annotate({ description: "Only of a contested proposal" }),
  evidence: Schema.NonEmptyArray(Schema.Struct({
    title: Schema.String,
    url: Schema.String,
    source: Schema.String,
    publishedAt: IsoTime,
  })),
  marketPrice: Price.annotate({ description: "Of `outcome`" }),
  impliedEdge: Schema.Finite.annotate({
    description:
      "1 minus marketPrice: the gain in USD per share if `outcome` is paid in full; not an expected value",
  }),
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

/** When the part of each type was last read in full; null if that is not known. */
export const FeedAsOf = Schema.Struct({
  mover: Schema.NullOr(IsoTime),
  whale_entry: Schema.NullOr(IsoTime),
  predetermined: Schema.NullOr(IsoTime),
}).annotate({
  identifier: "FeedAsOf",
  description:
    "For each type, when its data was last read in full from the venue; null if that is not known. " +
    "No item of a type is newer",
})
export type FeedAsOf = typeof FeedAsOf.Type
