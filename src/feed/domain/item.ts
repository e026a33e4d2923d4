/**
 * The feed item: a union of all item types, in the shape they have on the wire.
 *
 * @module
 */
import { Schema, Struct } from "effect"
import { Count, Price, Rate } from "../../core/domain/number.ts"
import { described, EvidenceRow, marketName, text, walletName } from "../../core/domain/fields.ts"
import { Microstructure } from "../../markets/domain/book.ts"
import { liquidityText, type Market } from "../../markets/domain/market.ts"
import { day, type EpochMs, hour, IsoTime, isoTime } from "../../core/domain/time.ts"
import { type ChainHead, ChainPlace } from "./chain.ts"

/** How long an item is kept, in milliseconds from its creation: 90 days. */
export const feedRetentionMs = 90 * day

export const feedTypes = ["mover", "whale_entry", "predetermined"] as const
export const FeedType = Schema.Literals(feedTypes).annotate({
  description: "What `data` is about; /llms-full.txt describes the types",
})
export type FeedType = typeof FeedType.Type

export const FeedStatus = Schema.Literals(["live", "stale", "starting"]).annotate({
  description: "live; stale: updates are late; starting: none has succeeded since the start",
})
export type FeedStatus = typeof FeedStatus.Type

/** The market of an item, as it was when the item was created. */
export const MarketRef = Schema.Struct({
  ...marketName,
  outcomes: Schema.Tuple([Schema.String, Schema.String]).annotate({
    description: "Names of both outcomes; a price without an outcome of its own is of the first",
  }),
  url: text("Address of the market's page at the venue"),
  category: described(Schema.NullOr(Schema.String), "The venue's category; null without one"),
  eventEndDate: described(
    Schema.NullOr(IsoTime),
    "The scheduled end, not the time of resolution; null when the venue names none",
  ),
  volumeUsd: described(Schema.Finite, "The venue's figure of all trades so far, USD"),
  liquidityUsd: described(Schema.Finite, liquidityText),
}).annotate({ identifier: "Market", description: "The market, as it was at publication" })
export type MarketRef = typeof MarketRef.Type

export function marketRef(market: Market): MarketRef {
  const { slug, question, outcomes, url, category, endsAt, volumeUsd, liquidityUsd } = market
  const eventEndDate = endsAt === null ? null : isoTime(endsAt)
  return { slug, question, outcomes, url, category, eventEndDate, volumeUsd, liquidityUsd }
}

export const MoveWindow = Schema.Literals(["1h", "24h"]).annotate({
  description: "The time in which the price moved",
})
export type MoveWindow = typeof MoveWindow.Type

export const windowMs: Readonly<Record<MoveWindow, number>> = { "1h": hour, "24h": day }

export const MovePhase = Schema.Literals(["running", "settled"]).annotate({
  description:
    "settled: for 40 minutes all mids were within a third of the move of one another. running: not " +
    "yet; published at once, and once more when it settles",
})
export type MovePhase = typeof MovePhase.Type

/** A price move on the wire, and the outcome that it is of. */
export const moveFields = {
  outcome: text(
    "Name of the outcome that the prices belong to: the market's first, not always Yes",
  ),
  window: MoveWindow,
  priceStart: described(Price, "Mid at the start of the window, USD per share of `outcome`"),
  priceNow: described(Price, "Mid when the move was found, USD per share of `outcome`"),
  delta: described(Schema.Finite, "priceNow minus priceStart, USD per share: -1 to 1"),
}

const MoverData = Schema.Struct({
  market: MarketRef,
  ...moveFields,
  phase: MovePhase,
  startedAt: described(IsoTime, "Time of priceStart: `window` before, or up to two ticks earlier"),
  confirmedBy: described(
    Schema.Literals(["persistence", "trades"]),
    "persistence: the mid of an earlier tick was beyond half of the move too. trades: at least 100 USD " +
      "(24h: 500) traded beyond half of it",
  ),
  tradedUsd: described(
    Schema.NullOr(Schema.Finite),
    "USD traded during the move, beyond half of it, among the newest 1,000 fills; null when they could not be read",
  ),
  microstructure: Microstructure,
}).annotate({ identifier: "MoverData", description: "A market that repriced" })

export const WhaleLabel = Schema.Literals(["follow", "fade", "neutral"])

/** The wallet's calibration as it was before the entry. */
export const FrozenCalibration = Schema.Struct({
  label: WhaleLabel.annotate({
    description:
      "follow or fade if the record is very unlikely by luck and would have paid after fees at the wallet's own prices; else neutral",
  }),
  resolved: Count.annotate({
    description: "Entries in markets that paid out; cancelled markets are not counted",
  }),
  winRate: Rate.annotate({
    description: "Share of wins, 0 to 1, among entries paid in full or not at all, 0.5 without any",
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
      "Lower end of the 95 % interval of edge, USD per share; all entries in one event are one trial",
  }),
  edgeHigh: Schema.Finite.annotate({
    description:
      "Upper end of the 95 % interval of edge, USD per share; all entries in one event are one trial",
  }),
  followRoi: Schema.Finite.annotate({
    description:
      "The wallet's own return per USD at the prices that it paid, held to resolution, after known fees",
  }),
  fadeRoi: Schema.NullOr(Schema.Finite).annotate({
    description:
      "The same, per USD, on the other outcome at 1 minus the price, where that is at least 0.05; null without such an entry",
  }),
  effectiveEntries: Schema.Finite.annotate({
    description:
      "Number of independent entries of equal stake that would be as certain; low when a few large stakes decide",
  }),
  computedAt: IsoTime.annotate({
    description: "When it was computed; in a feed item before the entry's first fill",
  }),
  ruleVersion: Schema.String.annotate({ description: "Identifies the rule that set the label" }),
}).annotate({ identifier: "Calibration" })
export type FrozenCalibration = typeof FrozenCalibration.Type

const WhaleEntryData = Schema.Struct({
  market: MarketRef,
  ...walletName,
  outcome: Schema.String.annotate({ description: "The outcome that the wallet bought" }),
  entryPrice: Price.annotate({ description: "Mean price of its buys, USD per share of `outcome`" }),
  stakeUsd: Schema.Finite.annotate({
    description: "Cost of its buys so far, USD, fees not included",
  }),
  shares: Schema.Finite.annotate({ description: "Shares bought so far; sales are not subtracted" }),
  fills: described(Schema.Int, "Number of its buys so far"),
  firstFillAt: described(IsoTime, "Time of its first buy"),
  lastFillAt: described(IsoTime, "Time of its newest buy"),
  calibration: Schema.NullOr(FrozenCalibration).annotate({
    description:
      "The wallet's record as known before this entry; null with fewer than 30 resolved entries or 10 events, or before they are counted",
  }),
  microstructure: described(
    Schema.NullOr(Microstructure),
    "The book of the outcome that the wallet bought; null when no valid one was available",
  ),
}).annotate({
  identifier: "WhaleEntryData",
  description: "A position that a tracked wallet entered",
})

/** How often earlier proposals that the service published were upheld. */
export const ProposalRecord = Schema.Struct({
  proposals: Count.annotate({
    description: "Published proposals whose market was paid or cancelled",
  }),
  upheld: Count.annotate({ description: "Of these, those whose outcome was paid in full" }),
  upheldRate: described(Rate, "upheld divided by proposals, 0 to 1"),
  upheldRateLow: described(Rate, "Lower end of its 95 % interval (Wilson), 0 to 1"),
  upheldRateHigh: described(Rate, "Upper end of its 95 % interval (Wilson), 0 to 1"),
}).annotate({ identifier: "ProposalRecord" })
export type ProposalRecord = typeof ProposalRecord.Type

const PredeterminedData = Schema.Struct({
  market: MarketRef,
  kind: Schema.Literals(["evidence", "proposal"]).annotate({
    description:
      "evidence: headlines report this outcome. proposal: it is proposed at the venue, undisputed, at a " +
      "price that is not there yet",
  }),
  outcome: Schema.String.annotate({
    description: "Name of the outcome that is reported or proposed; it may not be paid",
  }),
  statement: text("What is reported or proposed, in one sentence; not verified"),
  confidence: Schema.Literals(["high", "medium"]).annotate({
    description: "Of evidence as its detector judged; of a proposal medium",
  }),
  proposal: Schema.optionalKey(Schema.Struct({
    proposedAt: described(IsoTime, "When the outcome was proposed at the venue"),
    disputed: described(Schema.Boolean, "Always false: a disputed proposal is not published"),
    record: Schema.NullOr(ProposalRecord).annotate({
      description: "As known when the item was created; null before the first result",
    }),
  })).annotate({ description: "Only in an item of this kind" }),
  evidence: described(
    Schema.NonEmptyArray(EvidenceRow),
    "What the statement rests on; never empty",
  ),
  marketPrice: Price.annotate({ description: "Mid of `outcome`, USD per share" }),
  impliedEdge: Schema.Finite.annotate({
    description:
      "1 minus marketPrice: the gain in USD per share if `outcome` is paid in full; not an expected value",
  }),
  detectedAt: described(IsoTime, "When the outcome was found; equal to createdAt"),
  detector: text("What judged the evidence: a model's name, or `rules`"),
  microstructure: described(
    Schema.NullOr(Microstructure),
    "The book of the market's first outcome, which it names; null when no valid one was available",
  ),
}).annotate({
  identifier: "PredeterminedData",
  description: "A market whose outcome is reported, or proposed while its price is not there yet",
})

const shared = {
  title: text("The market's question"),
  createdAt: described(IsoTime, "When the item was published"),
}
const index = {
  feedIndex: described(
    Schema.Int.check(Schema.isGreaterThan(0)),
    "Position in the feed; grows by 1 per item, from 1",
  ),
}

const itemOf = <Type extends FeedType, Data extends Schema.Top>(type: Type, data: Data) =>
  Schema.Struct({
    ...index,
    type: described(Schema.Literal(type), "What `data` is about"),
    ...shared,
    data,
    chain: Schema.optionalKey(ChainPlace),
  })

/** An item in the feed. `feedIndex` grows by one per item, without gaps, in the order of visibility. */
export const FeedItem = Schema.Union([
  itemOf("mover", MoverData),
  itemOf("whale_entry", WhaleEntryData),
  itemOf("predetermined", PredeterminedData),
]).annotate({
  identifier: "FeedItem",
  description: "One item of the feed; `type` says what `data` is",
})
export type FeedItem = typeof FeedItem.Type

/** What of an item is hashed as its content: all but its place in the feed and in the chain. */
export const contentOf = (item: FeedItem) => Struct.omit(item, ["feedIndex", "chain"])

/** The item with the name of the outcome next to the prices of its book. */
export function withOutcome(item: FeedItem): FeedItem {
  const { market: { outcomes: [first] }, microstructure: book } = item.data
  if (book === null) return item
  const outcome = item.type === "whale_entry" ? item.data.outcome : first
  const microstructure = { outcome, ...book }
  switch (item.type) {
    case "mover":
      return { ...item, data: { ...item.data, microstructure } }
    case "whale_entry":
      return { ...item, data: { ...item.data, microstructure } }
    case "predetermined":
      return { ...item, data: { ...item.data, microstructure } }
  }
}

/** An item without an index. */
export type NewFeedItem =
  & {
    /** The feed never contains two items with the same key. */
    readonly dedupeKey: string
  }
  & WithoutPlace<FeedItem>

type WithoutPlace<Item> = Item extends unknown ? Omit<Item, "feedIndex" | "chain"> : never

/** What an item is about, without what it says. */
export interface FeedHeading {
  readonly feedIndex: number
  readonly type: FeedType
  readonly createdAt: string
  readonly market: MarketRef
}

/** The newest index and today's counts, without the freshness that `Feed` adds. */
export interface FeedHead {
  /** The newest item's feedIndex; 0 when the feed is empty. */
  readonly index: number
  /** The newest item's createdAt; null when the feed is empty. */
  readonly lastItemAt: EpochMs | null
  /** Items created since `dayStart` (the UTC day), by type. */
  readonly todayByType: Readonly<Record<FeedType, number>>
  readonly chain: ChainHead
}

/** The feed has no such item; `index` is null when the newest was requested and the feed is empty. */
export class SignalNotFound extends Schema.TaggedError<SignalNotFound>()("SignalNotFound", {
  index: Schema.NullOr(Schema.Int),
}) {}

const ReadAt = Schema.NullOr(IsoTime)

/** When the part of each type was last read in full; null if that is not known. */
export const FeedAsOf = Schema.Struct({
  mover: described(ReadAt, "Of prices and books; null if not known"),
  whale_entry: described(ReadAt, "Of tracked wallets; null if not known"),
  predetermined: described(ReadAt, "Of proposals and headlines; null if not known"),
}).annotate({
  identifier: "FeedAsOf",
  description: "When the data of each type was last read in full; no item is newer",
})
export type FeedAsOf = typeof FeedAsOf.Type
