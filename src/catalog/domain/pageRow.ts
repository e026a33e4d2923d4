/**
 * The table of page data: what a page shows beyond the free rows, as JSON, under the budget of pages.
 * A row is no skill and no operation of /openapi.json: an agent buys the same from a product.
 *
 * @module
 */
import { Schema } from "effect"
import { marketName, success } from "../../core/domain/fields.ts"
import { Price } from "../../core/domain/number.ts"
import { IsoTime } from "../../core/domain/time.ts"
import { Digest, digestEvery, digestRetention } from "../../digest/domain/digest.ts"
import { StatusReport } from "../../status/domain/status.ts"
import { Outcome } from "../../track-record/domain/outcomes.ts"
import { FeedItem, FeedType, feedTypes, MarketRef, moveFields } from "../../feed/domain/item.ts"
import { pathPointsMax, recentMax } from "../../feed/domain/publishedMarket.ts"

/** One path with the data of pages. */
interface PageRow {
  /** A template has its parameter in braces: `/markets/{slug}.json`. */
  readonly path: `/${string}.json`
  /** The body of a 200. */
  readonly body: Schema.Codec<unknown, unknown>
}

/** The number of digests that are kept. */
const digestsMax = digestRetention / digestEvery

/** What is free to know of an item. */
const heading = {
  feedIndex: FeedItem.members[0].fields.feedIndex,
  type: FeedType,
  createdAt: IsoTime,
}

export const pageRows = {
  /** What the newest free items are about, the newest first. */
  recent: {
    path: "/signals.json",
    body: Schema.Struct({
      success,
      items: Schema.Array(Schema.Struct({ ...heading, ...marketName }))
        .check(Schema.isMaxLength(recentMax)),
    }),
  },
  /**
   * Of each type the newest item that is more than a day old, whole, and what became of it. They are
   * not chosen by their outcome, which is null while it is not scored.
   */
  opened: {
    path: "/opened.json",
    body: Schema.Struct({
      success,
      items: Schema.Array(Schema.Struct({ item: FeedItem, outcome: Schema.NullOr(Outcome) }))
        .check(Schema.isMaxLength(feedTypes.length)),
    }),
  },
  /** The public facts of a market that the feed has published, and its price path. */
  market: {
    path: "/markets/{slug}.json",
    body: Schema.Struct({
      success,
      ...marketName,
      outcomes: MarketRef.fields.outcomes,
      url: MarketRef.fields.url,
      category: MarketRef.fields.category,
      eventEndDate: MarketRef.fields.eventEndDate,
      /** As last listed; null if it is not stored. */
      status: Schema.NullOr(Schema.Literals(["open", "proposed", "resolved", "closed"])),
      outcome: moveFields.outcome,
      /** As last listed; null without a book. */
      bestBid: Schema.NullOr(Price),
      bestAsk: Schema.NullOr(Price),
      volumeUsd: MarketRef.fields.volumeUsd,
      volume24hUsd: Schema.NullOr(Schema.Finite),
      liquidityUsd: MarketRef.fields.liquidityUsd,
      /** Stored mids of the outcome, USD per share, oldest first. */
      path: Schema.Array(Schema.Struct({ at: IsoTime, mid: Price }))
        .check(Schema.isMaxLength(pathPointsMax)),
      items: Schema.Array(Schema.Struct(heading)).check(Schema.isMaxLength(recentMax)),
    }),
  },
  /** The digests of the last week, the newest first; without those below the threshold of a sale. */
  digests: {
    path: "/digest.json",
    body: Schema.Struct({
      success,
      digests: Schema.Array(Schema.Struct({ title: Digest.fields.title, createdAt: IsoTime }))
        .check(Schema.isMaxLength(digestsMax)),
    }),
  },
  status: { path: "/status.json", body: StatusReport },
} as const satisfies Readonly<Record<string, PageRow>>

/** The rows with one body; the others have a body for each value of their parameter. */
export type SinglePageId = Exclude<keyof typeof pageRows, "market">
